import { endOfSubscript } from "../text/subscript-end.ts";
import type { Expression, Target } from "./tree.ts";

const MAX_DEPTH = 200;
const MAX_BASE = 64;
const NUMBER = /(?:\d+#[\w@]*|0[xX][\da-fA-F]*|\d[\w@]*)/y;
const NAME = /[A-Za-z_]\w*/y;
const SPACE = /[ \t\n]*/y;
/** Characters that begin nothing in an expression. */
const STRAY = /[^\w\s!~+*/%<>=&|^?:,()[\]-]/y;
const ASSIGNMENT = /(\*|\/|%|\+|-|<<|>>|&|\^|\|)?=(?!=)/y;
/** Binary operators by rank, loosest first. */
const RANKS: readonly RegExp[] = [
  /\|(?![|=])/y,
  /\^(?!=)/y,
  /&(?![&=])/y,
  /[=!]=/y,
  /[<>]=|[<>](?![<>])/y,
  /(?:<<|>>)(?!=)/y,
  /[+-](?!=)/y,
  /(?:\*(?!\*)|\/|%)(?!=)/y,
];

/** Parses an expression after the expansions in it. Errors are parts of it, since what precedes them still counts. */
export function parseArithmetic(text: string): Expression {
  const parser = new ArithmeticParser(text);
  return parser.parse();
}

class ArithmeticParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #wrong: Wrong | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Expression {
    this.#skip();
    if (this.#at === this.#text.length) return { type: "number", value: 0n };
    const expression = this.#sequence();
    if (this.#at === this.#text.length) return expression;
    const wrong = this.#strayed() ?? this.#fail("syntax error in expression");
    return { type: "sequence", operands: [expression, wrong] };
  }

  #sequence(): Expression {
    return this.#list("sequence", /,/y, () => this.#assignment());
  }

  #list(type: "sequence" | "or" | "and", separator: RegExp, read: () => Expression): Expression {
    const first = read();
    if (this.#accept(separator) === undefined) return first;
    const operands = [first, read()];
    while (this.#accept(separator) !== undefined) operands.push(read());
    return { type, operands };
  }

  #assignment(): Expression {
    return this.#nested(() => this.#assignmentOrChoice());
  }

  #nested(read: () => Expression): Expression {
    if (++this.#depth > MAX_DEPTH) return this.#fail("expression recursion level exceeded");
    const result = read();
    this.#depth--;
    return result;
  }

  #assignmentOrChoice(): Expression {
    const left = this.#choice();
    const at = this.#at;
    const operator = this.#accept(ASSIGNMENT);
    if (operator === undefined) return left;
    if (left.type !== "variable") {
      const wrong = this.#fail("attempted assignment to non-variable", at);
      return { type: "sequence", operands: [left, wrong] };
    }
    return {
      type: "assign",
      operator: operator.slice(0, -1),
      target: left,
      value: this.#assignment(),
    };
  }

  #choice(): Expression {
    const condition = this.#list("or", /\|\|/y, () =>
      this.#list("and", /&&/y, () => this.#binary(0)),
    );
    if (this.#accept(/\?/y) === undefined) return condition;
    const yes = this.#peek(/:/y) ? this.#fail("expression expected") : this.#sequence();
    return { type: "choice", condition, yes, no: this.#otherwise() };
  }

  #otherwise(): Expression {
    if (this.#accept(/:/y) === undefined)
      return this.#fail("`:' expected for conditional expression");
    if (this.#at === this.#text.length) return this.#fail("expression expected");
    return this.#nested(() => this.#choice());
  }

  #binary(rank: number): Expression {
    const operators = RANKS[rank];
    if (!operators) return this.#power();
    const first = this.#binary(rank + 1);
    let operator = this.#accept(operators);
    if (operator === undefined) return first;
    const rest: { operator: string; operand: Expression }[] = [];
    for (; operator !== undefined; operator = this.#accept(operators))
      rest.push({ operator, operand: this.#binary(rank + 1) });
    return { type: "chain", first, rest };
  }

  /** Powers associate to the right, and bind less than a sign: `-2 ** 2` is 4. */
  #power(): Expression {
    const operands = [this.#unary()];
    while (this.#accept(/\*\*/y) !== undefined) operands.push(this.#unary());
    return operands.reduceRight((right, left) => ({
      type: "chain",
      first: left,
      rest: [{ operator: "**", operand: right }],
    }));
  }

  #unary(): Expression {
    const operators: string[] = [];
    for (;;) {
      const start = this.#at;
      const update = this.#accept(/\+\+|--/y);
      if (update !== undefined) {
        if (this.#peek(NAME)) {
          const target = this.#variable();
          if (target.type === "wrong") return target;
          const operator = update === "++" ? "++" : "--";
          return withSigns(operators, { type: "update", operator, isPrefix: true, target });
        }
        // Signs: `--1` is 1, and `---n` is `-(--n)`.
        this.#at = start + 1;
        operators.push(update.charAt(0));
        continue;
      }
      const operator = this.#accept(/[!~+-]/y);
      if (operator === undefined) return withSigns(operators, this.#postfix());
      operators.push(operator);
    }
  }

  #postfix(): Expression {
    const operand = this.#primary();
    if (operand.type !== "variable") return operand;
    const operator = this.#accept(/\+\+|--/y);
    if (operator === undefined) return operand;
    return {
      type: "update",
      operator: operator === "++" ? "++" : "--",
      isPrefix: false,
      target: operand,
    };
  }

  #primary(): Expression {
    if (this.#accept(/\(/y) !== undefined) {
      const inner = this.#sequence();
      if (this.#accept(/\)/y) !== undefined) return inner;
      return { type: "sequence", operands: [inner, this.#fail("missing `)'")] };
    }
    if (this.#peek(NAME)) return this.#variable();
    const start = this.#at;
    const digits = this.#accept(NUMBER);
    if (digits === undefined) return this.#fail("syntax error: operand expected");
    const value = parseNumber(digits);
    if (typeof value === "bigint") return { type: "number", value };
    return this.#fail(value, start, start + digits.length);
  }

  #variable(): Target | Wrong {
    const { lastIndex } = NAME;
    const name = this.#text.slice(this.#at, lastIndex);
    this.#at = lastIndex;
    const open = this.#at;
    const subscript = this.#text[open] === "[" ? this.#subscript() : undefined;
    if (subscript === undefined && this.#text[open] === "[")
      return this.#fail("bad array subscript", open);
    this.#skip();
    return this.#strayed() ?? { type: "variable", name, subscript };
  }

  /** Fails at what is part of no expression; a variable before it is not even read. */
  #strayed(): Wrong | undefined {
    return this.#peek(STRAY) ? this.#fail("syntax error: invalid arithmetic operator") : undefined;
  }

  /** The text between brackets; `undefined` when they never close. */
  #subscript(): string | undefined {
    const start = this.#at + 1;
    const end = endOfSubscript(this.#text, this.#at);
    if (end === -1) return undefined;
    this.#at = end + 1;
    return this.#text.slice(start, end);
  }

  #skip(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  /** Reports whether a token is here; leaves `lastIndex` behind it. */
  #peek(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #accept(pattern: RegExp): string | undefined {
    if (!this.#peek(pattern)) return undefined;
    const token = this.#text.slice(this.#at, pattern.lastIndex);
    this.#at = pattern.lastIndex;
    this.#skip();
    return token;
  }

  /** Ends the expression here; the first reason counts. */
  #fail(reason: string, at = this.#at, end = this.#text.length): Wrong {
    if (this.#wrong) return this.#wrong;
    // At the end, bash names the last operator.
    const start = at < this.#text.length ? at : this.#text.trimEnd().search(/[^\w)\s]*$/);
    this.#at = this.#text.length;
    const text = this.#text.slice(0, end);
    return (this.#wrong = { type: "wrong", reason, token: text.slice(start), text });
  }
}

type Wrong = Extract<Expression, { type: "wrong" }>;

function withSigns(operators: readonly string[], operand: Expression): Expression {
  return operators.length === 0 ? operand : { type: "unary", operators, operand };
}

/** The value of a constant, or the reason why it has none. */
function parseNumber(text: string): bigint | string {
  const mark = text.indexOf("#");
  if (mark === -1) {
    const isHex = /^0[xX]/.test(text);
    if (isHex) return digitsOf(text.slice(2), 16n);
    return text.length > 1 && text.startsWith("0") ? digitsOf(text, 8n) : digitsOf(text, 10n);
  }
  const base = BigInt(text.slice(0, mark));
  if (base < 2n || base > MAX_BASE) return "invalid arithmetic base";
  const digits = text.slice(mark + 1);
  return digits === "" ? "invalid integer constant" : digitsOf(digits, base);
}

function digitsOf(text: string, base: bigint): bigint | string {
  if (base === 10n && /^\d+$/.test(text)) return BigInt.asIntN(64, BigInt(text));
  let value = 0n;
  for (const character of text) {
    const digit = digitOf(character, base);
    if (digit === undefined || digit >= base) return "value too great for base";
    value = BigInt.asIntN(64, value * base + digit);
  }
  return value;
}

function digitOf(character: string, base: bigint): bigint | undefined {
  if (/\d/.test(character)) return BigInt(character);
  if (/[a-z]/.test(character)) return BigInt(character.charCodeAt(0) - 87);
  if (/[A-Z]/.test(character)) return BigInt(character.charCodeAt(0) - (base <= 36n ? 55 : 29));
  return character === "@" ? 62n : character === "_" ? 63n : undefined;
}
