import type {
  Assignment,
  Command,
  FunctionDefinition,
  List,
  ListItem,
  Pipeline,
  Redirection,
  SimpleCommand,
} from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { isAssignment, readAssignmentOrWord } from "./assignments.ts";
import { readRedirection } from "./redirections.ts";
import type { Scanner } from "./scanner.ts";
import { failUnexpected, isAtLineEnd, peekOperator, peekReserved } from "./tokens.ts";
import { plainTextOf, readWord } from "./words.ts";

/** Commands whose arguments may be assignments of arrays. */
const DECLARING: ReadonlySet<string> = new Set([
  "alias",
  "declare",
  "eval",
  "export",
  "let",
  "local",
  "readonly",
  "typeset",
]);

interface ListEnd {
  /** True when the list ends at the token here. */
  readonly isEnd: () => boolean;
  readonly mayBeEmpty?: boolean;
}

/** Reads commands up to an end, which is left. */
export function readList(scanner: Scanner, { isEnd, mayBeEmpty = false }: ListEnd): List {
  const items: ListItem[] = [];
  for (;;) {
    scanner.skipNewlines();
    if (isEnd()) {
      if (items.length === 0 && !mayBeEmpty) failUnexpected(scanner);
      return { items };
    }
    items.push(readItem(scanner));
    scanner.skipBlanks();
    if (!acceptSeparator(scanner) && scanner.peek() !== "\n" && !isEnd()) failUnexpected(scanner);
  }
}

/** Reads the commands of a line; `undefined` at the end of the script. */
export function readLine(scanner: Scanner): List | undefined {
  scanner.skipNewlines();
  if (scanner.isAtEnd()) return undefined;
  const items: ListItem[] = [];
  for (;;) {
    items.push(readItem(scanner));
    scanner.skipBlanks();
    const isSeparated = acceptSeparator(scanner);
    scanner.skipBlanks();
    if (isAtLineEnd(scanner)) break;
    if (!isSeparated) failUnexpected(scanner);
  }
  if (scanner.isAtEnd()) scanner.finish();
  else scanner.readNewline();
  return { items };
}

/** Moves behind the `;` or `&` of an item. */
function acceptSeparator(scanner: Scanner): boolean {
  const operator = peekOperator(scanner);
  return (operator === ";" || operator === "&") && scanner.accept(operator);
}

function readItem(scanner: Scanner): ListItem {
  const start = scanner.at;
  const first = readPipeline(scanner);
  const rest: { operator: "&&" | "||"; pipeline: Pipeline }[] = [];
  for (;;) {
    scanner.skipBlanks();
    const operator = peekOperator(scanner);
    if (operator !== "&&" && operator !== "||") break;
    scanner.at += 2;
    scanner.skipNewlines();
    rest.push({ operator, pipeline: readPipeline(scanner) });
  }
  const text = scanner.sliceFrom(start);
  return { first, rest, isBackground: peekOperator(scanner) === "&", text };
}

function readPipeline(scanner: Scanner): Pipeline {
  let isNegated = false;
  let timed: Pipeline["timed"];
  for (;;) {
    scanner.skipBlanks();
    const word = peekReserved(scanner);
    if (word === "!") isNegated = !isNegated;
    else if (word === "time") timed = "bash";
    else break;
    scanner.at += word.length;
    if (word === "time") timed = readTimeOptions(scanner);
  }
  const mayBeEmpty = isNegated || timed !== undefined;
  if (mayBeEmpty && isAtItemEnd(scanner)) return { isNegated, timed, commands: [] };
  const commands = [readCommand(scanner)];
  for (;;) {
    scanner.skipBlanks();
    const operator = peekOperator(scanner);
    if (operator !== "|" && operator !== "|&") break;
    if (operator === "|&") commands.push(withErrors(scanner, commands.pop()));
    scanner.at += operator.length;
    scanner.skipNewlines();
    commands.push(readCommand(scanner));
  }
  return { isNegated, timed, commands };
}

function readTimeOptions(scanner: Scanner): "bash" | "posix" {
  scanner.skipBlanks();
  const isPosix = scanner.match(/-p(?=[\s;&|]|$)/y) !== null;
  if (isPosix) scanner.at += 2;
  scanner.skipBlanks();
  if (scanner.match(/--(?=[\s;&|]|$)/y)) scanner.at += 2;
  return isPosix ? "posix" : "bash";
}

