import { ArithmeticError } from "../arithmetic/error.ts";
import { evaluateArithmetic, type ArithmeticVariables } from "../arithmetic/evaluate.ts";
import { endOfSubscript } from "../text/subscript-end.ts";
import { dynamicValue } from "./dynamic.ts";
import { IndexedArray } from "./indexed-array.ts";
import { entriesInOrder } from "./map-order.ts";
import type { ShellState } from "./shell-state.ts";
import { isSpecialParameter, specialParameter } from "./special-parameters.ts";
import { expandSubscript, type SubscriptValues } from "./subscripts.ts";
import { globalName, plainName, type Value, type Variable } from "./variables.ts";

const MAX_REFERENCES = 8;

/** An assignment or expansion that a shell ends with: `message` is in bash's words. */
export class ExpansionError extends Error {
  override readonly name = "ExpansionError" as const;
  /** Ends the shell rather than the command. */
  readonly isFatal: boolean;
  /** Ends the line, and is no failure of the command that it is in. */
  readonly endsLine: boolean;
  /** Of the value of `$((…))` or of the bounds of a part, which `set -e` lets pass. */
  readonly isCalculation: boolean;

  constructor(
    message: string,
    {
      isFatal = false,
      endsLine = false,
      isCalculation = false,
    }: { isFatal?: boolean; endsLine?: boolean; isCalculation?: boolean } = {},
  ) {
    super(message);
    this.isFatal = isFatal;
    this.endsLine = endsLine;
    this.isCalculation = isCalculation;
  }
}

/** A subscript that no element can have: an empty key, or an index before the start. */
class SubscriptError extends ExpansionError {
  constructor(name: string, subscript: string) {
    super(`${name}[${subscript}]: bad array subscript`);
  }
}

/** The name that a reference leads to, with the subscript that it may name; none for references in a circle. */
export function resolveName(state: ShellState, name: string): string {
  let target = name;
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const variable = state.variables.get(target);
    if (!variable?.attributes.has("reference") || typeof variable.value !== "string") return target;
    if (variable.value === "") return target;
    if (variable.value === target) {
      // In a function, one to its own name is one to the variable that it hides.
      warn(state, name);
      return globalName(target);
    }
    target = variable.value;
  }
  warn(state, name);
  return "";
}

function warn(state: ShellState, name: string): void {
  state.warnings.push(`warning: ${name}: circular name reference`);
}

/** Reports whether a text names a variable or an element. */
export function isVariableName(text: string): boolean {
  if (/^[A-Za-z_]\w*$/.test(text)) return true;
  const { subscript } = splitName(text);
  return subscript !== undefined && subscript !== "";
}

