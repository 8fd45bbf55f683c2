import { ArithmeticError } from "../arithmetic/error.ts";
import { evaluateArithmetic, type ArithmeticVariables } from "../arithmetic/evaluate.ts";
import { dynamicValue } from "./dynamic.ts";
import { IndexedArray } from "./indexed-array.ts";
import { entriesInOrder } from "./map-order.ts";
import type { ShellState } from "./shell-state.ts";
import type { Value, Variable } from "./variables.ts";

const MAX_REFERENCES = 8;

/** An assignment or expansion that a shell ends with: `message` is in bash's words. */
export class ExpansionError extends Error {
  override readonly name = "ExpansionError" as const;
  /** Ends the shell rather than the command. */
  readonly isFatal: boolean;
  /** Ends the line, and is no failure of the command that it is in. */
  readonly endsLine: boolean;

  constructor(
    message: string,
    { isFatal = false, endsLine = false }: { isFatal?: boolean; endsLine?: boolean } = {},
  ) {
    super(message);
    this.isFatal = isFatal;
    this.endsLine = endsLine;
  }
}

/** The name that a reference leads to, with the subscript that it may name. */
export function resolveName(state: ShellState, name: string): string {
  let target = name;
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const variable = state.variables.get(target);
    if (!variable?.attributes.has("reference") || typeof variable.value !== "string") return target;
    if (variable.value === "" || variable.value === target) return target;
    target = variable.value;
  }
  return target;
}

/** Reports whether a text names a variable or an element. */
export function isVariableName(text: string): boolean {
  return /^[A-Za-z_]\w*(?:\[[^]+\])?$/.test(text);
}

/** A name with the subscript of `name[subscript]`. */
export function splitName(text: string): { name: string; subscript?: string } {
  const match = /^([A-Za-z_]\w*)\[([^]*)\]$/.exec(text);
  return match ? { name: match[1] ?? "", subscript: match[2] ?? "" } : { name: text };
}

export function variableOf(state: ShellState, name: string): Variable | undefined {
  const dynamic = dynamicValue(state, name);
  if (dynamic !== undefined) return { value: dynamic, attributes: new Set() };
  return state.variables.get(name);
}

/** The value of a variable or element; `undefined` when it is unset. */
export function readVariable(
  state: ShellState,
  given: string,
  subscript?: string,
): string | undefined {
  const resolved = splitName(resolveName(state, given));
  const key = subscript ?? resolved.subscript;
  const value = variableOf(state, resolved.name)?.value;
  return elementOf(state, value, key);
}

function elementOf(
  state: ShellState,
  value: Value | undefined,
  key: string | undefined,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string")
    return key === undefined || indexOf(state, key) === 0 || indexOf(state, key) === -1
      ? value
      : undefined;
  if (value instanceof Map) return value.get(key ?? "0");
  return value.get(key === undefined ? 0 : indexOf(state, key, value));
}

/** The index that a subscript stands for; a negative one counts from the end. */
export function indexOf(state: ShellState, subscript: string, array?: IndexedArray): number {
  const index = Number(evaluateArithmetic(subscript, arithmeticVariables(state)));
  return index < 0 && array ? array.end + index : index;
}

/** All values of an array, or the one of a variable. */
export function listValues(state: ShellState, given: string): string[] {
  const value = variableOf(state, splitName(resolveName(state, given)).name)?.value;
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  return value instanceof Map
    ? entriesInOrder(value).map(([, element]) => element)
    : value.values();
}

export function listKeys(state: ShellState, given: string): string[] {
  const value = variableOf(state, splitName(resolveName(state, given)).name)?.value;
  if (value === undefined) return [];
  if (typeof value === "string") return ["0"];
  return value instanceof Map
    ? entriesInOrder(value).map(([key]) => key)
    : value.entries().map(([index]) => String(index));
}

export interface AssignOptions {
  subscript?: string | undefined;
  isAppended?: boolean;
}

