import type { Assignment } from "../syntax/tree.ts";
import type { Process } from "../run/process.ts";

/** An argument after expansion. Those of `declare` may be arrays to assign. */
export type BuiltinArgument = string | Assignment;

/** A command of the shell itself. @returns the status */
export type Builtin = (
  process: Process,
  args: readonly BuiltinArgument[],
  name: string,
) => Promise<number> | number;

/** A builtin whose arguments are texts. */
export function withTexts(
  run: (process: Process, args: readonly string[], name: string) => Promise<number> | number,
): Builtin {
  return (process, args, name) =>
    run(
      process,
      args.map((arg) => (typeof arg === "string" ? arg : arg.name)),
      name,
    );
}

/** Splits leading options off. `valued` letters take an argument; the rest is left. */
export function parseOptions(
  args: readonly string[],
  { flags, valued = "", hasPlus = false }: { flags: string; valued?: string; hasPlus?: boolean },
): { options: Map<string, string>; off: Set<string>; rest: string[]; wrong: string | undefined } {
  const options = new Map<string, string>();
  const off = new Set<string>();
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    if (!/^-./.test(arg) && !(hasPlus && /^\+./.test(arg))) break;
    for (let index = 1; index < arg.length; index++) {
      const letter = arg.charAt(index);
      if (valued.includes(letter)) {
        options.set(letter, arg.slice(index + 1) || (args[++at] ?? ""));
        break;
      }
      if (!flags.includes(letter))
        return { options, off, rest: args.slice(at), wrong: arg.charAt(0) + letter };
      if (arg.startsWith("+")) off.add(letter);
      else options.set(letter, "");
    }
  }
  return { options, off, rest: args.slice(at), wrong: undefined };
}
