import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { compileGroups } from "../search/pattern.ts";

/** The status of an invalid expression. */
const INVALID = 2;

/** Evaluates an expression: arithmetic with any number of digits, comparisons, `|`, `&`, `:` and functions on text. */
export const expr: ShellCommand = {
  name: "expr",
  async run(args) {
    try {
      const words = args[0] === "--" ? args.slice(1) : args;
      if (words.length === 0) throw new Error("missing operand");
      const value = await new Expression(words).value();
      return { stdout: `${value}\n`, exitCode: isNull(value) ? 1 : 0 };
    } catch (error) {
      return { stderr: `expr: ${errorMessage(error)}\n`, exitCode: INVALID };
    }
  },
};

/** The binary operators, from the weakest to the strongest. */
const LEVELS: readonly (readonly string[])[] = [
  ["|"],
  ["&"],
  ["<", "<=", "=", "==", "!=", ">=", ">"],
  ["+", "-"],
  ["*", "/", "%"],
  [":"],
];

class Expression {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  async value(): Promise<string> {
    const value = await this.#level(0);
    const extra = this.#words[this.#at];
    if (extra !== undefined) throw new Error(`syntax error: unexpected argument '${extra}'`);
    return value;
  }

  async #level(level: number): Promise<string> {
    const operators = LEVELS[level];
    if (!operators) return this.#primary();
    let left = await this.#level(level + 1);
    for (;;) {
      const operator = this.#words[this.#at];
      if (operator === undefined || !operators.includes(operator)) return left;
      this.#at += 1;
      left = await applied(operator, left, await this.#level(level + 1));
    }
  }

  #next(): string {
    const word = this.#words[this.#at];
    if (word === undefined)
      throw new Error(`syntax error: missing argument after '${this.#words.at(-1) ?? ""}'`);
    this.#at += 1;
    return word;
  }

  async #primary(): Promise<string> {
    const word = this.#next();
    if (word === "(") {
      const value = await this.#level(0);
      const end = this.#words[this.#at];
      if (end === undefined) throw new Error("syntax error: expecting ')' after the last argument");
      if (end !== ")") throw new Error(`syntax error: expecting ')' instead of '${end}'`);
      this.#at += 1;
      return value;
    }
    if (word === ")") throw new Error("syntax error: unexpected ')'");
    if (word === "+") return this.#next();
    const isLast = this.#at === this.#words.length;
    if (isLast) return word;
    if (word === "length") return String(Array.from(await this.#primary()).length);
    if (word === "match") return matched(await this.#primary(), await this.#primary());
    if (word === "index") {
      const [text, characters] = [await this.#primary(), await this.#primary()];
      return String(Array.from(text).findIndex((one) => characters.includes(one)) + 1);
    }
    if (word !== "substr") return word;
    const text = Array.from(await this.#primary());
    const [from, count] = [Number(await this.#primary()), Number(await this.#primary())];
    return from > 0 && count > 0 ? text.slice(from - 1, from - 1 + count).join("") : "";
  }
}

async function applied(operator: string, left: string, right: string): Promise<string> {
  if (operator === ":") return matched(left, right);
  if (operator === "|") return isNull(left) ? (isNull(right) ? "0" : right) : left;
  if (operator === "&") return isNull(left) || isNull(right) ? "0" : left;
  if (LEVELS[2]?.includes(operator)) return compared(operator, left, right) ? "1" : "0";
  const [one, other] = [integerOf(left), integerOf(right)];
  if (one === undefined || other === undefined) throw new Error("non-integer argument");
  if (operator === "+") return String(one + other);
  if (operator === "-") return String(one - other);
  if (operator === "*") return String(one * other);
  if (other === 0n) throw new Error("division by zero");
  return String(operator === "/" ? one / other : one % other);
}

function isNull(value: string): boolean {
  return value === "" || /^-?0+$/.test(value);
}

function integerOf(text: string): bigint | undefined {
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

function compared(operator: string, left: string, right: string): boolean {
  const [one, other] = [integerOf(left), integerOf(right)];
  const isNumeric = one !== undefined && other !== undefined;
  const order = isNumeric ? sign(one, other) : sign(left, right);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  if (operator === ">") return order > 0;
  if (operator === ">=") return order >= 0;
  return operator === "!=" ? order !== 0 : order === 0;
}

function sign<Value extends bigint | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The first group of a match at the start of the text, or without groups its length. */
async function matched(text: string, source: string): Promise<string> {
  const hasGroup = /(?<!\\)(?:\\\\)*\\\(/.test(source);
  const pattern = await compileGroups(`^${source.replace(/^\^/, "")}`, {
    isExtended: false,
    isCaseIgnored: false,
    isMultiline: false,
  });
  const groups = pattern.find(text, 0);
  const [start, end] = groups?.[hasGroup ? 1 : 0] ?? [-1, -1];
  const found = start < 0 ? "" : text.slice(start, end);
  return hasGroup ? found : String(Array.from(found).length);
}
