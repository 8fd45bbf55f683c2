import {
  assignVariable,
  ExpansionError,
  expandName,
  isAssigned,
  isVariableName,
  listKeys,
  listValues,
  readPlace,
  readVariable,
  resolveName,
  splitName,
  variableOf,
} from "../state/access.ts";
import { dynamicNames } from "../state/dynamic.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import { plainName } from "../state/variables.ts";
import { inLocale } from "../state/locale.ts";
import type { ShellState } from "../state/shell-state.ts";
import { isSpecialParameter, specialParameter } from "../state/special-parameters.ts";
import {
  isQuotedPart,
  type Parameter,
  type ParameterOperation,
  type Word,
} from "../syntax/word.ts";
import { separatorsOf, type WordExpander } from "./expansion.ts";
import { joinBytes } from "../text/bytes.ts";
import { changeCase, charactersOf, replace, startOf, substring, trim } from "./strings.ts";
import { attributeLetters, transform } from "./transforms.ts";

/** The value of a parameter: a text, several words, or a word that is expanded in its place. */
export type Expanded =
  | {
      readonly type: "text";
      readonly text: string;
      /** Makes a word even when it is empty and next to an empty list, as the result of an operation does. */
      readonly isKept?: boolean;
    }
  /** `isJoined` as of `$*`, which becomes one word between quotes. */
  | { readonly type: "list"; readonly values: readonly string[]; readonly isJoined: boolean }
  | { readonly type: "word"; readonly word: Word };

/** A parameter to read: `subscript` after expansion. */
interface Target {
  readonly name: string;
  readonly subscript: string | undefined;
  /** All elements: `@` or `*` as it was written, rather than a key that an expansion makes. */
  readonly isList: boolean;
}

/** @param keepsEmpty A list of one empty text counts as a value, as it does in an assignment outside of quotes. */
export async function expandParameter(
  part: Parameter,
  expander: WordExpander,
  keepsEmpty: boolean,
): Promise<Expanded> {
  const { state } = expander;
  const { operation } = part;
  if (operation?.type === "bad") throw new ExpansionError(`${part.text}: bad substitution`);
  if (operation?.type === "names") {
    const values = namesWith(state, part.name);
    return { type: "list", values, isJoined: part.subscript === "*" };
  }
  if (operation?.type === "keys")
    return { type: "list", values: listKeys(state, part.name), isJoined: part.subscript === "*" };
  const direct = await targetOf(part, expander);
  const target = part.isIndirect ? indirect(direct, state, part) : direct;
  const read = operation?.type === "length" ? readPlace : readVariable;
  const value = target.isList ? listOf(target, state) : scalarOf(target, state, read);
  if (operation && isChoice(operation))
    return choose(operation, { target, value, expander }, keepsEmpty);
  if (value === undefined) {
    if (operation?.type !== "length" || !isArray(state, target)) assertSet(state, part, target);
    if (operation?.type === "length") return { type: "text", text: "0" };
    if (operation === undefined || operation.type !== "transform")
      return { type: "text", text: "" };
  }
  if (operation === undefined) return toExpanded(value ?? "", target);
  if (operation.type === "length") {
    assertList(state, target);
    const size =
      typeof value === "string" ? lengthOf(inLocale(state, value)) : (value?.length ?? 0);
    return { type: "text", text: String(size) };
  }
  const result = await apply(operation, { target, value, expander });
  const expanded = toExpanded(result ?? "", target);
  const isKept = result !== undefined && value !== undefined && !leavesNothing(operation, value);
  return expanded.type === "text" ? { ...expanded, isKept } : expanded;
}

/** Reports whether a target is in an array, whose elements all have a length. */
function isArray(state: ShellState, { name, subscript }: Target): boolean {
  const stored = variableOf(state, resolveName(state, name))?.value;
  return subscript !== undefined && typeof stored === "object" && isAssigned(state, name);
}

