import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
import { splitLines } from "../byte-lines.ts";

/** Lines of a sorted file that begin with a text. */
export const look: ShellCommand = {
  name: "look",
  async run(args, context) {
    const { options, operands } = parseArguments(args, { flags: "adf", valued: "t" });
    const [text, path] = operands;
    if (text === undefined || path === undefined)
      throw new Error("no dictionary is installed: name a file");
    const key = (line: string): string => (options.has("f") ? line.toLowerCase() : line);
    const lines = splitLines(await readTextOperand(context, path));
    // Like a binary search, this stops where the order ends.
    const first = lines.findIndex((line) => key(line).startsWith(key(text)));
    const rest = first === -1 ? [] : lines.slice(first);
    const end = rest.findIndex((line) => !key(line).startsWith(key(text)));
    const found = end === -1 ? rest : rest.slice(0, end);
    return {
      stdout: found.map((line) => `${line}\n`).join(""),
      exitCode: found.length > 0 ? 0 : 1,
    };
  },
};
