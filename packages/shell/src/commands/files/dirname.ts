import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Prints paths without their last part: `-z`. */
export const dirname: ShellCommand = {
  name: "dirname",
  run(args) {
    const { options, operands } = parseArguments(args, { flags: "z", long: { zero: "z" } });
    if (operands.length === 0) throw new Error("missing operand");
    const end = options.has("z") ? "\0" : "\n";
    return { stdout: operands.map((path) => parentOf(path) + end).join("") };
  },
};

function parentOf(path: string): string {
  const trimmed = path.replace(/(.)\/+$/s, "$1");
  const at = trimmed.lastIndexOf("/");
  if (at === -1) return ".";
  return trimmed.slice(0, at).replace(/\/+$/, "") || "/";
}
