import type { Scanner } from "./scanner.ts";

const OPERATOR =
  /&&|&>>|&>|&|\|\||\|&|\||;;&|;;|;&|;|<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\()|\(|\)/y;
const RESERVED =
  /(?:if|then|else|elif|fi|case|esac|for|select|while|until|do|done|in|function|time|coproc|\{|\}|!|\[\[|\]\])(?![^\s;&|()<>])/y;
const DESCRIPTOR = /(?:(\d+)|\{([A-Za-z_]\w*(?:\[[^\]\s]*\])?)\})(?=[<>])/y;
const UNEXPECTED = /[^\s;&|()<>]+/y;

/** The operator here, such as `&&`; `undefined` at a word, a newline and the end. */
export function peekOperator(scanner: Scanner): string | undefined {
  if (!";&|<>()".includes(scanner.peek() || " ")) return undefined;
  return scanner.match(OPERATOR)?.[0];
}

/** The reserved word here, where the grammar allows one. */
export function peekReserved(scanner: Scanner): string | undefined {
  if (!"itefcswud{}![]".includes(scanner.peek() || " ")) return undefined;
  return scanner.match(RESERVED)?.[0];
}

/** The number or `{name}` before a redirection; moves behind it. */
export function readDescriptor(scanner: Scanner): number | string | undefined {
  const character = scanner.peek();
  if (character !== "{" && !(character >= "0" && character <= "9")) return undefined;
  const match = scanner.match(DESCRIPTOR);
  if (!match) return undefined;
  scanner.at += match[0].length;
  return match[1] === undefined ? match[2] : Number(match[1]);
}

/** Reports whether a line or the script ends here. */
export function isAtLineEnd(scanner: Scanner): boolean {
  return scanner.isAtEnd() || scanner.peek() === "\n";
}

/** Fails at the token here, in bash's words. */
export function failUnexpected(scanner: Scanner): never {
  scanner.skipBlanks();
  if (scanner.isAtEnd()) return scanner.failAtEnd();
  const token =
    scanner.peek() === "\n"
      ? "newline"
      : (peekOperator(scanner) ?? scanner.match(UNEXPECTED)?.[0] ?? scanner.peek());
  return scanner.fail(`syntax error near unexpected token \`${token}'`);
}

export function expectReserved(scanner: Scanner, word: string): void {
  scanner.skipBlanks();
  if (peekReserved(scanner) !== word) failUnexpected(scanner);
  scanner.at += word.length;
}
