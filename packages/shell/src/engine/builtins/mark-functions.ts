import { print, type Process, report } from "../run/process.ts";
import type { KnownFunction } from "../state/shell-state.ts";

/** `r` for functions that stay as they are, `x` for those that the shells started from here have, too. */
type Mark = "r" | "x";

const MARKS = { r: "isReadonly", x: "isExported" } as const;

/** `export -f` and its like: marks functions, or lists those that are marked. @returns the status */
export async function markFunctions(
  process: Process,
  names: readonly string[],
  { builtinName, mark, isOn }: { builtinName: string; mark: Mark; isOn: boolean },
): Promise<number> {
  const { functions } = process.state;
  const key = MARKS[mark];
  if (names.length === 0) {
    for (const [name, known] of [...functions].sort(byName))
      if (known[key])
        await print(process, 1, `${known.definition.text}\ndeclare -f${marksOf(known)} ${name}\n`);
    return 0;
  }
  let status = 0;
  for (const name of names) {
    const known = functions.get(name);
    if (known) functions.set(name, { ...known, [key]: isOn });
    else status = 1;
    if (!known && builtinName !== "declare")
      await report(process, `${builtinName}: ${name}: not a function`);
  }
  return status;
}

/** The letters of `declare -F` for a function. */
export function marksOf(known: KnownFunction): string {
  return (known.isReadonly ? "r" : "") + (known.isExported ? "x" : "");
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
