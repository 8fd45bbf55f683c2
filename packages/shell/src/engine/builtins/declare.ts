import { quoteText } from "../expand/quoting.ts";
import { attributeLetters, describeArray, doubleQuoted } from "../expand/transforms.ts";
import { assign } from "../run/assignments.ts";
import { print, type Process, report } from "../run/process.ts";
import {
  assignVariable,
  isVariableName,
  readVariable,
  resolveName,
  unsetVariable,
  variableOf,
} from "../state/access.ts";
import type { Attribute } from "../state/variables.ts";
import type { Assignment } from "../syntax/tree.ts";
import { type Builtin, type BuiltinArgument, parseOptions, withTexts } from "./builtin.ts";

const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  i: "integer",
  l: "lowercase",
  n: "reference",
  r: "readonly",
  u: "uppercase",
  x: "exported",
};
const FLAGS = "aAfFgilnprtuxI";

interface Declared {
  readonly options: ReadonlySet<string>;
  readonly off: ReadonlySet<string>;
  readonly isLocal: boolean;
}

export const declare: Builtin = (process, args, name) =>
  runDeclare(process, args, { name, isLocal: process.state.variables.isInFunction });

export const local: Builtin = async (process, args, name) => {
  if (process.state.variables.isInFunction)
    return runDeclare(process, args, { name, isLocal: true });
  await report(process, "local: can only be used in a function");
  return 1;
};

export const exportBuiltin: Builtin = (process, args, name) =>
  runDeclare(process, args, { name, isLocal: false, added: "x" });

export const readonly: Builtin = (process, args, name) =>
  runDeclare(process, args, { name, isLocal: false, added: "r" });

async function runDeclare(
  process: Process,
  args: readonly BuiltinArgument[],
  call: { name: string; isLocal: boolean; added?: string },
): Promise<number> {
  const texts = args.map((arg) => (typeof arg === "string" ? arg : ""));
  const parsed = parseOptions(texts, { flags: FLAGS, hasPlus: true });
  if (parsed.wrong !== undefined) {
    await report(process, `${call.name}: ${parsed.wrong}: invalid option`);
    return 2;
  }
  const options = new Set(parsed.options.keys());
  const operands = args.slice(args.length - parsed.rest.length);
  const removesExport = call.added === "x" && options.delete("n");
  if (options.has("f") || options.has("F")) return showFunctions(process, parsed.rest, options);
  if (operands.length === 0 || options.has("p"))
    return showVariables(process, parsed.rest, { options, added: call.added });
  if (call.added !== undefined && !removesExport) options.add(call.added);
  const off = removesExport ? new Set(["x"]) : parsed.off;
  const declared = { options, off, isLocal: call.isLocal && !options.has("g") };
  let status = 0;
  for (const operand of operands)
    status = (await declareOne(process, operand, { ...declared, name: call.name })) || status;
  return status;
}

async function declareOne(
  process: Process,
  operand: BuiltinArgument,
  declared: Declared & { name: string },
): Promise<number> {
  const { variables } = process.state;
  const match =
    typeof operand === "string"
      ? /^([A-Za-z_]\w*)(\[[^]*?\])?(?:(\+?)=([^]*))?$/.exec(operand)
      : undefined;
  if (match === null) {
    await report(
      process,
      `${declared.name}: \`${typeof operand === "string" ? operand : operand.name}': not a valid identifier`,
    );
    return 1;
  }
  const name = match?.[1] ?? (operand as Assignment).name;
  const target =
    declared.options.has("n") || declared.isLocal ? name : resolveName(process.state, name);
  if (declared.isLocal) variables.hide(name, "function");
  const before = variables.get(target);
  if (before?.attributes.has("readonly") && (match === undefined || match[4] !== undefined)) {
    await report(process, `${declared.name}: ${name}: readonly variable`);
    return 1;
  }
  if (declared.options.has("n") && match?.[4] !== undefined && !isVariableName(match[4])) {
    await report(
      process,
      `${declared.name}: \`${match[4]}': invalid variable name for name reference`,
    );
    return 1;
  }
  setKind(process, target, declared.options, typeof operand !== "string");
  const late: Attribute[] = [];
  for (const [letter, attribute] of Object.entries(ATTRIBUTES)) {
    if (declared.off.has(letter)) variables.setAttribute(target, attribute, false);
    if (!declared.options.has(letter)) continue;
    if (attribute === "readonly" || attribute === "reference") late.push(attribute);
    else variables.setAttribute(target, attribute, true);
  }
  if (typeof operand !== "string") await assign(process, { ...operand, name: target });
  else if (match?.[4] !== undefined) {
    const subscript = match[2]?.slice(1, -1);
    if (late.includes("reference")) variables.set(target, match[4]);
    else
      assignVariable(process.state, target, match[4], { subscript, isAppended: match[3] === "+" });
  } else if (!variables.get(target)) variables.set(target, undefined);
  for (const attribute of late) variables.setAttribute(target, attribute, true);
  return 0;
}