/** A name with the subscript of `name[subscript]`, as it was written. */
export function splitName(text: string): { name: string; subscript?: string } {
  const [begin = ""] = /^[A-Za-z_]\w*\[/.exec(text) ?? [];
  if (begin === "" || endOfSubscript(text, begin.length - 1) !== text.length - 1)
    return { name: text };
  return { name: begin.slice(0, -1), subscript: text.slice(begin.length, -1) };
}

/** The same, with the subscript after expansion; `@` and `*` stay. */
export function expandName(state: ShellState, text: string): { name: string; subscript?: string } {
  const { name, subscript } = splitName(text);
  if (subscript === undefined) return { name };
  return { name, subscript: expandSubscript(subscript, subscriptValues(state)) };
}

function subscriptValues(state: ShellState): SubscriptValues {
  return {
    value: (name, subscript) =>
      isSpecialParameter(name)
        ? specialParameter(state, name)
        : readVariable(state, name, subscript),
    values: (name) => (name === "@" || name === "*" ? state.positional : listValues(state, name)),
    calculate: (expression) => String(evaluateLine(state, expression)),
  };
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
  const resolved = expandName(state, resolveName(state, given));
  // An element has none of its own.
  if (subscript !== undefined && resolved.subscript !== undefined) return undefined;
  const key = subscript ?? resolved.subscript;
  if (key === undefined) return firstOf(variableOf(state, resolved.name)?.value);
  const { value, isPlace } = findElement(state, resolved.name, key);
  if (!isPlace) state.warnings.push(`${resolved.name}: bad array subscript`);
  return value;
}

/** The same, for a length: a subscript that no element can have is an error. @throws {ExpansionError} */
export function readPlace(
  state: ShellState,
  given: string,
  subscript?: string,
): string | undefined {
  if (subscript === undefined) return readVariable(state, given);
  const { value, isPlace } = findElement(state, resolveName(state, given), subscript);
  if (!isPlace) throw new SubscriptError(given, subscript);
  return value;
}

function firstOf(value: Value | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return value instanceof Map ? value.get("0") : value.get(0);
}

/** The element at a subscript, and whether there can be one at it. */
function findElement(
  state: ShellState,
  name: string,
  subscript: string,
): { value: string | undefined; isPlace: boolean } {
  const value = variableOf(state, name)?.value;
  if (value instanceof Map) return { value: value.get(subscript), isPlace: subscript !== "" };
  const array = value instanceof IndexedArray ? value : undefined;
  const index = indexOf(state, subscript, array);
  const text = index === 0 && typeof value === "string" ? value : undefined;
  return { value: array?.get(index) ?? text, isPlace: index >= 0 };
}

/** The index that a subscript stands for; a negative one counts from the end. */
export function indexOf(state: ShellState, subscript: string, array?: IndexedArray): number {
  const index = Number(evaluateLine(state, subscript));
  return index < 0 && array ? array.end + index : index;
}

/** The key or, after calculation, the index that a subscript stands for. */
function placeOf(state: ShellState, name: string, subscript: string, depth?: number): string {
  const isKey = variableOf(state, name)?.value instanceof Map;
  return isKey ? subscript : String(evaluateLine(state, subscript, depth));
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
  const resolved = expandName(state, resolveName(state, given));
  const { name } = resolved;
  if (subscript !== undefined) assertWhole(state, given);
  if (name === "" && given !== "") throw new ExpansionError(state.warnings.pop() ?? "");
  const place = subscript ?? resolved.subscript;
  const variable = state.variables.get(name);
  assertWritable(state, name);
  if (variable?.attributes.has("reference") && !variable.value && !isVariableName(text))
    throw new ExpansionError(`\`${text}': not a valid identifier`);
  // Calculated once, since it may count up.
  const key = isAppended && place !== undefined ? placeOf(state, name, place) : place;
  const before = isAppended ? (readVariable(state, name, key) ?? "") : "";
  const value = valueFor(state, variable, { before, text, isAppended });
  if (variable?.value instanceof Map) {
    if (key === "") throw new SubscriptError(name, key);
    state.variables.charge((key ?? "0").length + value.length);
    state.variables.map(name).set(key ?? "0", value);
  } else if (key !== undefined || variable?.value instanceof IndexedArray) {
    const array = state.variables.array(name);
    const index = key === undefined ? 0 : indexOf(state, key, array);
    if (index < 0) throw new SubscriptError(name, key ?? "");
    state.variables.charge(value.length);
    array.set(index, value);
  } else state.variables.set(name, value);
  if (state.options.has("allexport")) state.variables.setAttribute(name, "exported", true);
  if (name === "SECONDS") state.startMs = Date.now() - Number(value) * 1_000;
  if (name === "OPTIND") state.getoptsOffset = 0;
}

/** Sets an element of an array, as the attributes of the variable want it. @throws {ExpansionError} */
export function setElement(state: ShellState, name: string, index: number, text: string): void {
  const array = state.variables.array(name);
  const change = { before: "", text, isAppended: false };
  const value = valueFor(state, state.variables.get(name), change);
  state.variables.charge(value.length);
  array.set(index, value);
}

/** @throws {ExpansionError} for a variable that may not change */
export function assertWritable(state: ShellState, name: string): void {
  if (state.variables.get(name)?.attributes.has("readonly"))
    throw new ExpansionError(`${name}: readonly variable`);
}

/** @throws {ExpansionError} for a reference to an element, which is no array */
export function assertWhole(state: ShellState, name: string): void {
  const target = resolveName(state, name);
  if (splitName(target).subscript !== undefined)
    throw new ExpansionError(`\`${target}': not a valid identifier`);
}

/** A text as the attributes of a variable want it. @throws {ExpansionError} */
export function valueFor(
  state: ShellState,
  variable: Pick<Variable, "attributes"> | undefined,
  { before, text, isAppended }: { before: string; text: string; isAppended: boolean },
): string {
  if (variable?.attributes.has("integer")) {
    const expression = isAppended ? `${before === "" ? "0" : before}+(${text || "0"})` : text;
    return String(evaluateLine(state, expression));
  }
  const whole = before + text;
  if (variable?.attributes.has("lowercase")) return whole.toLowerCase();
  return variable?.attributes.has("uppercase") ? whole.toUpperCase() : whole;
}

/** Evaluates a subscript, or what is assigned to an integer: an error in it ends the line, whatever it is part of. */
function evaluateLine(state: ShellState, expression: string, depth?: number): bigint {
  try {
    return evaluateArithmetic(expression, arithmeticVariables(state), depth);
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    throw new ExpansionError(error.message, { endsLine: true });
  }
}

/** Removes a variable or an element. @throws {ExpansionError} */
export function unsetVariable(state: ShellState, given: string): void {
  const split = elementOf(state, given) ?? expandName(state, given);
  const resolved = expandName(state, resolveName(state, split.name));
  const { name } = resolved;
  const subscript = split.subscript ?? resolved.subscript;
  const variable = state.variables.get(name);
  if (variable?.attributes.has("readonly"))
    throw new ExpansionError(`${name}: cannot unset: readonly variable`);
  // A reference to its own name is removed itself.
  if (subscript === undefined) return state.variables.delete(plainName(name));
  if (variable?.value instanceof Map) state.variables.map(name).delete(subscript);
  else if (variable?.value instanceof IndexedArray) unsetElement(state, name, subscript);
  else if (typeof variable?.value !== "string") return;
  else if (/[@*]/.test(subscript) || indexOf(state, subscript) !== 0)
    throw new ExpansionError(`${name}: not an array variable`);
  else state.variables.delete(name);
}

/** The element of a map whose key stands between the brackets as it is, as in `unset map["$key"]`. */
export function elementOf(
  state: ShellState,
  text: string,
): { name: string; subscript: string } | undefined {
  const [, name = "", subscript = ""] = /^([A-Za-z_]\w*)\[([^]*)\]$/.exec(text) ?? [];
  const stored = name === "" ? undefined : variableOf(state, resolveName(state, name))?.value;
  return stored instanceof Map && stored.has(subscript) ? { name, subscript } : undefined;
}

function unsetElement(state: ShellState, name: string, subscript: string): void {
  if (subscript === "@" || subscript === "*") return state.variables.set(name, new IndexedArray());
  const array = state.variables.array(name);
  const index = indexOf(state, subscript, array);
  if (index < 0) throw new SubscriptError("", subscript);
  array.delete(index);
}

/** The variables as arithmetic sees them. */
export function arithmeticVariables(state: ShellState): ArithmeticVariables {
  return {
    locate(name, subscript, depth) {
      const text = expandSubscript(subscript, subscriptValues(state));
      return placeOf(state, splitName(resolveName(state, name)).name, text, depth);
    },
    get(name, subscript) {
      const value = readVariable(state, name, subscript);
      // An element that an array lacks is 0 even then.
      if (value === undefined && state.options.has("nounset") && !isAssigned(state, name))
        throw new ExpansionError(`${name}: unbound variable`, { isFatal: true });
      return value;
    },
    set(name, subscript, value) {
      try {
        assignVariable(state, name, value, { subscript });
      } catch (error) {
        // The expression has its value all the same.
        if (!(error instanceof SubscriptError)) throw error;
        state.warnings.push(error.message);
      }
    },
  };
}

/** Reports whether a variable has a value, be it an array without an element. */
export function isAssigned(state: ShellState, name: string): boolean {
  const variable = variableOf(state, splitName(resolveName(state, name)).name);
  return variable?.value !== undefined && variable.isBlank !== true;
}
