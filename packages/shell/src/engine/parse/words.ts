import type { Text, Word, WordPart } from "../syntax/word.ts";
import { decodeAnsiC } from "../text/ansi-c.ts";
import type { Scanner } from "./scanner.ts";

/** Options for reading the characters of a word. */
export interface WordMode {
  /**
   * `none`: all quotes count. `double`: as between double quotes. `document`: the same, and double quotes are text.
   */
  readonly quoting: "none" | "double" | "document";
  /** Characters that end the word, unless quoted. */
  readonly ends: string;
  /** The ends are others than those of the shell's own words. */
  readonly hasOtherEnds?: boolean;
  /** Brackets that keep `ends` from counting, in pairs such as `()`. */
  readonly brackets?: string;
  /** `?(…)` and its like are part of the word. */
  readonly hasExtendedPatterns?: boolean;
  /** `<(…)` and `>(…)` are part of the word. */
  readonly hasProcesses?: boolean;
}

const METACHARACTERS = " \t\n;&|()<>";
const WORD: WordMode = { quoting: "none", ends: METACHARACTERS, hasProcesses: true };
const EXTENDED_WORD: WordMode = { ...WORD, hasExtendedPatterns: true };
/** A whole word of one part; most words are. */
const PLAIN_WORD = /[\w./:=,%~^-]+(?=[\s;&|()<>]|$)/y;
const NAME = /[A-Za-z_]\w*/y;
const SPECIAL = "@*#?-$!0123456789";
const PLAIN_RUN = /[^\\'"$`<>?*+@!()[\]{}:/;&| \t\n]+/y;
const QUOTED_RUN = /[^\\"$`}]+/y;
const BRACED_RUN = /[^\\"'$`}]+/y;
/** Single quotes within one line and one pair of double quotes. */
const QUOTE_PAIR = /'[^'"\n]*'/y;
const EXTENDED = /[?*+@!]\(/y;

/** Reads a word of a command, which may have begun at `at` with some parts; `undefined` when none begins here. */
export function readWord(
  scanner: Scanner,
  { at, begun = [] }: { at: number; begun?: readonly WordPart[] } = scanner,
): Word | undefined {
  PLAIN_WORD.lastIndex = scanner.at;
  if (begun.length === 0 && PLAIN_WORD.test(scanner.text)) {
    const text = scanner.text.slice(at, (scanner.at = PLAIN_WORD.lastIndex));
    return { parts: [{ type: "text", text, isQuoted: false }], at };
  }
  const parts = readParts(scanner, scanner.hasExtendedPatterns ? EXTENDED_WORD : WORD);
  return scanner.at === at ? undefined : { parts: [...begun, ...parts], at };
}

/** Reads a word in one of the other places where expansions happen. */
export function readWordIn(scanner: Scanner, mode: WordMode): Word {
  const { at } = scanner;
  return { parts: readParts(scanner, mode), at };
}

/** The text of a word without quotes and expansions, such as a keyword; `undefined` for any other word. */
export function plainTextOf({ parts }: Word): string | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.type === "text" && !part.isQuoted ? part.text : undefined;
}

/** Collects parts, joining text of the same kind. */
class Parts {
  readonly list: WordPart[] = [];
  #text = "";
  #isQuoted = false;

  add(part: WordPart): void {
    this.#flush();
    this.list.push(part);
  }

  text(text: string, isQuoted: boolean): void {
    if (this.#text !== "" && this.#isQuoted !== isQuoted) this.#flush();
    this.#text += text;
    this.#isQuoted = isQuoted;
  }

  /** Quoted text that makes a word even when it is empty. */
  quoted(text: string): void {
    if (text === "") this.add({ type: "text", text, isQuoted: true });
    else this.text(text, true);
  }

  end(): WordPart[] {
    this.#flush();
    return this.list;
  }

  #flush(): void {
    if (this.#text === "") return;
    const part: Text = { type: "text", text: this.#text, isQuoted: this.#isQuoted };
    this.list.push(part);
    this.#text = "";
  }
}

function readParts(scanner: Scanner, mode: WordMode): WordPart[] {
  const parts = new Parts();
  const isQuoted = mode.quoting !== "none";
  let depth = 0;
  let hidden = 0;
  const [open = "", close = ""] = mode.brackets ?? "";
  while (!scanner.isAtEnd()) {
    const character = scanner.peek();
    if (mode.hasProcesses && depth === 0 && isProcess(scanner)) {
      parts.add(readProcess(scanner));
      continue;
    }
    if (mode.hasExtendedPatterns && scanner.match(EXTENDED)) {
      depth++;
      parts.text(scanner.text.slice(scanner.at, (scanner.at += 2)), false);
      continue;
    }
    // Between double quotes a single one is text; yet in `"${x:-'{}'}"` a pair of them hides a brace.
    if (character === "'" && isQuoted && mode.ends === "}" && scanner.at >= hidden)
      hidden = scanner.at + (scanner.match(QUOTE_PAIR)?.[0].length ?? 0);
    if (depth === 0 && scanner.at >= hidden && mode.ends.includes(character)) break;
    if (character === open || (mode.hasExtendedPatterns && depth > 0 && character === "(")) depth++;
    else if (depth > 0 && (character === close || (mode.hasExtendedPatterns && character === ")")))
      depth--;
    if (isQuoted) readQuotedPart(scanner, mode, parts);
    else readPlainPart(scanner, mode, parts);
  }
  return parts.end();
}

function isProcess(scanner: Scanner): boolean {
  const character = scanner.peek();
  return (character === "<" || character === ">") && scanner.peek(1) === "(";
}

function readProcess(scanner: Scanner): WordPart {
  const direction = scanner.peek() === "<" ? "<" : ">";
  scanner.at += 2;
  if (scanner.peek() !== "(")
    return { type: "process", direction, body: scanner.grammar.readSubstitution(scanner) };
  const { at } = scanner;
  readArithmeticText(scanner);
  const source = scanner.text.slice(at, scanner.at);
  if (!scanner.accept(")")) scanner.failUnclosed(")", at);
  return { type: "process", direction, body: { source } };
}

/** One part, or a run of text, outside of quotes. */
function readPlainPart(scanner: Scanner, mode: WordMode, parts: Parts): void {
  const run = mode.hasOtherEnds ? undefined : scanner.match(PLAIN_RUN)?.[0];
  if (run !== undefined) {
    scanner.at += run.length;
    parts.text(run, false);
    return;
  }
  const character = scanner.peek();
  const start = scanner.at;
  scanner.at++;
  if (character === "\\") {
    const next = scanner.peek();
    scanner.at++;
    if (next === "") parts.text("\\", false);
    else if (next !== "\n") parts.text(next, true);
  } else if (character === "'") {
    parts.quoted(readTo(scanner, "'", start));
  } else if (character === '"') parts.add(readDoubleQuoted(scanner));
  else if (character === "`") parts.add(readBackquoted(scanner, false));
  else if (character === "$" && scanner.accept("'")) parts.quoted(readAnsiC(scanner));
  else if (character === "$" && scanner.accept('"')) parts.add(readDoubleQuoted(scanner));
  else if (character === "$") readDollar(scanner, parts, "none");
  else parts.text(character, false);
}

/** One part, or a run of text, as between double quotes. */
function readQuotedPart(scanner: Scanner, mode: WordMode, parts: Parts): void {
  const character = scanner.peek();
  if (character === "\\") {
    const next = scanner.peek(1);
    const special =
      "$`\\".includes(next) ||
      (next === '"' && mode.quoting === "double") ||
      (next === "}" && mode.ends === "}");
    scanner.at += next === "" ? 1 : 2;
    if (next === "\n") return;
    parts.text(special && next !== "" ? next : `\\${next}`, true);
  } else if (character === "$") {
    scanner.at++;
    if (mode.brackets === "()" && scanner.accept("'"))
      return parts.text(`$'${readAnsiC(scanner)}'`, true);
    readDollar(scanner, parts, mode.quoting);
  } else if (character === "`") {
    scanner.at++;
    parts.add(readBackquoted(scanner, true));
  } else if (character === '"' && mode.quoting === "double") {
    scanner.at++;
    parts.add(readDoubleQuoted(scanner));
  } else if (character === "'" && mode.brackets === "()") {
    // Within the brackets of arithmetic a bracket between single quotes doesn't count.
    const start = scanner.at++;
    parts.text(`'${readTo(scanner, "'", start)}'`, true);
  } else {
    const plain = mode.ends === "}" ? BRACED_RUN : QUOTED_RUN;
    const run = mode.brackets === undefined ? scanner.match(plain)?.[0] : undefined;
    const text = run === undefined || mode.ends.length > 1 ? character : run;
    scanner.at += text.length;
    parts.text(text, true);
  }
}

function readTo(scanner: Scanner, close: string, start: number): string {
  const end = scanner.text.indexOf(close, scanner.at);
  if (end === -1) scanner.failUnclosed(close, start);
  const text = scanner.text.slice(scanner.at, end);
  scanner.at = end + close.length;
  return text;
}

function readAnsiC(scanner: Scanner): string {
  const start = scanner.at;
  while (!scanner.isAtEnd() && scanner.peek() !== "'")
    scanner.at += scanner.peek() === "\\" ? 2 : 1;
  if (scanner.isAtEnd()) scanner.failUnclosed("'", start - 1);
  const source = scanner.text.slice(start, scanner.at++);
  return decodeAnsiC(source);
}

function readDoubleQuoted(scanner: Scanner): WordPart {
  const start = scanner.at - 1;
  const parts = scanner.nested(() => readParts(scanner, { quoting: "double", ends: '"' }));
  if (!scanner.accept('"')) scanner.failUnclosed('"', start);
  return { type: "double-quoted", parts };
}

/** The source between backquotes, parsed when it is expanded. */
function readBackquoted(scanner: Scanner, isDoubleQuoted: boolean): WordPart {
  const start = scanner.at - 1;
  let source = "";
  for (;;) {
    const character = scanner.peek();
    if (character === "") scanner.failUnclosed("`", start);
    scanner.at++;
    if (character === "`") break;
    const next = scanner.peek();
    if (
      character === "\\" &&
      next !== "" &&
      ("$`\\".includes(next) || (next === '"' && isDoubleQuoted))
    ) {
      source += next;
      scanner.at++;
    } else source += character;
  }
  return { type: "command", body: { source }, line: scanner.lineAt(start) };
}

/** The expansion after a `$`. */
function readDollar(scanner: Scanner, parts: Parts, quoting: WordMode["quoting"]): void {
  const start = scanner.at - 1;
  const character = scanner.peek();
  if (character === "{") {
    scanner.at++;
    return parts.add(scanner.nested(() => scanner.grammar.readBraced(scanner, quoting !== "none")));
  }
  if (character === "(") return parts.add(readParenthesised(scanner));
  if (character === "[") {
    scanner.at++;
    return parts.add(scanner.nested(() => readOldArithmetic(scanner)));
  }
  const name =
    scanner.match(NAME)?.[0] ?? (character !== "" && SPECIAL.includes(character) ? character : "");
  if (name === "") return parts.text("$", quoting !== "none");
  scanner.at += name.length;
  const text = scanner.text.slice(start, scanner.at);
  parts.add({ type: "parameter", name, text, isIndirect: false });
}

/** `$(…)`, or `$((…))`; one that doesn't close twice is a command that begins with a subshell. */
function readParenthesised(scanner: Scanner): WordPart {
  const start = scanner.at - 1;
  const line = scanner.lineAt(start);
  scanner.at++;
  if (scanner.peek() !== "(")
    return { type: "command", body: scanner.grammar.readSubstitution(scanner), line };
  const open = scanner.at++;
  const expression = scanner.nested(() => readArithmeticText(scanner));
  if (!scanner.accept(")")) scanner.failUnclosed(")", start);
  if (scanner.accept(")")) return { type: "arithmetic", expression };
  scanner.nested(() => readArithmeticText(scanner));
  const source = scanner.text.slice(open, scanner.at);
  if (!scanner.accept(")")) scanner.failUnclosed(")", start);
  return { type: "command", body: { source }, line };
}

/** Reads an expression up to the `)` that closes it; expansions count in it as in double quotes. */
export function readArithmeticText(scanner: Scanner, ends = ")"): Word {
  return readWordIn(scanner, { quoting: "double", ends, brackets: "()" });
}

function readOldArithmetic(scanner: Scanner): WordPart {
  const start = scanner.at - 1;
  const expression = readWordIn(scanner, { quoting: "double", ends: "]", brackets: "[]" });
  if (!scanner.accept("]")) scanner.failUnclosed("]", start);
  return { type: "arithmetic", expression };
}

/** Reports whether the bracket at `open` and the one before it close side by side, which tells arithmetic from subshells. */
export function closesTwice(scanner: Scanner, open: number): boolean {
  const { text } = scanner;
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end !== -1) at = end;
    } else if (character === '"') at = endOfQuotes(text, at);
    else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return text[at + 1] === ")";
  }
  return false;
}

function endOfQuotes(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return open;
}
