import type {
  CaseClause,
  CompoundBody,
  CompoundCommand,
  ForExpression,
  List,
  SimpleCommand,
} from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { readCommand, readList } from "./commands.ts";
import { readConditional } from "./conditional.ts";
import { readRedirections } from "./redirections.ts";
import type { Scanner } from "./scanner.ts";
import { expectReserved, failUnexpected, peekOperator, peekReserved } from "./tokens.ts";
import { closesTwice, plainTextOf, readArithmeticText, readWord, readWordIn } from "./words.ts";

/** Reads a compound command with its redirections; `undefined` when none begins here. */
export function readCompound(scanner: Scanner): CompoundCommand | undefined {
  const { at } = scanner;
  const body = scanner.nested(() => readBody(scanner));
  if (!body) return undefined;
  // A subshell is in the line of its end.
  const line = scanner.lineAt(body.type === "subshell" ? scanner.at - 1 : at);
  return { ...body, at, line, redirections: readRedirections(scanner) };
}

function readBody(scanner: Scanner): CompoundBody | undefined {
  if (scanner.peek() === "(") return readParenthesised(scanner);
  const word = peekReserved(scanner);
  if (word === undefined || !Object.hasOwn(READERS, word)) return undefined;
  const reader = READERS[word];
  if (!reader) return undefined;
  scanner.at += word.length;
  return reader(scanner);
}

const READERS: Readonly<Record<string, ((scanner: Scanner) => CompoundBody) | undefined>> = {
  "{": (scanner) => ({ type: "group", body: readUntil(scanner, "}") }),
  "[[": (scanner) => {
    const start = scanner.at - 2;
    const expression = readConditional(scanner);
    return { type: "conditional", expression, text: scanner.sliceFrom(start) };
  },
  if: readIf,
  while: (scanner) => readWhile(scanner, false),
  until: (scanner) => readWhile(scanner, true),
  for: readFor,
  select: (scanner) => readForWords(scanner, "select"),
  case: readCase,
  coproc: readCoprocess,
};

function readParenthesised(scanner: Scanner): CompoundBody {
  if (scanner.peek(1) === "(" && closesTwice(scanner, scanner.at + 1)) {
    const start = scanner.at;
    scanner.at += 2;
    const expression = readArithmeticText(scanner);
    scanner.at += 2;
    return { type: "arithmetic", expression, text: scanner.sliceFrom(start) };
  }
  const start = scanner.at++;
  const body = readList(scanner, { isEnd: () => scanner.peek() === ")" });
  scanner.at++;
  return { type: "subshell", text: scanner.sliceFrom(start), body };
}

/** Reads commands up to one of these reserved words, which is left. */
function readBefore(scanner: Scanner, ...ends: readonly string[]): List {
  return readList(scanner, { isEnd: () => ends.includes(peekReserved(scanner) ?? "") });
}

function readUntil(scanner: Scanner, end: string): List {
  const body = readBefore(scanner, end);
  scanner.at += end.length;
  return body;
}

function readIf(scanner: Scanner): CompoundBody {
  const branches: { condition: List; body: List }[] = [];
  for (;;) {
    const condition = readUntil(scanner, "then");
    const body = readBefore(scanner, "elif", "else", "fi");
    branches.push({ condition, body });
    const word = peekReserved(scanner) ?? "";
    scanner.at += word.length;
    if (word === "fi") return { type: "if", branches };
    if (word === "else") return { type: "if", branches, otherwise: readUntil(scanner, "fi") };
  }
}

function readWhile(scanner: Scanner, isUntil: boolean): CompoundBody {
  const condition = readUntil(scanner, "do");
  return { type: "while", isUntil, condition, body: readUntil(scanner, "done") };
}

/** Reads `do … done`, or the `{ … }` that bash allows in its place. */
function readLoopBody(scanner: Scanner): List {
  if (peekReserved(scanner) === "{") {
    scanner.at++;
    return readUntil(scanner, "}");
  }
  expectReserved(scanner, "do");
  return readUntil(scanner, "done");
}

function readFor(scanner: Scanner): CompoundBody {
  const keyword = scanner.at - "for".length;
  scanner.skipBlanks();
  if (scanner.peek() !== "(" || scanner.peek(1) !== "(")
    return readForWords(scanner, "for", keyword);
  scanner.at += 2;
  const expressions: ForExpression[] = [];
  for (const end of [";", ";", ")"]) {
    expressions.push(readForExpression(scanner, end === ")" ? ")" : ";)"));
    if (!scanner.accept(end)) {
      if (scanner.isAtEnd()) scanner.failUnclosed(")", scanner.at);
      failUnexpected(scanner);
    }
  }
  if (!scanner.accept(")")) failUnexpected(scanner);
  scanner.skipBlanks();
  scanner.accept(";");
  scanner.skipNewlines();
  const [start, condition, step] = expressions as [ForExpression, ForExpression, ForExpression];
  const body = readLoopBody(scanner);
  return { type: "arithmetic-for", expressions: [start, condition, step], body };
}

