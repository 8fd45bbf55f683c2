import { ArithmeticError } from "../arithmetic/error.ts";
import { evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { hasPattern, quotePattern } from "../patterns/pattern.ts";
import { arithmeticVariables, ExpansionError, readVariable } from "../state/access.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Parameter, Word, WordPart } from "../syntax/word.ts";
import { expandBraces } from "./braces.ts";
import { expandExpression } from "./expressions.ts";
import {
  type ExpansionBounds,
  type ExpansionHost,
  separatorsOf,
  type WordExpander,
} from "./expansion.ts";
import { type Field, FieldBuilder, textOf } from "./fields.ts";
import { expandGlob } from "./glob.ts";
import { expandParameter, type Expanded } from "./parameters.ts";
import { quoteReplacement } from "./strings.ts";
import { expandTilde } from "./tilde.ts";

/** Expands words to the arguments of a command, or to elements of an array. */
export async function expandWords(
  words: readonly Word[],
  host: ExpansionHost,
  { areElements = false }: { areElements?: boolean } = {},
): Promise<string[]> {
  const results: string[] = [];
  let length = 0;
  for (const word of words) {
    const first = results.length;
    const plain = plainText(word, host);
    if (plain !== undefined) results.push(plain);
    else await expandWord(word, host, { isElement: areElements, results });
    host.bounds.words(results.length);
    for (let at = first; at < results.length; at++) length += results[at]?.length ?? 0;
    host.bounds.text(length);
    const turn = results.length - first > MANY_WORDS ? host.bounds.turn() : undefined;
    if (turn) await turn;
  }
  return results;
}

/** Expands a word to one text: not split, and without patterns. */
export async function expandText(
  word: Word,
  host: ExpansionHost,
  place?: Context["place"],
): Promise<string> {
  return plainText(word, host) ?? textOf(await expandUnsplit(word, host, { place }));
}

/** Expands the value of an assignment, in which `~` counts also behind colons. */
export async function expandValue(word: Word, host: ExpansionHost): Promise<string> {
  const plain = plainText(word, host);
  if (plain !== undefined) return plain;
  const value = expandTilde(word, host.state, { place: "value" });
  return textOf(await expandUnsplit(value, host, { hasTilde: false, place: "value" }));
}

/** Expands a word to a pattern: quoted characters are escaped. */
export async function expandPattern(word: Word, host: ExpansionHost): Promise<string> {
  return patternOf(await expandUnsplit(word, host));
}

/** Expands the replacement of a pattern; without `patsub_replacement` it is nothing but text. */
async function expandReplacement(word: Word, host: ExpansionHost): Promise<string> {
  const isPlain = !host.state.options.has("patsub_replacement");
  const field = await expandUnsplit(word, host);
  return field
    .map(({ text, isQuoted }) => (isQuoted || isPlain ? quoteReplacement(text) : text))
    .join("");
}

/** Expands a word to a regular expression: quoted characters are escaped. */
export async function expandRegularExpression(word: Word, host: ExpansionHost): Promise<string> {
  const field = await expandUnsplit(word, host);
  return field
    .map(({ text, isQuoted }) =>
      isQuoted ? text.replace(/[\^$\\.*+?()[\]{}|]/g, String.raw`\$&`) : text,
    )
    .join("");
}

/** Expands and evaluates an expression. */
async function expandArithmetic(word: Word, host: ExpansionHost): Promise<bigint> {
  const text = await expandExpression(word, (part) => expandText(part, host));
  return evaluateArithmetic(text, arithmeticVariables(host.state));
}

const PLAIN = /^[^~{*?[+@!]*$/;

/** The text of a word that is there at once, as most are; `undefined` for the others. */
function plainText({ parts }: Word, { state, bounds }: ExpansionHost): string | undefined {
  let text = "";
  for (const part of parts) {
    if (part.type === "text") {
      if (!part.isQuoted && !PLAIN.test(part.text)) return undefined;
      text += part.text;
    } else if (part.type === "double-quoted") {
      const inner = quotedText(part.parts, state, bounds);
      if (inner === undefined) return undefined;
      bounds.text(text.length + inner.length);
      text += inner;
    } else return undefined;
  }
  return parts.length === 0 ? undefined : text;
}

function quotedText(
  parts: readonly WordPart[],
  state: ShellState,
  bounds: ExpansionBounds,
): string | undefined {
  let text = "";
  for (const part of parts) {
    if (part.type === "text") text += part.text;
    else {
      const value = part.type === "parameter" ? simpleValue(part, state) : undefined;
      if (value === undefined) return undefined;
      bounds.text(text.length + value.length);
      text += value;
    }
  }
  return text;
}

/** The value of `$name` where it is a text. */
function simpleValue(part: Parameter, state: ShellState): string | undefined {
  if (part.operation || part.subscript || part.isIndirect) return undefined;
  const { name } = part;
  if (/^[1-9]/.test(name)) return state.positional[Number(name) - 1];
  const variable = state.variables.get(name);
  if (variable?.attributes.has("reference")) return undefined;
  return typeof variable?.value === "string" && !/^[A-Z]/.test(name) ? variable.value : undefined;
}

/** Words of one expansion after which others get a turn, since what follows copies them. */
const MANY_WORDS = 10_000;
/** Words of a brace expansion that are made without a look at the clock. */
const WORDS_A_TURN = 64;

/** Adds what a word expands to. */
async function expandWord(
  word: Word,
  host: ExpansionHost,
  { isElement, results }: { isElement: boolean; results: string[] },
): Promise<void> {
  const { options } = host.state;
  const words = options.has("braceexpand") ? expandBraces(word, host.bounds) : [word];
  let count = 0;
  for (const one of words) {
    const turn = ++count % WORDS_A_TURN === 0 ? host.bounds.turn() : undefined;
    if (turn) await turn;
    const plain = one === word ? undefined : plainText(one, host);
    if (plain !== undefined) {
      results.push(plain);
      continue;
    }
    const builder = new FieldBuilder(separatorsOf(host.state), host.bounds);
    const isArgument = one === word && !isElement;
    const { parts } = expandTilde(one, host.state, isArgument ? { place: "argument" } : {});
    await expandParts(parts, { builder, isQuoted: false, expander: expanderOf(host) });
    for (const field of builder.end()) {
      const text = textOf(field);
      const pattern = pathPattern(field, host.state);
      if (pattern === undefined) results.push(text);
      // One by one: spreading many would overflow the stack.
      else for (const path of await expandPaths(pattern, text, host)) results.push(path);
    }
  }
}

/** The pattern as which a field names files; `undefined` for most, which name none. */
function pathPattern(field: Field, { options }: ShellState): string | undefined {
  if (options.has("noglob") || field.every(({ isQuoted }) => isQuoted)) return undefined;
  const pattern = patternOf(field);
  const hasExtendedPatterns = options.has("extglob");
  return hasPattern(pattern, { hasExtendedPatterns }) ? pattern : undefined;
}

async function expandPaths(
  pattern: string,
  text: string,
  { state, files }: ExpansionHost,
): Promise<string[]> {
  const { options, cwd } = state;
  const ignored = readVariable(state, "GLOBIGNORE") ?? "";
  const paths = await expandGlob(pattern, { files, cwd, options, ignored });
  if (paths.length > 0) return paths;
  if (options.has("failglob")) throw new ExpansionError(`no match: ${text}`);
  return options.has("nullglob") ? [] : [text];
}

function patternOf(field: Field): string {
  return field.map(({ text, isQuoted }) => (isQuoted ? quotePattern(text) : text)).join("");
}

async function expandUnsplit(
  word: Word,
  host: ExpansionHost,
  { hasTilde = true, place }: { hasTilde?: boolean; place?: Context["place"] } = {},
): Promise<Field> {
  const builder = new FieldBuilder("", host.bounds);
  const { parts } = hasTilde ? expandTilde(word, host.state) : word;
  await expandParts(parts, {
    builder,
    isQuoted: false,
    isUnsplit: true,
    place,
    expander: expanderOf(host),
  });
  return builder.end()[0] ?? [];
}

function expanderOf(host: ExpansionHost): WordExpander {
  return {
    state: host.state,
    bounds: host.bounds,
    files: host.files,
    substitute: (part) => host.substitute(part),
    startProcess: (part) => host.startProcess(part),
    text: (word) => expandText(word, host),
    pattern: (word) => expandPattern(word, host),
    replacement: (word) => expandReplacement(word, host),
    arithmetic: (word) => expandArithmetic(word, host),
  };
}

interface Context {
  readonly builder: FieldBuilder;
  readonly isQuoted: boolean;
  /** The word becomes one text. */
  readonly isUnsplit?: boolean;
  /** In the word of `${x:-word}`, outside of quotes. */
  readonly isNested?: boolean;
  /** Where bash joins lists in a way of its own: the value of an assignment, or a here-document. */
  readonly place?: "value" | "document" | undefined;
  /** Empty texts make no word. */
  readonly skipsEmpty?: boolean;
  readonly expander: WordExpander;
}

async function expandParts(parts: readonly WordPart[], context: Context): Promise<void> {
  for (const part of parts) await expandPart(part, context);
}

async function expandPart(part: WordPart, context: Context): Promise<void> {
  const { builder, isQuoted, expander } = context;
  switch (part.type) {
    case "text":
      return builder.add(part.text, part.isQuoted || isQuoted);
    case "double-quoted":
      return expandQuoted(part.parts, context);
    case "command":
      return addText(await expander.substitute(part), context);
    case "arithmetic":
      return addText(String(await calculate(part.expression, expander)), context);
    case "process":
      return builder.add(await expander.startProcess(part), true);
    case "parameter": {
      const keepsEmpty =
        context.place === "value" && !isQuoted && separatorsOf(expander.state) !== "";
      return addExpanded(await expandParameter(part, expander, keepsEmpty), context, part);
    }
  }
}

/** Calculates the value of `$((…))`, whose error ends the line. */
async function calculate(expression: Word, expander: WordExpander): Promise<bigint> {
  try {
    return await expander.arithmetic(expression);
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    throw new ExpansionError(error.message, { endsLine: true, isCalculation: true });
  }
}

/** Between double quotes there is a word, even an empty one, except for an empty `"$@"` with nothing beside it. */
async function expandQuoted(parts: readonly WordPart[], context: Context): Promise<void> {
  const hasList = parts.some((part) => part.type === "parameter" && isListPart(part));
  const { isQuoted, skipsEmpty } = context;
  if (!hasList && !isQuoted) context.builder.add("", true);
  await expandParts(parts, {
    ...context,
    isQuoted: true,
    skipsEmpty: hasList || (isQuoted && skipsEmpty === true),
  });
}

/** Reports whether a parameter may be a list; one that another names may. */
function isListPart({ name, subscript, operation, isIndirect }: Parameter): boolean {
  if (operation?.type === "length") return false;
  return name === "@" || subscript === "@" || isIndirect;
}

function addText(
  text: string,
  { builder, isQuoted, isUnsplit, skipsEmpty }: Context,
  isKept = false,
): void {
  if (skipsEmpty && text === "" && !isKept) return;
  if (isQuoted || isUnsplit) builder.add(text, isQuoted);
  else builder.split(text);
}

async function addExpanded(expanded: Expanded, context: Context, part: Parameter): Promise<void> {
  if (expanded.type === "text")
    return addText(expanded.text, context, expanded.isKept || part.isIndirect);
  if (expanded.type === "word") {
    const place = context.place === "value" ? context.place : undefined;
    const { parts } = expandTilde(expanded.word, context.expander.state, { place });
    if (context.isQuoted && isListPart(part)) context.builder.add("", true);
    return expandUnquotedWord(parts, context);
  }
  addList(expanded.values, jointOf(part, expanded.isJoined, context), context);
}

/** @param joint Stands between the values where they become one text; `undefined` where each is a field. */
function addList(values: readonly string[], joint: string | undefined, context: Context): void {
  const { builder, isQuoted, isUnsplit, skipsEmpty } = context;
  if (skipsEmpty && values.length === 0) return;
  if (joint !== undefined) {
    const text = values.join(joint);
    return isQuoted || isUnsplit ? builder.add(text, isQuoted) : builder.split(text);
  }
  values.forEach((value, index) => {
    if (index > 0) builder.break();
    if (isQuoted) builder.add(value, true);
    else builder.split(value);
  });
}

/** The text that joins a list: that of `*` and of all that is split again by the first separator, others by a space. */
function jointOf(
  { operation, subscript }: Parameter,
  isJoined: boolean,
  { isQuoted, isUnsplit, isNested, place, expander }: Context,
): string | undefined {
  const separator = separatorsOf(expander.state).charAt(0);
  if (!isUnsplit && isQuoted) return isJoined ? separator : undefined;
  if (!isUnsplit && separator === "") return undefined;
  if (!isUnsplit) return isNested && !isJoined ? " " : separator;
  if (isJoined) {
    const isElements = subscript === "*" && operation === undefined;
    return place === "document" && !isElements ? " " : separator;
  }
  const isCut = operation?.type === "trim" || operation?.type === "transform";
  const isChanged = isQuoted ? operation !== undefined && !("word" in operation) : isCut;
  return (place === "value" && isChanged && separator) || " ";
}

/** The word of `${x:-word}`: its own text is split where the parameter would be. */
async function expandUnquotedWord(parts: readonly WordPart[], context: Context): Promise<void> {
  for (const part of parts) {
    if (part.type === "text" && !part.isQuoted) addText(part.text, context);
    else await expandPart(part, { ...context, isNested: true });
  }
}