function isAtItemEnd(scanner: Scanner): boolean {
  scanner.skipBlanks();
  const operator = peekOperator(scanner);
  return isAtLineEnd(scanner) || operator === ";" || operator === "&";
}

/** Adds the `2>&1` that `|&` stands for. */
function withErrors(scanner: Scanner, command: Command | undefined): Command {
  if (!command) return failUnexpected(scanner);
  const { at } = scanner;
  const redirection: Redirection = {
    type: "redirection",
    at,
    line: scanner.lineAt(at),
    descriptor: 2,
    operator: ">&",
    target: { at, parts: [{ type: "text", text: "1", isQuoted: false }] },
  };
  if (command.type !== "function")
    return { ...command, redirections: [...command.redirections, redirection] };
  const { body } = command;
  return {
    ...command,
    body: { ...body, redirections: [...body.redirections, redirection] },
  };
}

/** A whole word without quotes and expansions. */
const ALIAS_NAME = /[^\s;&|()<>$`"'\\/=]+(?=[\s;&|()<>]|$)/y;

export function readCommand(scanner: Scanner): Command {
  replaceAliases(scanner);
  if (peekReserved(scanner) === "function") return readFunctionKeyword(scanner);
  const compound = scanner.grammar.readCompound(scanner);
  if (compound) return compound;
  const reserved = peekReserved(scanner);
  // `time` counts only at the start of a pipeline.
  if (reserved !== undefined && reserved !== "]]" && reserved !== "time") failUnexpected(scanner);
  return readSimple(scanner);
}

function readSimple(scanner: Scanner): SimpleCommand | FunctionDefinition {
  const { at } = scanner;
  const line = scanner.lineAt(at);
  const assignments: Assignment[] = [];
  const words: (Word | Assignment)[] = [];
  const redirections: Redirection[] = [];
  let declares = false;
  for (;;) {
    scanner.skipBlanks();
    if (words.length === 0 || scanner.isBehindOpenAlias()) replaceAliases(scanner);
    const redirection = readRedirection(scanner);
    if (redirection) {
      redirections.push(redirection);
      continue;
    }
    const isFirst = words.length === 0;
    const part = isFirst || declares ? readAssignmentOrWord(scanner) : readWord(scanner);
    if (!part) break;
    if (isFirst && isAssignment(part)) assignments.push(part);
    else words.push(part);
    if (!isFirst || isAssignment(part)) continue;
    declares = DECLARING.has(plainTextOf(part) ?? "");
    if (assignments.length + redirections.length === 0 && acceptParentheses(scanner))
      return readFunction(scanner, at, scanner.text.slice(at, endOfName(scanner, at)));
  }
  if (scanner.at === at) failUnexpected(scanner);
  if (scanner.peek() === "(") failUnexpected(scanner);
  const text = scanner.sliceFrom(at);
  return { type: "simple", at, line, assignments, words, redirections, text };
}

/** Replaces the word here as long as it is an alias. */
function replaceAliases(scanner: Scanner): void {
  for (;;) {
    scanner.skipBlanks();
    const name = scanner.match(ALIAS_NAME)?.[0];
    if (name === undefined || scanner.isWithinAlias(name)) return;
    const value = scanner.options.aliasOf?.(name);
    if (value === undefined) return;
    scanner.replaceAlias(name, value);
  }
}

/** Moves behind the `()` of a function definition. */
function acceptParentheses(scanner: Scanner): boolean {
  scanner.skipBlanks();
  if (scanner.peek() !== "(") return false;
  scanner.at++;
  scanner.skipBlanks();
  if (!scanner.accept(")")) failUnexpected(scanner);
  return true;
}

function endOfName(scanner: Scanner, at: number): number {
  return at + scanner.text.slice(at).search(/[\s(]/);
}

function readFunctionKeyword(scanner: Scanner): FunctionDefinition {
  const { at } = scanner;
  scanner.at += "function".length;
  scanner.skipBlanks();
  const word = readWord(scanner) ?? failUnexpected(scanner);
  const name = scanner.text.slice(word.at, scanner.at);
  acceptParentheses(scanner);
  return readFunction(scanner, at, name);
}

function readFunction(scanner: Scanner, at: number, name: string): FunctionDefinition {
  scanner.skipNewlines();
  const body = scanner.grammar.readCompound(scanner) ?? failUnexpected(scanner);
  const text = scanner.sliceFrom(at);
  return { type: "function", at, line: scanner.lineAt(at), name, body, text };
}