function readForExpression(scanner: Scanner, ends: string): ForExpression {
  const { at } = scanner;
  const expression = readArithmeticText(scanner, ends);
  return { expression, text: `((${scanner.text.slice(at, scanner.at).trimStart()}))` };
}

function readForWords(
  scanner: Scanner,
  type: "for" | "select",
  start = scanner.at - type.length,
): CompoundBody {
  scanner.skipBlanks();
  const word = readWord(scanner) ?? failUnexpected(scanner);
  const name = plainTextOf(word) ?? scanner.text.slice(word.at, scanner.at);
  const positional = { type, name, text: `${type} ${name} in "$@"` } as const;
  scanner.skipBlanks();
  if (scanner.accept(";")) {
    scanner.skipNewlines();
    return { ...positional, body: readLoopBody(scanner) };
  }
  scanner.skipNewlines();
  if (peekReserved(scanner) !== "in") return { ...positional, body: readLoopBody(scanner) };
  scanner.at += 2;
  const words: Word[] = [];
  for (;;) {
    scanner.skipBlanks();
    const next = readWord(scanner);
    if (!next) break;
    words.push(next);
  }
  const text = scanner.sliceFrom(start);
  if (!scanner.accept(";") && scanner.peek() !== "\n") failUnexpected(scanner);
  scanner.skipNewlines();
  return { type, name, text, words, body: readLoopBody(scanner) };
}

function readCase(scanner: Scanner): CompoundBody {
  const start = scanner.at - "case".length;
  scanner.skipBlanks();
  const subject = readWord(scanner) ?? failUnexpected(scanner);
  scanner.skipNewlines();
  expectReserved(scanner, "in");
  const text = `${scanner.sliceFrom(start)} `;
  const clauses: CaseClause[] = [];
  for (;;) {
    scanner.skipNewlines();
    if (peekReserved(scanner) === "esac") break;
    const { clause, isLast } = readClause(scanner);
    clauses.push(clause);
    if (isLast) break;
  }
  expectReserved(scanner, "esac");
  return { type: "case", text, subject, clauses };
}

function readClause(scanner: Scanner): { clause: CaseClause; isLast: boolean } {
  scanner.accept("(");
  const patterns: Word[] = [];
  do {
    scanner.skipBlanks();
    patterns.push(readWord(scanner) ?? failUnexpected(scanner));
    scanner.skipBlanks();
  } while (peekOperator(scanner) === "|" && scanner.accept("|"));
  if (!scanner.accept(")")) failUnexpected(scanner);
  const isEnd = (): boolean =>
    peekOperator(scanner)?.startsWith(";") === true && peekOperator(scanner) !== ";"
      ? true
      : peekReserved(scanner) === "esac";
  const body = readList(scanner, { isEnd, mayBeEmpty: true });
  const end = peekOperator(scanner);
  if (end !== ";;" && end !== ";&" && end !== ";;&")
    return { clause: { patterns, body, end: ";;" }, isLast: true };
  scanner.at += end.length;
  return { clause: { patterns, body, end }, isLast: false };
}

function readCoprocess(scanner: Scanner): CompoundBody {
  scanner.skipBlanks();
  const unnamed = readCompound(scanner);
  if (unnamed) return { type: "coprocess", name: "COPROC", body: unnamed };
  const { at } = scanner;
  const word = readWordIn(scanner, { quoting: "none", ends: " \t\n;&|()<>" });
  const name = plainTextOf(word);
  scanner.skipBlanks();
  const named =
    name !== undefined && /^[A-Za-z_]\w*$/.test(name) ? readCompound(scanner) : undefined;
  if (named) return { type: "coprocess", name: name ?? "COPROC", body: named };
  scanner.at = at;
  const body: SimpleCommand | undefined = readSimpleOnly(scanner);
  return { type: "coprocess", name: "COPROC", body: body ?? failUnexpected(scanner) };
}

function readSimpleOnly(scanner: Scanner): SimpleCommand | undefined {
  const command = readCommand(scanner);
  return command.type === "simple" ? command : undefined;
}
