import type { CompoundCommand, HereDocument, List } from "../syntax/tree.ts";
import type { Parameter } from "../syntax/word.ts";
import { ShellSyntaxError } from "./syntax-error.ts";

/** Levels of nesting that a script may have: a parser that calls itself has a stack that ends. */
const MAX_DEPTH = 200;
const BLANKS = /(?:[ \t]+|\\\n)*/y;
const COMMENT = /#[^\n]*/y;

export interface ParserOptions {
  /** The line that the source begins on. Default 1. */
  firstLine?: number | undefined;
  /** True when `shopt -s extglob` is in force where a line is read. */
  hasExtendedPatterns?: (() => boolean) | undefined;
  /** The replacement of a command's name, where aliases are in force. */
  aliasOf?: ((name: string) => string | undefined) | undefined;
}

/** Parts of the grammar that contain each other, so that their files need not. */
interface Grammar {
  /** The commands of `$(…)`, and its `)`. */
  readSubstitution(scanner: Scanner): List;
  readCompound(scanner: Scanner): CompoundCommand | undefined;
  /** The text after `${`, up to and including the `}`. */
  readBraced(scanner: Scanner, isQuoted: boolean): Parameter;
}

interface PendingDocument {
  readonly document: { -readonly [Key in keyof HereDocument]: HereDocument[Key] };
  readonly stripsTabs: boolean;
}

/** A position in a script, and what the reading of nested parts shares. */
export class Scanner {
  text: string;
  at = 0;
  readonly options: ParserOptions;
  readonly grammar: Grammar;
  readonly #pending: PendingDocument[] = [];
  #lineStarts: readonly number[] | undefined;
  #depth = 0;
  /** The aliases whose values are being read, and where those end. */
  #aliases: { readonly name: string; end: number }[] = [];
  #nextAliasAt = -1;

  constructor(text: string, options: ParserOptions, grammar: Grammar) {
    this.text = text;
    this.options = options;
    this.grammar = grammar;
  }

  get hasExtendedPatterns(): boolean {
    return this.options.hasExtendedPatterns?.() ?? false;
  }

  peek(offset = 0): string {
    return this.text.charAt(this.at + offset);
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The match of a sticky pattern here. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  /** The source from `start` to here, without the space at its end. */
  sliceFrom(start: number): string {
    let end = this.at;
    while (end > start && " \t\n".includes(this.text.charAt(end - 1))) end--;
    return this.text.slice(start, end);
  }

  /** Moves behind `text` if it is here. */
  accept(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Moves to the next token of the line. */
  skipBlanks(): void {
    const character = this.peek();
    if (character !== " " && character !== "\t" && character !== "\\" && character !== "#") return;
    BLANKS.lastIndex = this.at;
    if (BLANKS.test(this.text)) this.at = BLANKS.lastIndex;
    if (this.peek() !== "#") return;
    COMMENT.lastIndex = this.at;
    if (COMMENT.test(this.text)) this.at = COMMENT.lastIndex;
  }

  /** Moves to the next token, on whatever line. */
  skipNewlines(): void {
    this.skipBlanks();
    while (this.peek() === "\n") {
      this.readNewline();
      this.skipBlanks();
    }
  }

  /** Moves behind a newline and the here-documents that begin there. */
  readNewline(): void {
    this.at++;
    for (const { document, stripsTabs } of this.#pending.splice(0))
      document.body = this.#readDocument(document.delimiter, stripsTabs, document.isQuoted);
  }

  /** Expects a here-document after this line. */
  expectDocument(pending: PendingDocument): void {
    this.#pending.push(pending);
  }

  /** Ends the script: a here-document whose lines never came is empty. */
  finish(): void {
    this.#pending.length = 0;
  }

  /** Runs `read` one level deeper. */
  nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH)
      this.fail(`syntax error: more than ${MAX_DEPTH} levels of nesting`);
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  lineAt(offset: number): number {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + (this.options.firstLine ?? 1);
  }

  /** Replaces the alias here by its value. */
  replaceAlias(name: string, value: string): void {
    const end = this.at + name.length;
    this.text = this.text.slice(0, this.at) + value + this.text.slice(end);
    this.#lineStarts = undefined;
    const change = value.length - name.length;
    for (const outer of this.#aliases) outer.end += change;
    this.#aliases.push({ name, end: this.at + value.length });
    if (/[ \t]$/.test(value)) this.#nextAliasAt = this.at + value.length;
    else if (this.#nextAliasAt >= end) this.#nextAliasAt += change;
  }

  /** Reports whether the value of an alias is being read, in which that alias does not count again. */
  isWithinAlias(name: string): boolean {
    this.#aliases = this.#aliases.filter(({ end }) => end > this.at);
    return this.#aliases.some((alias) => alias.name === name);
  }

  /** Reports whether the word here follows the value of an alias that ends in a blank: it may be an alias, too. */
  isBehindOpenAlias(): boolean {
    if (this.#nextAliasAt < 0 || this.at < this.#nextAliasAt) return false;
    return /^(?:[ \t]|\\\n)*$/.test(this.text.slice(this.#nextAliasAt, this.at));
  }

  fail(message: string, at = this.at, isIncomplete = false): never {
    const start = this.text.lastIndexOf("\n", at - 1) + 1;
    const end = this.text.indexOf("\n", start);
    throw new ShellSyntaxError(message, {
      line: this.lineAt(at),
      column: at - start + 1,
      sourceLine: this.text.slice(start, end === -1 ? undefined : end),
      isIncomplete,
    });
  }

  /** Fails at the end of the script, which bash reports on the line after the last. */
  failAtEnd(): never {
    if (!this.text.endsWith("\n")) this.text += "\n";
    this.#lineStarts = undefined;
    return this.fail("syntax error: unexpected end of file", this.text.length, true);
  }

  failUnclosed(close: string, at: number): never {
    return this.fail(`unexpected EOF while looking for matching \`${close}'`, at, true);
  }

  #readDocument(delimiter: string, stripsTabs: boolean, isQuoted: boolean): string {
    const lines: string[] = [];
    let continued = "";
    while (!this.isAtEnd()) {
      const end = this.text.indexOf("\n", this.at);
      const raw = this.text.slice(this.at, end === -1 ? undefined : end);
      this.at = end === -1 ? this.text.length : end + 1;
      // A line that an unquoted document continues can't be its end.
      const line = stripsTabs && continued === "" ? raw.replace(/^\t+/, "") : raw;
      if (continued === "" && line === delimiter) break;
      lines.push(end === -1 ? line : `${line}\n`);
      continued = !isQuoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(raw) ? "continued" : "";
    }
    return lines.join("");
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
