import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Prints the last part of paths: `-a`, `-s SUFFIX`, `-z`. */
export const basename: ShellCommand = {
  name: "basename",
  run(args) {
    const { options, operands } = parseArguments(
      args,
      {
        flags: "az",
        valued: "s",
        long: { multiple: "a", suffix: "s", zero: "z" },
      },
      { stopAtOperand: true },
    );
    const [first, second, third] = operands;
    if (first === undefined) throw new Error("missing operand");
    const takesAll = options.has("a") || options.has("s");
    if (!takesAll && third !== undefined) throw new Error(`extra operand '${third}'`);
    const suffix = options.get("s") ?? (takesAll ? "" : (second ?? ""));
    const names = takesAll ? operands : [first];
    const end = options.has("z") ? "\0" : "\n";
    return { stdout: names.map((name) => lastPart(name, suffix) + end).join("") };
  },
};

function lastPart(path: string, suffix: string): string {
  const trimmed = path.replace(/(.)\/+$/s, "$1");
  if (/^\/+$/.test(trimmed)) return "/";
  const name = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  const isShorter = suffix !== "" && name !== suffix && name.endsWith(suffix);
  return isShorter ? name.slice(0, -suffix.length) : name;
}