/** The elements of a variable that is unset can't be counted under `set -u`, though they may be listed. */
function assertList(state: ShellState, { name, isList }: Target): void {
  if (!isList || name === "@" || name === "*" || !state.options.has("nounset")) return;
  if (!isAssigned(state, name))
    throw new ExpansionError(`${name}: unbound variable`, { isFatal: true });
}

/** Operations whose empty result is none at all. */
function leavesNothing(operation: ParameterOperation, value: string | readonly string[]): boolean {
  if (operation.type === "trim") return value === "";
  return operation.type === "transform" && /[aP]/.test(operation.letter);
}

interface Operand {
  readonly target: Target;
  readonly value: string | readonly string[] | undefined;
  readonly expander: WordExpander;
}

type Choice = Extract<ParameterOperation, { word: Word }>;

function isChoice(operation: ParameterOperation): operation is Choice {
  return "word" in operation;
}

function toExpanded(value: string | readonly string[], target: Target): Expanded {
  if (typeof value === "string") return { type: "text", text: value };
  return { type: "list", values: value, isJoined: isJoint(target) };
}

async function targetOf(part: Parameter, expander: WordExpander): Promise<Target> {
  const { name, subscript } = part;
  if (subscript === undefined && isReference(expander.state, name))
    return referenceTarget(expander.state, name);
  if (subscript === undefined || typeof subscript === "string") return targetNamed(name, subscript);
  return { name, subscript: await expander.text(subscript), isList: false };
}

function isReference({ variables }: ShellState, name: string): boolean {
  return variables.get(name)?.attributes.has("reference") ?? false;
}

/** Reports whether a name is that of a parameter, be it without a value. */
function isKnown(state: ShellState, name: string): boolean {
  return !/^[A-Za-z_]/.test(name) || variableOf(state, resolveName(state, name)) !== undefined;
}

/** A reference, which may be one to all elements of an array. */
function referenceTarget(state: ShellState, name: string): Target {
  const { subscript } = splitName(resolveName(state, name));
  return targetNamed(name, subscript === "@" || subscript === "*" ? subscript : undefined);
}

function targetNamed(name: string, subscript: string | undefined): Target {
  const isList = name === "@" || name === "*" || subscript === "@" || subscript === "*";
  return { name, subscript, isList };
}

