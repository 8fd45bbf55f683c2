import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { resolveTo } from "./realpath.ts";

/** Prints the targets of links, or with `-f`, `-e` or `-m` canonical paths; `-n`, `-z`, `-v`. */
export const readlink: ShellCommand = {
  name: "readlink",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "efmnqsvz",
      long: {
        canonicalize: "f",
        "canonicalize-existing": "e",
        "canonicalize-missing": "m",
        "no-newline": "n",
        quiet: "q",
        silent: "s",
        verbose: "v",
        zero: "z",
      },
    });
    if (operands.length === 0) throw new Error("missing operand");
    let [stdout, stderr, exitCode] = ["", "", 0];
    if (options.has("n") && operands.length > 1)
      stderr += "readlink: ignoring --no-newline with multiple arguments\n";
    const isOpen = options.has("n") && operands.length === 1;
    const end = isOpen ? "" : options.has("z") ? "\0" : "\n";
    for (const operand of operands) {
      try {
        stdout += (await targetOf(context, operand, options)) + end;
      } catch (error) {
        const reason = explain(error);
        exitCode = 1;
        if (options.has("v")) stderr += `readlink: ${operand}: ${reason}\n`;
      }
    }
    return { stdout, stderr, exitCode };
  },
};

function targetOf(
  context: ShellCommandContext,
  operand: string,
  options: ReadonlyMap<string, string>,
): Promise<string> {
  const isCanonical = ["e", "f", "m"].some((letter) => options.has(letter));
  return isCanonical
    ? resolveTo(context, operand, options)
    : context.fs.readlink(context.resolve(operand));
}
