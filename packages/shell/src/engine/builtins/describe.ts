import { quoteText } from "../expand/quoting.ts";
import { describeArray, doubleQuoted, lettersOf } from "../expand/transforms.ts";
import { print, type Process, report } from "../run/process.ts";
import { variableOf } from "../state/access.ts";
import type { Attribute } from "../state/variables.ts";
import { marksOf } from "./mark-functions.ts";

/** Prints variables as commands that declare them: those named, or all of some attributes and kinds. */
export async function showVariables(
  process: Process,
  names: readonly string[],
  wanted: {
    readonly attributes: readonly Attribute[];
    /** `a` for indexed arrays, `A` for associative ones. */
    readonly kinds: readonly string[];
    readonly builtinName: string;
  },
): Promise<number> {
  const { variables } = process.state;
  const isShown = (name: string): boolean =>
    wanted.builtinName !== "local" || variables.isLocal(name);
  const all = variables.names().filter((name) => {
    const variable = variables.get(name);
    if (!variable || !isShown(name)) return false;
    const { kinds, attributes } = wanted;
    if (kinds.length > 0 && !kinds.some((kind) => lettersOf(variable).startsWith(kind)))
      return false;
    return attributes.every((attribute) => variable.attributes.has(attribute));
  });
  let status = 0;
  for (const name of names.length > 0 ? names : all) {
    const line = isShown(name) ? describeVariable(process, name) : undefined;
    if (line !== undefined) await print(process, 1, `${line}\n`);
    else {
      await report(process, `${wanted.builtinName}: ${name}: not found`);
      status = 1;
    }
  }
  return status;
}

function describeVariable({ state }: Process, name: string): string | undefined {
  const variable = variableOf(state, name);
  if (!variable) return undefined;
  const letters = lettersOf(variable) || "-";
  const { value, isBlank } = variable;
  if (value === undefined || isBlank) return `declare -${letters} ${name}`;
  const text = typeof value === "string" ? doubleQuoted(value) : describeArray(value);
  return `declare -${letters} ${name}=${text}`;
}

export async function showFunctions(
  process: Process,
  names: readonly string[],
  options: ReadonlySet<string>,
  mark?: "r" | "x",
): Promise<number> {
  const { functions } = process.state;
  let status = 0;
  for (const name of names.length > 0 ? names : [...functions.keys()].sort()) {
    const known = functions.get(name);
    if (!known) status = 1;
    else if (!options.has("F")) await print(process, 1, `${known.definition.text}\n`);
    else if (names.length > 0) await print(process, 1, `${name}\n`);
    else if (mark === undefined || marksOf(known).includes(mark))
      await print(process, 1, `declare -f${marksOf(known)} ${name}\n`);
  }
  return status;
}

/** The variables as `set` lists them. */
export function describeAll({ state }: Process): string {
  const lines = state.variables.names().flatMap((name) => {
    const { value, isBlank } = state.variables.get(name) ?? {};
    if (value === undefined || isBlank) return [];
    if (typeof value !== "string") return `${name}=${describeArray(value)}\n`;
    return `${name}=${/^[\w@%+:,./-]*$/.test(value) ? value : quoteText(value)}\n`;
  });
  return lines.join("");
}
