/** A shell pattern: its elements match one after the other. */
export type Pattern = readonly PatternElement[];

export type PatternElement =
  | { readonly type: "text"; readonly text: string }
  /** `?` */
  | { readonly type: "any" }
  /** `*` */
  | { readonly type: "star" }
  /** `[…]` */
  | { readonly type: "set"; readonly isNegated: boolean; readonly members: readonly SetMember[] }
  /** `?(…)`, `*(…)`, `+(…)`, `@(…)` and `!(…)` */
  | {
      readonly type: "group";
      readonly operator: "?" | "*" | "+" | "@" | "!";
      readonly alternatives: readonly Pattern[];
    };

/** Characters from the first to the last, or a class such as `alpha`. */
export type SetMember = readonly [first: string, last: string] | string;

export interface PatternOptions {
  /** `?(…)` and its like are groups. */
  hasExtendedPatterns: boolean;
}

/** Characters of patterns, and `&`, which stands for the match in the replacement of one. */
const SPECIAL = /[*?[\]\\()|@!+&]/g;
const CLASSES: ReadonlySet<string> = new Set([
  "alnum",
  "alpha",
  "ascii",
  "blank",
  "cntrl",
  "digit",
  "graph",
  "lower",
  "print",
  "punct",
  "space",
  "upper",
  "word",
  "xdigit",
]);

/** Makes every character of a text match only itself. */
export function quotePattern(text: string): string {
  return text.replace(SPECIAL, String.raw`\$&`);
}

/** Nothing else begins a pattern; what does not have it need not be read. */
const BEGINS = /[*?[]|[+@!]\(/;

/** Reports whether a word names files by a pattern, rather than one file. */
export function hasPattern(source: string, { hasExtendedPatterns }: PatternOptions): boolean {
  if (!BEGINS.test(source)) return false;
  return parsePattern(source, { hasExtendedPatterns }).some(({ type }) => type !== "text");
}

/** The text that a word without patterns stands for. */
export function unquotePattern(source: string): string {
  return source.replace(/\\([^])/g, "$1");
}

export function parsePattern(source: string, options: PatternOptions): Pattern {
  const reader = { source, at: 0, options };
  const elements = readElements(reader, "");
  // A parenthesis that closes no group is text.
  while (reader.at < source.length) {
    elements.push({ type: "text", text: source.charAt(reader.at++) });
    elements.push(...readElements(reader, ""));
  }
  return elements;
}

interface Reader {
  readonly source: string;
  at: number;
  readonly options: PatternOptions;
}

function readElements(reader: Reader, ends: string): PatternElement[] {
  const elements: PatternElement[] = [];
  let text = "";
  const add = (element: PatternElement): void => {
    if (text !== "") elements.push({ type: "text", text });
    text = "";
    elements.push(element);
  };
  while (reader.at < reader.source.length) {
    const character = reader.source.charAt(reader.at);
    if (ends.includes(character)) break;
    const element = readElement(reader, character);
    if (element) {
      const isRepeated = element.type === "star" && text === "" && elements.at(-1)?.type === "star";
      if (!isRepeated) add(element);
    } else if (character === "\\" && reader.at + 1 < reader.source.length) {
      text += reader.source.charAt(reader.at + 1);
      reader.at += 2;
    } else {
      text += character;
      reader.at++;
    }
  }
  if (text !== "") elements.push({ type: "text", text });
  return elements;
}

function readElement(reader: Reader, character: string): PatternElement | undefined {
  if (reader.options.hasExtendedPatterns && "?*+@!".includes(character)) {
    const group = readGroup(reader, character);
    if (group) return group;
  }
  if (character === "*" || character === "?") {
    reader.at++;
    return { type: character === "*" ? "star" : "any" };
  }
  return character === "[" ? readSet(reader) : undefined;
}

function readGroup(reader: Reader, operator: string): PatternElement | undefined {
  if (reader.source.charAt(reader.at + 1) !== "(") return undefined;
  const start = reader.at;
  reader.at += 2;
  const alternatives: Pattern[] = [];
  for (;;) {
    alternatives.push(readElements(reader, "|)"));
    const end = reader.source.charAt(reader.at++);
    if (end === ")") break;
    if (end === "") {
      reader.at = start;
      return undefined;
    }
  }
  return { type: "group", operator: operator as "?", alternatives };
}

/** `[…]`; nothing is read when it never closes, for then it is text. */
function readSet(reader: Reader): PatternElement | undefined {
  const { source } = reader;
  let at = reader.at + 1;
  const isNegated = source[at] === "!" || source[at] === "^";
  if (isNegated) at++;
  const members: SetMember[] = [];
  for (let isFirst = true; at < source.length; isFirst = false) {
    if (source[at] === "]" && !isFirst) {
      reader.at = at + 1;
      return { type: "set", isNegated, members };
    }
    const named = /^\[:(\w+):\]/.exec(source.slice(at, at + 12))?.[1];
    if (named !== undefined && CLASSES.has(named)) {
      members.push(named);
      at += named.length + 4;
      continue;
    }
    const first = readMember(source, at);
    at = first.end;
    if (source[at] !== "-" || source[at + 1] === "]" || at + 1 >= source.length) {
      members.push([first.character, first.character]);
      continue;
    }
    const last = readMember(source, at + 1);
    members.push([first.character, last.character]);
    at = last.end;
  }
  return undefined;
}

function readMember(source: string, at: number): { character: string; end: number } {
  const equivalent = /^\[([=.])([^])\1\]/u.exec(source.slice(at, at + 8));
  if (equivalent) return { character: equivalent[2] ?? "", end: at + equivalent[0].length };
  const start = source[at] === "\\" && at + 1 < source.length ? at + 1 : at;
  const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
  return { character, end: start + character.length };
}
