import type { List } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { readLine, readList } from "./commands.ts";
import { readCompound } from "./compound.ts";
import { readBraced } from "./parameters.ts";
import { type ParserOptions, Scanner } from "./scanner.ts";
import { ShellSyntaxError } from "./syntax-error.ts";
import { readWordIn } from "./words.ts";

const grammar = { readSubstitution, readCompound, readBraced };

/** Reads a script line by line, as bash does: what precedes an error runs before the error is reported. */
export interface Parser {
  /** The next line's commands; `undefined` at the end. @throws {ShellSyntaxError} */
  next(): List | undefined;
}

export function createParser(source: string, options: ParserOptions = {}): Parser {
  const scanner = new Scanner(source, options, grammar);
  return { next: () => guarded(scanner, () => readLine(scanner)) };
}

/** Parses text that is expanded but not split, such as a here-document. */
export function parseDocument(source: string, options: ParserOptions = {}): Word {
  const scanner = new Scanner(source, options, grammar);
  return guarded(scanner, () => readWordIn(scanner, { quoting: "document", ends: "" }));
}

/** Parses words between these separators, in which quotes and expansions count. */
export function parseWords(source: string, separators: string): Word[] {
  const scanner = new Scanner(source, {}, grammar);
  const words: Word[] = [];
  for (;;) {
    while (!scanner.isAtEnd() && separators.includes(scanner.peek())) scanner.at++;
    if (scanner.isAtEnd()) return words;
    words.push(
      guarded(scanner, () =>
        readWordIn(scanner, { quoting: "none", ends: separators, hasOtherEnds: true }),
      ),
    );
  }
}

/** Parses the subscript of a text such as `map["a key"]`, in which all quotes count. */
export function parseSubscript(source: string): Word {
  const scanner = new Scanner(source, {}, grammar);
  return guarded(scanner, () => readWordIn(scanner, { quoting: "none", ends: "" }));
}

/** The commands of `$(…)`, and its `)`. */
function readSubstitution(scanner: Scanner): List {
  const start = scanner.at - 1;
  const isEnd = (): boolean => {
    if (scanner.isAtEnd()) scanner.failUnclosed(")", start);
    return scanner.peek() === ")";
  };
  try {
    const body = scanner.nested(() => readList(scanner, { isEnd, mayBeEmpty: true }));
    scanner.at++;
    return body;
  } catch (error) {
    if (error instanceof ShellSyntaxError && !error.isIncomplete) error.isSubstitution = true;
    throw error;
  }
}

/** Reports a stack that ended before the limit of nesting as what it is. */
function guarded<Result>(scanner: Scanner, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShellSyntaxError || !(error instanceof RangeError)) throw error;
    return scanner.fail("syntax error: too many levels of nesting");
  }
}
