import { ArithmeticError } from "./error.ts";
import { parseArithmetic } from "./parse.ts";
import type { Expression, Target } from "./tree.ts";

/** Values that are expressions in turn, as in `a=b b=a`. */
const MAX_RECURSION = 100;
const MAX_CACHED = 1_000;
const MAX_CACHED_CHARACTERS = 200;

/** The variables of an expression. */
export interface ArithmeticVariables {
  /**
   * The place that a subscript, the text between brackets, stands for.
   * @param depth That of an expression which the subscript may be.
   */
  locate(name: string, subscript: string, depth: number): string;
  /** The value, or `undefined`; throws where `set -u` forbids that. */
  get(name: string, place: string | undefined): string | undefined;
  set(name: string, place: string | undefined, value: string): void;
}

const parsed = new Map<string, Expression>();

/** Evaluates an expression of 64-bit integers after the expansions in it. @throws {ArithmeticError} */
export function evaluateArithmetic(
  text: string,
  variables: ArithmeticVariables,
  depth = 0,
): bigint {
  return evaluateText(text, { text, variables, depth });
}

interface Context {
  /** The expression, for messages. */
  readonly text: string;
  readonly variables: ArithmeticVariables;
  readonly depth: number;
  /** In a part without a say, such as that behind `0 &&`: variables are 0, and only what can't be read is an error. */
  readonly isSkipped?: boolean;
}

function evaluateText(text: string, context: Context): bigint {
  // Most values are plain numbers.
  if (/^-?(?:0|[1-9]\d{0,17})$/.test(text)) return BigInt(text);
  if (context.depth > MAX_RECURSION)
    throw new ArithmeticError(context.text, "expression recursion level exceeded", text);
  return evaluate(parseCached(text), context);
}

function parseCached(text: string): Expression {
  const known = parsed.get(text);
  if (known) return known;
  const expression = parseArithmetic(text);
  if (text.length <= MAX_CACHED_CHARACTERS) {
    if (parsed.size >= MAX_CACHED) parsed.clear();
    parsed.set(text, expression);
  }
  return expression;
}

function evaluate(expression: Expression, context: Context): bigint {
  switch (expression.type) {
    case "number":
      return expression.value;
    case "variable":
      return read(located(expression, context), context);
    case "chain": {
      let value = evaluate(expression.first, context);
      for (const { operator, operand } of expression.rest)
        value = apply(operator, value, evaluate(operand, context), context);
      return value;
    }
    case "wrong":
      throw new ArithmeticError(expression.text, expression.reason, expression.token);
    case "and":
      return bit(!isAny(expression.operands, (value) => value === 0n, context));
    case "or":
      return bit(isAny(expression.operands, (value) => value !== 0n, context));
    case "sequence":
      return expression.operands.reduce((_, operand) => evaluate(operand, context), 0n);
    case "unary":
      return expression.operators.reduceRight(
        (value, operator) => sign(operator, value),
        evaluate(expression.operand, context),
      );
    case "update": {
      const target = located(expression.target, context);
      const before = read(target, context);
      const after = BigInt.asIntN(64, expression.operator === "++" ? before + 1n : before - 1n);
      assign(target, after, context);
      return expression.isPrefix ? after : before;
    }
    case "assign": {
      const { operator } = expression;
      if (operator === "") {
        const value = evaluate(expression.value, context);
        assign(located(expression.target, context), value, context);
        return value;
      }
      // The former value counts before the right side changes it.
      const target = located(expression.target, context);
      const before = read(target, context);
      const value = apply(operator, before, evaluate(expression.value, context), context);
      assign(target, value, context);
      return value;
    }
    case "choice": {
      const isYes = evaluate(expression.condition, context) !== 0n;
      const yes = evaluate(expression.yes, isYes ? context : skipped(context));
      const no = evaluate(expression.no, isYes ? skipped(context) : context);
      return isYes ? yes : no;
    }
  }
}

function skipped(context: Context): Context {
  return { ...context, isSkipped: true };
}

/** Reports whether one of the operands has a value that counts; those behind it are skipped. */
function isAny(
  operands: readonly Expression[],
  counts: (value: bigint) => boolean,
  context: Context,
): boolean {
  let isFound = false;
  for (const operand of operands) {
    const value = evaluate(operand, isFound ? skipped(context) : context);
    isFound ||= counts(value);
  }
  return isFound;
}

/** A variable with its place in an array, which is looked up once for reading and writing. */
interface Located {
  readonly name: string;
  readonly place: string | undefined;
}

function located({ name, subscript }: Target, context: Context): Located {
  if (subscript === undefined || context.isSkipped) return { name, place: undefined };
  return { name, place: context.variables.locate(name, subscript, context.depth + 1) };
}

function read({ name, place }: Located, context: Context): bigint {
  if (context.isSkipped) return 0n;
  const value = context.variables.get(name, place);
  if (value === undefined || value === "") return 0n;
  return evaluateText(value, { ...context, text: value, depth: context.depth + 1 });
}

function assign({ name, place }: Located, value: bigint, { variables, isSkipped }: Context): void {
  if (!isSkipped) variables.set(name, place, String(value));
}

function bit(value: boolean): bigint {
  return value ? 1n : 0n;
}

function sign(operator: string, value: bigint): bigint {
  if (operator === "!") return bit(value === 0n);
  if (operator === "~") return ~value;
  return operator === "-" ? BigInt.asIntN(64, -value) : value;
}

function apply(operator: string, left: bigint, right: bigint, context: Context): bigint {
  const { text, isSkipped } = context;
  switch (operator) {
    case "+":
      return BigInt.asIntN(64, left + right);
    case "-":
      return BigInt.asIntN(64, left - right);
    case "*":
      return BigInt.asIntN(64, left * right);
    case "/":
    case "%":
      if (right === 0n && isSkipped) return 0n;
      if (right === 0n)
        throw new ArithmeticError(text, "division by 0", lastOperand(text, operator));
      return BigInt.asIntN(64, operator === "/" ? left / right : left % right);
    case "**":
      if (right < 0n)
        throw new ArithmeticError(text, "exponent less than 0", lastOperand(text, "**"));
      return power(left, right);
    case "<<":
      return BigInt.asIntN(64, left << (right & 63n));
    case ">>":
      return left >> (right & 63n);
    case "&":
      return left & right;
    case "^":
      return left ^ right;
    case "|":
      return left | right;
    default:
      return bit(compare(operator, left, right));
  }
}

function compare(operator: string, left: bigint, right: bigint): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (operator === "<") return left < right;
  if (operator === ">") return left > right;
  return operator === "<=" ? left <= right : left >= right;
}

/** By squaring, in 64 bits at each step: the exponent may be as large as they are. */
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

function lastOperand(text: string, operator: string): string {
  return text.slice(text.lastIndexOf(operator) + operator.length).trimStart();
}
