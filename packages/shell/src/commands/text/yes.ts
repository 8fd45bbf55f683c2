import { encodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";

/** Lines in place of endless output when no reader can end it. */
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
