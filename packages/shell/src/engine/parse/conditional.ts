import type { Conditional } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import type { Scanner } from "./scanner.ts";
import { ShellSyntaxError } from "./syntax-error.ts";
import { peekOperator } from "./tokens.ts";
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
  try {
    const expression = readOr(scanner, EXPRESSION);
    scanner.skipNewlines();
    if (!isClosing(scanner)) {
      const token = tokenHere(scanner);
      const which = token.isWord ? "" : `: unexpected token \`${token.text}'`;
      scanner.fail(`syntax error in conditional expression${which}`);
    }
    scanner.at += 2;
    return expression;
  } catch (error) {
    if (error instanceof ShellSyntaxError && !error.isSubstitution) error.isOfTest = true;
    throw error;
  }
}

/** The token at which a test is wrong. @throws {ShellSyntaxError} at the end of the script */
function tokenHere(scanner: Scanner): { text: string; isWord: boolean } {
  scanner.skipBlanks();
  if (scanner.isAtEnd())
    return scanner.fail("unexpected EOF while looking for `]]'", scanner.at, true);
  if (scanner.peek() === "\n") return { text: "newline", isWord: false };
  if (isClosing(scanner)) return { text: "]]", isWord: false };
  const operator = peekOperator(scanner);
  return operator === undefined ? { text: "", isWord: true } : { text: operator, isWord: false };
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
  if (!scanner.accept(")")) {
    const token = tokenHere(scanner);
    scanner.fail(`${token.isWord ? "" : `unexpected token \`${token.text}', `}expected \`)'`);
  }
  // A negation is that of the group, in a trace as well.
  return { type: "and", operands: [expression] };
}

function readTest(scanner: Scanner, expression: ExpressionMode): Conditional {
  // Bash has no words for a test without a word.
  if (isClosing(scanner)) scanner.fail("");
  const left = readOperand(scanner) ?? failAtToken(scanner, "in conditional command");
  const name = plainTextOf(left);
  scanner.skipBlanks();
  if (name !== undefined && UNARY.test(name)) {
    const operand = isClosing(scanner) ? undefined : readOperand(scanner);
    if (operand) return { type: "unary", operator: name, operand };
    return scanner.fail(
      `unexpected argument \`${tokenHere(scanner).text}' to conditional unary operator`,
    );
  }
  const operator = readBinaryOperator(scanner);
  if (operator === undefined) {
    if (isOver(scanner)) return { type: "unary", operator: "-n", operand: left };
    const { text, isWord } = tokenHere(scanner);
    const which = isWord ? "" : `unexpected token \`${text}', `;
    return scanner.fail(`${which}conditional binary operator expected`);
  }
  scanner.skipBlanks();
  const { at } = scanner;
  const right = isClosing(scanner)
    ? undefined
    : readWordIn(scanner, operator === "=~" ? expression : PATTERN);
  if (right && scanner.at > at) return { type: "binary", operator, left, right };
  return scanner.fail(
    `unexpected argument \`${tokenHere(scanner).text}' to conditional binary operator`,
  );
}

function failAtToken(scanner: Scanner, where: string): never {
  return scanner.fail(`unexpected token \`${tokenHere(scanner).text}' ${where}`);
}

function readOperand(scanner: Scanner): Word | undefined {
  const { at } = scanner;
  const word = readWordIn(scanner, PLAIN);
  return scanner.at === at ? undefined : word;
}

function readBinaryOperator(scanner: Scanner): string | undefined {
  const symbol = peekOperator(scanner);
  if (symbol === "<" || symbol === ">") {
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
    ((character === "&" || character === "|") && scanner.peek(1) === character)
  );
}
