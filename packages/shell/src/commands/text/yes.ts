import { encodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";

/** In place of an endless text where nobody can end it by not reading on. */
const YES_LINES = 10_000;

const YES_PART = 8_192;

export const yes: ShellCommand = {
  name: "yes",
  async run(args, { print, pace, signal }) {
    const line = `${args.length > 0 ? args.join(" ") : "y"}\n`;
    if (!print) return { stdout: line.repeat(YES_LINES) };
    const part = encodeText(line.repeat(Math.ceil(YES_PART / line.length)));
    while (!signal.aborted) {
      await print(part);
      await pace(YES_PART);
    }
    return {};
  },
};
