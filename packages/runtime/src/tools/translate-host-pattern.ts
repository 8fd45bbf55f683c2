const ESCAPE =
  /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\u\{([\da-f]+)\}|\\u([\da-f]{4})|\\c([a-z])|\\[^]/gi;
const ESCAPE_OR_CLASS = new RegExp(
  `(?:${ESCAPE.source})|\\[\\^?(?:\\\\[^]|[^\\]\\\\])*\\]`,
  ESCAPE.flags,
);

/** Writes what only ECMAScript has in the syntax of RE2: its escapes, the empty class, and that of all characters. */
export function translateHostPattern(pattern: string): string {
  return pattern.replace(ESCAPE_OR_CLASS, (part) => {
    if (part === "[]") return "[^\\x00-\\x{10ffff}]";
    if (part === "[^]") return "[\\x00-\\x{10ffff}]";
    return part.replace(ESCAPE, translateEscape);
  });
}

function translateEscape(
  escape: string,
  high?: string,
  low?: string,
  code?: string,
  unit?: string,
  control?: string,
): string {
  if (high !== undefined && low !== undefined) {
    const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    return `\\x{${pair.codePointAt(0)?.toString(16)}}`;
  }
  const hex = code ?? unit ?? (control && (control.charCodeAt(0) % 32).toString(16));
  return hex === undefined || hex === "" ? escape : `\\x{${hex}}`;
}
