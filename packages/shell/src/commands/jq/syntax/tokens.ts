import type { Token } from "./lexer.ts";
import { ProgramError } from "./tree.ts";

const MAX_DEPTH = 400;

/** Reads tokens one after the other. */
export class Tokens {
  readonly #tokens: Token[];
  readonly #ending: Token;
  #index = 0;
  #depth: number;

  /** `depth`: nesting of what the tokens are part of */
  constructor(tokens: readonly Token[], depth = 0) {
    this.#tokens = [...tokens];
    this.#ending = tokens.at(-1) ?? { type: "end", text: "$end", at: 0 };
    this.#depth = depth;
  }

  get depth(): number {
    return this.#depth;
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#index + ahead] ?? this.#ending;
  }

  next(): Token {
    const token = this.peek();
    this.#index++;
    return token;
  }

  is(text: string): boolean {
    const token = this.peek();
    return token.text === text && (token.type === "operator" || token.type === "keyword");
  }

  /** Reads a token of this text if it is next. */
  take(text: string): boolean {
    const isNext = this.is(text);
    if (isNext) this.#index++;
    return isNext;
  }

  /** Reads a question mark; in `?//`, which only is one operator between patterns, too. */
  takeMark(): boolean {
    const token = this.peek();
    if (!this.is("?//") && !this.is("?//=")) return this.take("?");
    this.#tokens[this.#index] = { ...token, text: token.text.slice(1), at: token.at + 1 };
    return true;
  }

  expect(text: string): Token {
    if (!this.is(text)) this.fail();
    return this.next();
  }

  fail(token = this.peek()): never {
    const what = token.type === "string" ? "QQSTRING_START" : token.text;
    throw new ProgramError(`syntax error, unexpected ${what}`, token.at);
  }

  /** Reads something nested, up to a depth that the stack has room for. */
  nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH)
      throw new ProgramError("the program is nested too deeply", this.peek().at);
    const result = read();
    this.#depth--;
    return result;
  }
}
