import { ProgramError } from "./tree.ts";

export type TokenType =
  | "name"
  | "variable"
  | "field"
  | "number"
  | "string"
  | "format"
  | "operator"
  | "keyword"
  | "end";

export interface Token {
  readonly type: TokenType;
  /** The name, the number's digits, or the operator; of a field, what follows the dot. */
  readonly text: string;
  readonly at: number;
  /** Texts of a string, and the tokens of what is inserted between them. */
  readonly parts?: readonly (string | readonly Token[])[];
}

const KEYWORDS: ReadonlySet<string> = new Set(
  "module def if then elif else end as reduce foreach try catch label import include and or __loc__".split(
    " ",
  ),
);

const TOKEN =
  /(?<blank>[\s]+|#[^\n]*)|(?<field>\.[a-zA-Z_]\w*)|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<variable>\$(?:__loc__|[a-zA-Z_]\w*(?:::[a-zA-Z_]\w*)*))|(?<name>[a-zA-Z_]\w*(?:::[a-zA-Z_]\w*)*)|(?<format>@\w+)|(?<operator>\?\/\/=?|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.[\]{}(),:;=<>+\-*/%|?$"])/y;

const MAX_DEPTH = 1_000;

/** Splits a program into tokens; what a string inserts has tokens of its own. */
export function tokensOf(source: string): readonly Token[] {
  return new Lexer(source).read(undefined, 0);
}

class Lexer {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads to the end, or to the parenthesis that closes what a string inserts. */
  read(opened: number | undefined, depth: number): Token[] {
    if (depth > MAX_DEPTH) throw new ProgramError("strings are nested too deeply", this.#at);
    const tokens: Token[] = [];
    let open = 0;
    while (this.#at < this.#source.length) {
      const at = this.#at;
      TOKEN.lastIndex = at;
      const groups = TOKEN.exec(this.#source)?.groups;
      if (!groups) throw new ProgramError("syntax error, unexpected INVALID_CHARACTER", at);
      this.#at = TOKEN.lastIndex;
      if (groups["blank"] !== undefined) continue;
      if (groups["operator"] === '"') {
        tokens.push({ type: "string", text: "", at, parts: this.#string(at, depth) });
        continue;
      }
      const token = tokenOf(groups, at);
      if (token.text === "(") open++;
      if (token.text === ")" && open-- === 0 && opened !== undefined) {
        tokens.push({ type: "end", text: ")", at });
        return tokens;
      }
      tokens.push(token);
    }
    if (opened !== undefined) throw new ProgramError("syntax error, unexpected $end", opened);
    tokens.push({ type: "end", text: "$end", at: this.#at });
    return tokens;
  }

  #string(start: number, depth: number): (string | readonly Token[])[] {
    const parts: (string | readonly Token[])[] = [];
    let text = "";
    for (;;) {
      const at = this.#at++;
      const character = this.#source.charAt(at);
      if (character === "") throw new ProgramError("syntax error, unexpected $end", start);
      if (character === '"') break;
      if (character !== "\\") {
        text += character;
        continue;
      }
      if (this.#source.charAt(this.#at) !== "(") {
        text += this.#escape(at);
        continue;
      }
      this.#at++;
      parts.push(text, this.read(at, depth + 1));
      text = "";
    }
    parts.push(text);
    return parts;
  }

  #escape(at: number): string {
    const unit = /^\\u([\da-fA-F]{4})/.exec(this.#source.slice(at, at + 6))?.[1];
    if (unit !== undefined) {
      this.#at = at + 6;
      return String.fromCharCode(Number.parseInt(unit, 16));
    }
    const letter = this.#source.charAt(this.#at++);
    const index = 'nrtbf"\\/'.indexOf(letter);
    if (index === -1 || letter === "") throw new ProgramError("Invalid escape", at);
    return '\n\r\t\b\f"\\/'.charAt(index);
  }
}

function tokenOf(groups: Record<string, string | undefined>, at: number): Token {
  const { field, number, variable, name, format, operator } = groups;
  if (field !== undefined) return { type: "field", text: field.slice(1), at };
  if (number !== undefined) return { type: "number", text: number, at };
  if (variable !== undefined) return { type: "variable", text: variable.slice(1), at };
  if (name !== undefined) return { type: KEYWORDS.has(name) ? "keyword" : "name", text: name, at };
  if (format !== undefined) return { type: "format", text: format.slice(1), at };
  return { type: "operator", text: operator ?? "", at };
}
