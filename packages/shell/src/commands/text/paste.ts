import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

const separators: Record<string, string> = { n: "\n", t: "\t", "\\": "\\" };

/** Adds two cases to the bundle's own: no file means standard input, and `-d '\n'` is a newline. */
export const paste: ShellCommand = {
  name: "paste",
  run(args, { original }) {
    const { options, operands } = parseArguments(args, {
      flags: "sz",
      valued: "d",
      long: { serial: "s", delimiters: "d" },
    });
    const words = operands.length > 0 ? [...operands] : ["-"];
    for (const flag of ["s", "z"]) if (options.has(flag)) words.unshift(`-${flag}`);
    const list = options
      .get("d")
      ?.replace(/\\(.)/g, (_pair, letter) => separators[letter] ?? letter);
    return original(list === undefined ? words : ["-d", list, ...words]);
  },
};
