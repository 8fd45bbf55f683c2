import type { Conditional } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import type { Scanner } from "./scanner.ts";
import { failUnexpected } from "./tokens.ts";
import { plainTextOf, readWordIn } from "./words.ts";

const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const BINARY = /^(?:=|==|!=|=~|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const PLAIN = { quoting: "none", ends: " \t\n;&|()<>", hasProcesses: true } as const;
const PATTERN = { ...PLAIN, hasExtendedPatterns: true } as const;
const EXPRESSION = { quoting: "none", ends: " \t\n", brackets: "()" } as const;
/** A regular expression between parentheses of the conditional, which one of its own need not close. */
const GROUPED_EXPRESSION = { ...EXPRESSION, ends: `${EXPRESSION.ends})` };

type ExpressionMode = typeof EXPRESSION | typeof GROUPED_EXPRESSION;

/** Reads the expression behind `[[`, and the `]]`. */
export function readConditional(scanner: Scanner): Conditional {
  const expression = readOr(scanner, EXPRESSION);
  scanner.skipNewlines();
  if (!isClosing(scanner)) failUnexpected(scanner);
  scanner.at += 2;
  return expression;
}

function readOr(scanner: Scanner, mode: ExpressionMode): Conditional {
  return readChain(scanner, "||", () => readChain(scanner, "&&", () => readTerm(scanner, mode)));
}

function readChain(scanner: Scanner, operator: "&&" | "||", read: () => Conditional): Conditional {
  const first = read();
  const operands = [first];
  for (;;) {
    scanner.skipNewlines();
    if (!scanner.accept(operator)) break;
    operands.push(read());
  }
  return operands.length === 1 ? first : { type: operator === "&&" ? "and" : "or", operands };
}

function readTerm(scanner: Scanner, mode: ExpressionMode): Conditional {
  let isNegated = false;
  for (;;) {
    scanner.skipNewlines();
    if (!/^![\s(]/.test(scanner.text.slice(scanner.at, scanner.at + 2))) break;
    scanner.at++;
    isNegated = !isNegated;
  }
  const term = scanner.peek() === "(" ? readGroup(scanner) : readTest(scanner, mode);
  return isNegated ? { type: "not", operand: term } : term;
}

function readGroup(scanner: Scanner): Conditional {
  scanner.at++;
  const expression = scanner.nested(() => readOr(scanner, GROUPED_EXPRESSION));
  scanner.skipNewlines();
  if (!scanner.accept(")")) failUnexpected(scanner);
  // A negation is that of the group, in a trace as well.
  return { type: "and", operands: [expression] };
}

function readTest(scanner: Scanner, expression: ExpressionMode): Conditional {
  if (isClosing(scanner)) failUnexpected(scanner);
  const left = readOperand(scanner) ?? failUnexpected(scanner);
  const name = plainTextOf(left);
  scanner.skipBlanks();
  if (name !== undefined && UNARY.test(name) && !isOver(scanner)) {
    const { at } = scanner;
    const operand = readOperand(scanner);
    if (operand) return { type: "unary", operator: name, operand };
    scanner.at = at;
  }
  const operator = readBinaryOperator(scanner);
  if (operator === undefined) {
    if (isOver(scanner)) return { type: "unary", operator: "-n", operand: left };
    return scanner.fail("syntax error: conditional binary operator expected");
  }
  scanner.skipBlanks();
  if (isClosing(scanner)) failUnexpected(scanner);
  const mode = operator === "=~" ? expression : PATTERN;
  const { at } = scanner;
  const right = readWordIn(scanner, mode);
  if (scanner.at === at) failUnexpected(scanner);
  return { type: "binary", operator, left, right };
}

function readOperand(scanner: Scanner): Word | undefined {
  const { at } = scanner;
  const word = readWordIn(scanner, PLAIN);
  return scanner.at === at ? undefined : word;
}

function readBinaryOperator(scanner: Scanner): string | undefined {
  const symbol = scanner.peek();
  if ((symbol === "<" || symbol === ">") && scanner.peek(1) !== "(") {
    scanner.at++;
    return symbol;
  }
  const { at } = scanner;
  const word = readOperand(scanner);
  const operator = word && plainTextOf(word);
  if (operator !== undefined && BINARY.test(operator)) return operator;
  scanner.at = at;
  return undefined;
}

function isClosing(scanner: Scanner): boolean {
  return /^\]\](?:[\s;&|()<>]|$)/.test(scanner.text.slice(scanner.at, scanner.at + 3));
}

/** Reports whether no further operand follows. */
function isOver(scanner: Scanner): boolean {
  const character = scanner.peek();
  return (
    isClosing(scanner) ||
    character === ")" ||
    character === "\n" ||
    ((character === "&" || character === "|") && scanner.peek(1) === character)
  );
}
