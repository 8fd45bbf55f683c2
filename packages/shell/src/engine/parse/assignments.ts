import type { ArrayElement, ArrayValue, Assignment } from "../syntax/tree.ts";
import type { Word, WordPart } from "../syntax/word.ts";
import { readSubscriptWord } from "./parameters.ts";
import type { Scanner } from "./scanner.ts";
import { failUnexpected } from "./tokens.ts";
import { readWord } from "./words.ts";

const NAME_BRACKET = /[A-Za-z_]\w*\[/y;
const NAME_EQUALS = /([A-Za-z_]\w*)(\+?)=/y;
const EQUALS = /(\+?)=/y;

/** Reads an assignment, or the word that stands where one may be; `undefined` when neither begins here. */
export function readAssignmentOrWord(scanner: Scanner): Assignment | Word | undefined {
  const { at } = scanner;
  const plain = scanner.match(NAME_EQUALS);
  if (plain) {
    scanner.at += plain[0].length;
    return readValue(scanner, at, { name: plain[1] ?? "", isAppended: plain[2] === "+" });
  }
  const bracket = scanner.match(NAME_BRACKET)?.[0];
  if (bracket === undefined) return readWord(scanner);
  scanner.at += bracket.length;
  const subscript = readSubscriptWord(scanner);
  if (!scanner.accept("]")) scanner.failUnclosed("]", at);
  const equals = scanner.match(EQUALS);
  if (equals) {
    scanner.at += equals[0].length;
    const name = bracket.slice(0, -1);
    return readValue(scanner, at, { name, subscript, isAppended: equals[1] === "+" });
  }
  const begun = [text(bracket), ...subscript.parts, text("]")];
  return readWord(scanner, { at, begun });
}

export function isAssignment(part: Assignment | Word): part is Assignment {
  return "type" in part;
}

function text(content: string): WordPart {
  return { type: "text", text: content, isQuoted: false };
}

function readValue(
  scanner: Scanner,
  at: number,
  target: Pick<Assignment, "name" | "subscript" | "isAppended">,
): Assignment {
  const line = scanner.lineAt(at);
  const value =
    scanner.peek() === "("
      ? scanner.nested(() => readArray(scanner))
      : (readWord(scanner) ?? { parts: [], at: scanner.at });
  return { type: "assignment", at, line, ...target, value };
}

function readArray(scanner: Scanner): ArrayValue {
  const start = scanner.at++;
  const elements: ArrayElement[] = [];
  for (;;) {
    scanner.skipNewlines();
    if (scanner.accept(")")) return { type: "array", elements };
    if (scanner.isAtEnd()) scanner.failUnclosed(")", start);
    elements.push(readElement(scanner) ?? failUnexpected(scanner));
  }
}

function readElement(scanner: Scanner): ArrayElement | undefined {
  const { at } = scanner;
  if (scanner.peek() === "[") {
    scanner.at++;
    const subscript = readSubscriptWord(scanner);
    const closed = scanner.accept("]");
    const equals = closed ? scanner.match(EQUALS) : null;
    const begun = [text("["), ...subscript.parts, ...(closed ? [text("]")] : [])];
    if (equals) {
      scanner.at += equals[0].length;
      const value = readWord(scanner) ?? { parts: [], at: scanner.at };
      const word = { at, parts: [...begun, text(equals[0]), ...value.parts] };
      return { subscript, isAppended: equals[1] === "+", value, word };
    }
    const word = readWord(scanner, { at, begun });
    return word && { isAppended: false, value: word, word };
  }
  const word = readWord(scanner);
  return word && { isAppended: false, value: word, word };
}
