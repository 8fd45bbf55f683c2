import { LinearSyntaxError } from "./syntax.ts";

/** A place in the source of an expression, which moves forward. */
export class SourceReader {
  readonly source: string;
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  /** Reports whether `text` is next. */
  isNext(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  /** Goes behind `text` if it is next. */
  skip(text: string): boolean {
    const isNext = this.isNext(text);
    if (isNext) this.at += text.length;
    return isNext;
  }

  /** The next unit; empty at the end. */
  take(): string {
    return this.source.charAt(this.at++);
  }

  /** The next character as a code point; not to be called at the end. */
  takeCode(): number {
    const code = this.source.codePointAt(this.at) ?? 0;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }

  /** The text up to `end`, behind which the reader goes; `undefined` without one. */
  takeUntil(end: string): string | undefined {
    const to = this.source.indexOf(end, this.at);
    if (to < 0) return undefined;
    const text = this.source.slice(this.at, to);
    this.at = to + end.length;
    return text;
  }

  takeRest(): string {
    const text = this.source.slice(this.at);
    this.at = this.source.length;
    return text;
  }

  /** Goes behind what matches the sticky `expression` here. */
  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.source) ?? undefined;
    if (match) this.at += match[0].length;
    return match;
  }

  fail(problem: string, position = Math.min(this.at, this.source.length)): never {
    throw new LinearSyntaxError(problem, position);
  }
}