function indirect(direct: Target, state: ShellState, part: Parameter): Target {
  if (isReference(state, direct.name) && part.subscript === undefined)
    return { name: "\0", subscript: plainName(resolveName(state, direct.name)), isList: false };
  const value = direct.isList ? listOf(direct, state).join(" ") : scalarOf(direct, state);
  if (value === undefined) {
    if (!isKnown(state, direct.name))
      throw new ExpansionError(`${part.name}: invalid indirect expansion`);
    return targetNamed("", undefined);
  }
  if (!isVariableName(value) && !/^(?:\d+|[@*#?$!-])$/.test(value))
    throw new ExpansionError(`${value}: invalid variable name`);
  const { subscript } = splitName(value);
  if (subscript === "@" || subscript === "*")
    return targetNamed(value.slice(0, -"[@]".length), subscript);
  const element = expandName(state, value);
  return { ...targetNamed(element.name, undefined), subscript: element.subscript };
}

function listOf({ name }: Target, state: ShellState): readonly string[] {
  return name === "@" || name === "*" ? state.positional : listValues(state, name);
}

function scalarOf(
  { name, subscript }: Target,
  state: ShellState,
  read = readVariable,
): string | undefined {
  // The name of a reference's target, which `${!reference}` stands for.
  if (name === "\0") return subscript;
  if (isSpecialParameter(name)) return specialParameter(state, name);
  return name === "" ? undefined : read(state, name, subscript);
}

function assertSet(
  state: ShellState,
  { text, operation }: Parameter,
  { name, subscript, isList }: Target,
): void {
  if (!state.options.has("nounset") || isList) return;
  // The attributes of an array are known without its first element.
  const isAbout = operation?.type === "transform" && /[aA]/.test(operation.letter);
  if (isAbout && subscript === undefined && isAssigned(state, name)) return;
  const shown = /^\d|^!/.test(name)
    ? text
    : subscript === undefined
      ? name
      : `${name}[${subscript}]`;
  throw new ExpansionError(`${shown}: unbound variable`, { isFatal: true });
}

function namesWith(state: ShellState, prefix: string): string[] {
  const dynamic = dynamicNames().filter((name) => variableOf(state, name)?.value !== undefined);
  const names = new Set([...state.variables.assignedNames(), ...dynamic]);
  return [...names].filter((name) => name.startsWith(prefix)).sort();
}

async function choose(
  operation: Choice,
  { target, value, expander }: Operand,
  keepsEmpty: boolean,
): Promise<Expanded> {
  const isEmpty =
    value === undefined ||
    (typeof value === "string"
      ? operation.hasColon && value === ""
      : isEmptyList(value, operation.hasColon && !keepsEmpty) ||
        (operation.hasColon && !keepsEmpty && isJoint(target) && joined(value, expander) === ""));
  if (operation.type === "alternative") {
    if (!isEmpty) return { type: "word", word: operation.word };
    return toExpanded(typeof value === "object" ? value.map(() => "") : "", target);
  }
  if (!isEmpty) return toExpanded(value ?? "", target);
  if (operation.type === "default") return { type: "word", word: operation.word };
  const text = await expander.text(operation.word);
  if (operation.type === "error") {
    const reason = operation.hasColon ? "parameter null or not set" : "parameter not set";
    throw new ExpansionError(`${target.name}: ${text === "" ? reason : text}`, { isFatal: true });
  }
  if (!/^[A-Za-z_]/.test(target.name))
    throw new ExpansionError(`$${target.name}: cannot assign in this way`);
  assignVariable(expander.state, target.name, text, { subscript: target.subscript });
  return { type: "text", text, isKept: true };
}

/** Reports whether a list is one text between quotes, as `$*` is. */
function isJoint({ name, subscript }: Target): boolean {
  return name === "*" || subscript === "*";
}

function joined(values: readonly string[], { state }: WordExpander): string {
  return values.join(separatorsOf(state).charAt(0));
}

function isEmptyList(values: readonly string[], includesEmpty: boolean): boolean {
  return values.length === 0 || (includesEmpty && values.length === 1 && values[0] === "");
}

/** The value after an operation; those of a list one by one. `undefined` for a part outside of a text. */
async function apply(
  operation: Exclude<ParameterOperation, Choice | { type: "length" | "keys" | "names" | "bad" }>,
  operand: Operand,
): Promise<string | readonly string[] | undefined> {
  const { target, value, expander } = operand;
  const { state } = expander;
  if (operation.type === "substring") return slice(operation, operand);
  if (operation.type === "transform") {
    if (operation.letter === "a") return attributesOf(target, state, value);
    if (operation.letter === "P") return promptsOf(value ?? "", expander);
    return transform(operation.letter, { ...target, value, state });
  }
  // As in bash, nothing is expanded for what has nothing to trim.
  if (operation.type === "trim" && !value) return "";
  const change = await stringOperation(operation, expander);
  const each = (text: string): Promise<string> | string => {
    const characters = inLocale(state, text);
    const changed = change(characters);
    if (characters === text) return changed;
    return typeof changed === "string" ? joinBytes(changed) : changed.then(joinBytes);
  };
  if (value === undefined) return "";
  if (typeof value === "string") return each(value);
  const results: string[] = [];
  for (const one of value) results.push(await each(one));
  return results;
}

async function promptsOf(
  value: string | readonly string[],
  expander: WordExpander,
): Promise<string | readonly string[]> {
  const { expandPrompt } = await import("./prompt.ts");
  const expand = (text: string): Promise<string> =>
    expandPrompt(text, expander.state, (word) => expander.text(word));
  if (typeof value === "string") return expand(value);
  const prompts: string[] = [];
  for (const one of value) prompts.push(await expand(one));
  return prompts;
}

function attributesOf(
  { name }: Target,
  state: ShellState,
  value: Operand["value"],
): string | readonly string[] {
  const letters = attributeLetters(state, name);
  return typeof value === "string" || value === undefined ? letters : value.map(() => letters);
}

async function stringOperation(
  operation: Extract<ParameterOperation, { type: "trim" | "replace" | "case" }>,
  expander: WordExpander,
): Promise<(text: string) => Promise<string> | string> {
  const { bounds, state } = expander;
  const { options } = state;
  if (operation.type === "trim") {
    const pattern = inLocale(state, await expander.pattern(operation.pattern));
    return (text) => trim(text, pattern, { ...operation, options });
  }
  if (operation.type === "case") {
    const given = operation.pattern && inLocale(state, await expander.pattern(operation.pattern));
    const isAny = !given && !operation.pattern?.parts.some(isQuotedPart);
    const pattern = isAny ? "?" : (given ?? "");
    return (text) => changeCase(text, pattern, { operator: operation.operator, options });
  }
  const { place, pattern } = anchored(
    operation,
    inLocale(state, await expander.pattern(operation.pattern)),
  );
  const replacement = await expander.replacement(operation.replacement);
  return (text) => replace(text, pattern, { place, replacement, options, bounds });
}

/** A `#` or `%` that an unquoted expansion puts in front anchors a pattern, as one in the script does. */
function anchored(
  { place, pattern: { parts } }: Extract<ParameterOperation, { type: "replace" }>,
  pattern: string,
): { place: typeof place; pattern: string } {
  const [first] = parts;
  const anchor = pattern[0] === "#" ? "prefix" : pattern[0] === "%" ? "suffix" : undefined;
  if (!anchor || place !== "first" || first?.type === "text" || (first && isQuotedPart(first)))
    return { place, pattern };
  return { place: anchor, pattern: pattern.slice(1) };
}

type Substring = Extract<ParameterOperation, { type: "substring" }>;

async function slice(
  operation: Substring,
  { target, value, expander }: Operand,
): Promise<string | readonly string[] | undefined> {
  // Of nothing there is no part, and so nothing is calculated.
  if (value === undefined || (value.length === 0 && isOfVariable(target))) return value;
  const offset = Number(await expander.arithmetic(operation.offset));
  // Behind the end, the length does not matter, and so no error in it.
  const length = async (): Promise<number | undefined> =>
    operation.length && Number(await expander.arithmetic(operation.length));
  if (typeof value === "string") {
    const characters = charactersOf(inLocale(expander.state, value));
    const start = startOf(characters.length, offset);
    return start === undefined
      ? undefined
      : joinBytes(substring(characters, start, await length()));
  }
  return sliceList({ target, values: value, state: expander.state }, offset, length);
}

/** Reports whether a list is that of an array, rather than the positional parameters. */
function isOfVariable({ name, isList }: Target): boolean {
  return isList && name !== "@" && name !== "*";
}

interface List {
  readonly target: Target;
  readonly values: readonly string[];
  readonly state: ShellState;
}

async function sliceList(
  { target, values, state }: List,
  offset: number,
  lengthOfSlice: () => Promise<number | undefined>,
): Promise<readonly string[]> {
  const isPositional = !isOfVariable(target);
  const stored = variableOf(state, resolveName(state, target.name))?.value;
  const array = !isPositional && stored instanceof IndexedArray ? stored : undefined;
  const all = isPositional ? [state.name, ...values] : values;
  // Those of a map count from 1, as if there were one before them.
  const isMap = !isPositional && stored instanceof Map;
  const size = array?.end ?? all.length + (isMap ? 1 : 0);
  const start = startOf(size, offset);
  if (start === undefined || (start === size && !isPositional)) return [];
  const length = await lengthOfSlice();
  if (length !== undefined && length < 0)
    throw new ExpansionError(`${length}: substring expression < 0`, { isCalculation: true });
  if (!array) {
    const from = isMap ? Math.max(0, start - 1) : start;
    return all.slice(from, length === undefined ? undefined : from + length);
  }
  const rest = array.entries().filter(([index]) => index >= start);
  return rest.slice(0, length).map(([, element]) => element);
}

/** Characters, as people count them. */
function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