function setKind(
  { state: { variables } }: Process,
  name: string,
  options: ReadonlySet<string>,
  isArray: boolean,
): void {
  if (options.has("A")) variables.map(name);
  else if (options.has("a") || (isArray && !(variables.get(name)?.value instanceof Map)))
    variables.array(name);
}

async function showVariables(
  process: Process,
  names: readonly string[],
  { options, added }: { options: ReadonlySet<string>; added: string | undefined },
): Promise<number> {
  const { state } = process;
  const letters = [...options, added ?? ""].flatMap((letter) => ATTRIBUTES[letter] ?? []);
  const all = state.variables.names().filter((name) => {
    const attributes = state.variables.get(name)?.attributes;
    return letters.every((letter) => attributes?.has(letter));
  });
  let status = 0;
  for (const name of names.length > 0 ? names : all) {
    const line = describeVariable(process, name);
    if (line !== undefined) await print(process, 1, `${line}\n`);
    else {
      await report(process, `declare: ${name}: not found`);
      status = 1;
    }
  }
  return status;
}

function describeVariable({ state }: Process, name: string): string | undefined {
  const variable = variableOf(state, name);
  if (!variable) return undefined;
  const letters = attributeLetters(state, name) || "-";
  const { value } = variable;
  if (value === undefined) return `declare -${letters} ${name}`;
  const text = typeof value === "string" ? doubleQuoted(value) : describeArray(value);
  return `declare -${letters} ${name}=${text}`;
}

async function showFunctions(
  process: Process,
  names: readonly string[],
  options: ReadonlySet<string>,
): Promise<number> {
  const { functions } = process.state;
  let status = 0;
  for (const name of names.length > 0 ? names : [...functions.keys()].sort()) {
    const definition = functions.get(name);
    if (!definition) status = 1;
    else if (!options.has("F")) await print(process, 1, `${definition.text}\n`);
    else await print(process, 1, names.length > 0 ? `${name}\n` : `declare -f ${name}\n`);
  }
  return status;
}

/** The variables as `set` lists them. */
export function describeAll({ state }: Process): string {
  const lines = state.variables.names().flatMap((name) => {
    const value = state.variables.get(name)?.value;
    if (value === undefined) return [];
    if (typeof value !== "string") return `${name}=${describeArray(value)}\n`;
    return `${name}=${/^[\w@%+:,./-]*$/.test(value) ? value : quoteText(value)}\n`;
  });
  return lines.join("");
}

export const unset = withTexts(async (process, args) => {
  const { options, rest } = parseOptions(args, { flags: "fvn" });
  const { state } = process;
  let status = 0;
  for (const name of rest) {
    try {
      if (options.has("f")) state.functions.delete(name);
      else if (options.has("n")) state.variables.delete(name);
      else if (!options.has("v") && !isKnown(process, name) && state.functions.delete(name))
        continue;
      else unsetVariable(state, name);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ExpansionError") throw error;
      await report(process, `unset: ${error.message}`);
      status = 1;
    }
  }
  return status;
});

function isKnown({ state }: Process, name: string): boolean {
  return state.variables.get(name) !== undefined || readVariable(state, name) !== undefined;
}
