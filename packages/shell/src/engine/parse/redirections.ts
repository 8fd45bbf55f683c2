import type { HereDocument, Redirection, RedirectionOperator } from "../syntax/tree.ts";
import { isQuotedPart, type Word, type WordPart } from "../syntax/word.ts";
import type { Scanner } from "./scanner.ts";
import { failUnexpected, peekOperator, readDescriptor } from "./tokens.ts";
import { readWord } from "./words.ts";

const OPERATORS: ReadonlySet<string> = new Set<RedirectionOperator>([
  "<",
  ">",
  ">>",
  ">|",
  "<>",
  "<&",
  ">&",
  "&>",
  "&>>",
  "<<<",
  "<<",
  "<<-",
]);

function isRedirection(operator: string | undefined): operator is RedirectionOperator {
  return operator !== undefined && OPERATORS.has(operator);
}

/** Reads a redirection; `undefined` when none begins here. */
export function readRedirection(scanner: Scanner): Redirection | undefined {
  const { at } = scanner;
  const descriptor = readDescriptor(scanner);
  const operator = peekOperator(scanner);
  if (!isRedirection(operator)) {
    scanner.at = at;
    return undefined;
  }
  scanner.at += operator.length;
  scanner.skipBlanks();
  const start = scanner.at;
  const target = readWord(scanner) ?? failUnexpected(scanner);
  const line = scanner.lineAt(at);
  const isDocument = operator === "<<" || operator === "<<-";
  const document = isDocument ? expectDocument(scanner, start, target, operator) : undefined;
  return { type: "redirection", at, line, descriptor, operator, target, document };
}

export function readRedirections(scanner: Scanner): Redirection[] {
  const redirections: Redirection[] = [];
  for (;;) {
    scanner.skipBlanks();
    const redirection = readRedirection(scanner);
    if (!redirection) return redirections;
    redirections.push(redirection);
  }
}

function expectDocument(
  scanner: Scanner,
  start: number,
  target: Word,
  operator: "<<" | "<<-",
): HereDocument {
  const isQuoted = target.parts.some(isQuotedPart);
  const source = scanner.text.slice(start, scanner.at);
  const document = { delimiter: delimiterOf(target.parts, source), isQuoted, body: "" };
  scanner.expectDocument({ document, stripsTabs: operator === "<<-" });
  return document;
}

/** The delimiter after quote removal; nothing in it is expanded. */
function delimiterOf(parts: readonly WordPart[], source: string): string {
  let text = "";
  for (const part of parts) {
    if (part.type === "text") text += part.text;
    else if (part.type === "double-quoted") text += delimiterOf(part.parts, source);
    else if (part.type === "parameter") text += part.text;
    else return source;
  }
  return text;
}
