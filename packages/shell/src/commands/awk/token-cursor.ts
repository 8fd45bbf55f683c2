import { tokenize, type Token } from "./lexer.ts";

const MAX_DEPTH = 200;

/** A cursor over the tokens of a program, with the lookups of a parser. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  #depth = 0;
  /** Index of the next token. */
  at = 0;

  constructor(source: string) {
    this.#tokens = tokenize(source);
  }

  peek(): Token {
    return this.#tokens[this.at] ?? { kind: "end", text: "", line: 0 };
  }

  is(...texts: string[]): boolean {
    const { kind, text } = this.peek();
    return (kind === "mark" || kind === "word") && texts.includes(text);
  }

  accept(...texts: string[]): boolean {
    if (!this.is(...texts)) return false;
    this.at += 1;
    return true;
  }

  wrong(): never {
    const { kind, text, line } = this.peek();
    const what = kind === "end" ? "end of the program" : text === "\n" ? "newline" : text;
    throw new Error(`syntax error at source line ${line}: unexpected ${what}`);
  }

  expect(text: string): void {
    if (!this.accept(text)) this.wrong();
  }

  newlines(): void {
    while (this.accept("\n"));
  }

  separators(): void {
    while (this.accept("\n", ";"));
  }

  nameNext(): string {
    const { kind, text } = this.peek();
    if (kind !== "name" && kind !== "call") return this.wrong();
    this.at += 1;
    return text;
  }

  /** Looks `ahead` tokens further. */
  ahead(ahead: number): Token | undefined {
    return this.#tokens[this.at + ahead];
  }

  nested<Value>(read: () => Value): Value {
    if (++this.#depth > MAX_DEPTH) throw new Error("the program is nested too deeply");
    const value = read();
    this.#depth -= 1;
    return value;
  }
}
