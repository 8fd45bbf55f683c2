import { compareNumbers, evaluateTextOrFiles, evaluateUnary } from "../run/conditional.ts";
import { type Process, report } from "../run/process.ts";
import { withTexts } from "./builtin.ts";

const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/;
const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const WRONG = 2;

class TestError extends Error {
  override readonly name = "TestError" as const;
}

export const test = withTexts(async (process, args, name) => {
  const words = [...args];
  if (name === "[" && words.pop() !== "]") {
    await report(process, "[: missing `]'");
    return WRONG;
  }
  try {
    return (await evaluate(process, words)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    await report(process, `${name}: ${error.message}`);
    return WRONG;
  }
});

/** The rules of POSIX for up to four arguments, and a grammar for more. */
async function evaluate(process: Process, words: readonly string[]): Promise<boolean> {
  const [first = "", second = "", third = ""] = words;
  if (words.length <= 1) return first !== "";
  if (words.length === 2) {
    if (first === "!") return second === "";
    if (UNARY.test(first)) return evaluateUnary(process, first, second);
    throw new TestError(`${first}: unary operator expected`);
  }
  if (words.length === 3) {
    if (BINARY.test(second)) return binary(process, second, [first, third]);
    if (second === "-a") return first !== "" && third !== "";
    if (second === "-o") return first !== "" || third !== "";
    if (first === "!") return !(await evaluate(process, words.slice(1)));
    if (first === "(" && third === ")") return second !== "";
    throw new TestError(`${second}: binary operator expected`);
  }
  if (words.length === 4 && first === "!") return !(await evaluate(process, words.slice(1)));
  if (words.length === 4 && first === "(" && words[3] === ")")
    return evaluate(process, words.slice(1, 3));
  const parser = { process, words, at: 0, depth: 0 };
  const result = await either(parser);
  const unread = words[parser.at];
  if (unread === undefined) return result;
  // One that looks like an operator is named.
  const isOperator = unread.startsWith("-");
  throw new TestError(isOperator ? `syntax error: \`${unread}' unexpected` : "too many arguments");
}

interface Parser {
  readonly process: Process;
  readonly words: readonly string[];
  at: number;
  depth: number;
}

async function either(parser: Parser): Promise<boolean> {
  let result = await both(parser);
  while (parser.words[parser.at] === "-o") {
    parser.at++;
    const right = await both(parser);
    result ||= right;
  }
  return result;
}

async function both(parser: Parser): Promise<boolean> {
  let result = await term(parser);
  while (parser.words[parser.at] === "-a") {
    parser.at++;
    const right = await term(parser);
    result &&= right;
  }
  return result;
}

async function term(parser: Parser): Promise<boolean> {
  const { process, words } = parser;
  if (++parser.depth > 1_000) throw new TestError("too many arguments");
  let isNegated = false;
  while (words[parser.at] === "!") {
    isNegated = !isNegated;
    parser.at++;
  }
  const word = words[parser.at];
  if (word === undefined) throw new TestError("argument expected");
  const next = words[parser.at + 1];
  let result: boolean;
  if (word === "(") {
    parser.at++;
    result = await either(parser);
    const closing = words[parser.at++];
    if (closing !== ")") throw new TestError(`\`)' expected, found ${closing ?? "]"}`);
  } else if (next !== undefined && BINARY.test(next) && parser.at + 2 < words.length) {
    result = await binary(process, next, [word, words[parser.at + 2] ?? ""]);
    parser.at += 3;
  } else if (UNARY.test(word) && next !== undefined) {
    result = await evaluateUnary(process, word, next);
    parser.at += 2;
  } else {
    result = word !== "";
    parser.at++;
  }
  parser.depth--;
  return result !== isNegated;
}

async function binary(
  process: Process,
  operator: string,
  [left, right]: [string, string],
): Promise<boolean> {
  if (operator === "=" || operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (NUMBERS.test(operator)) return compareNumbers(operator, integer(left), integer(right));
  return evaluateTextOrFiles(process, { operator, left, right });
}

function integer(text: string): bigint {
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new TestError(`${text}: integer expression expected`);
  return BigInt(text.trim().replace(/^\+/, ""));
}