/** Assigns a text, as the attributes of the variable want it. @throws {ExpansionError} */
export function assignVariable(
  state: ShellState,
  given: string,
  text: string,
  { subscript, isAppended = false }: AssignOptions = {},
): void {
  const resolved = splitName(resolveName(state, given));
  const { name } = resolved;
  const key = subscript ?? resolved.subscript;
  const variable = state.variables.get(name);
  if (variable?.attributes.has("readonly")) throw new ExpansionError(`${name}: readonly variable`);
  const before = isAppended ? (readVariable(state, name, key) ?? "") : "";
  const value = valueFor(state, variable, { before, text, isAppended });
  if (variable?.value instanceof Map) {
    if (key === "") throw new ExpansionError(`${name}[]: bad array subscript`);
    state.variables.charge((key ?? "0").length + value.length);
    state.variables.map(name).set(key ?? "0", value);
  } else if (key !== undefined || variable?.value instanceof IndexedArray) {
    const array = state.variables.array(name);
    const index = key === undefined ? 0 : indexOf(state, key, array);
    if (index < 0) throw new ExpansionError(`${name}[${key ?? ""}]: bad array subscript`);
    state.variables.charge(value.length);
    array.set(index, value);
  } else state.variables.set(name, value);
  if (state.options.has("allexport")) state.variables.setAttribute(name, "exported", true);
  if (name === "SECONDS") state.startMs = Date.now() - Number(value) * 1_000;
  if (name === "OPTIND") state.getoptsOffset = 0;
}

function valueFor(
  state: ShellState,
  variable: Variable | undefined,
  { before, text, isAppended }: { before: string; text: string; isAppended: boolean },
): string {
  if (variable?.attributes.has("integer")) {
    const expression = isAppended ? `${before === "" ? "0" : before}+(${text || "0"})` : text;
    return integerOf(state, expression);
  }
  const whole = before + text;
  if (variable?.attributes.has("lowercase")) return whole.toLowerCase();
  return variable?.attributes.has("uppercase") ? whole.toUpperCase() : whole;
}

/** The value of an integer variable; an error in it ends the line, whatever assigns it. */
function integerOf(state: ShellState, expression: string): string {
  try {
    return String(evaluateArithmetic(expression, arithmeticVariables(state)));
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    throw new ExpansionError(error.message, { endsLine: true });
  }
}

/** Removes a variable or an element. @throws {ExpansionError} */
export function unsetVariable(state: ShellState, given: string): void {
  const split = splitName(given);
  const { name, subscript } = { ...splitName(resolveName(state, split.name)), ...split };
  const target =
    split.subscript === undefined ? splitName(resolveName(state, name)) : { name, subscript };
  const variable = state.variables.get(target.name);
  if (variable?.attributes.has("readonly"))
    throw new ExpansionError(`${target.name}: cannot unset: readonly variable`);
  if (target.subscript === undefined) return state.variables.delete(target.name);
  if (target.subscript === "@" || target.subscript === "*") {
    return state.variables.set(
      target.name,
      variable?.value instanceof Map ? new Map() : new IndexedArray(),
    );
  }
  if (variable?.value instanceof Map) state.variables.map(target.name).delete(target.subscript);
  else if (variable?.value instanceof IndexedArray) {
    const array = state.variables.array(target.name);
    array.delete(indexOf(state, target.subscript, array));
  } else if (indexOf(state, target.subscript) === 0) state.variables.delete(target.name);
}

/** The variables as arithmetic sees them. */
export function arithmeticVariables(state: ShellState): ArithmeticVariables {
  return {
    get(name, subscript) {
      const value = readVariable(state, name, subscript);
      if (value === undefined && state.options.has("nounset"))
        throw new ExpansionError(`${name}: unbound variable`, { isFatal: true });
      return value;
    },
    set: (name, subscript, value) => assignVariable(state, name, value, { subscript }),
  };
}
