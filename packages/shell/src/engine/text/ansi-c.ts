import { byteCharacter, joinBytes } from "./bytes.ts";

/** The characters that letters and quotes behind a backslash stand for. */
export const CONTROL_LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};
const ESCAPES =
  /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|c([^]))/g;
const MAX_CODE_POINT = 0x10ffff;

/** The value of the text between `$'` and `'`, which ends at a NUL. */
export function decodeAnsiC(source: string): string {
  const text = decodeBackslashes(source);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}

/** Decodes the same escapes, NUL included. */
export function decodeBackslashes(source: string): string {
  if (!source.includes("\\")) return source;
  const text = source.replace(
    ESCAPES,
    (whole, letter?: string, octal?: string, hex?: string, u?: string, U?: string, c?: string) => {
      if (letter !== undefined) return CONTROL_LETTERS[letter] ?? whole;
      if (octal !== undefined) return byteCharacter(Number.parseInt(octal, 8) & 0xff);
      if (hex !== undefined) return byteCharacter(Number.parseInt(hex, 16));
      if (c !== undefined) return controlCharacter(c);
      const code = Number.parseInt(u ?? U ?? "0", 16);
      return code > MAX_CODE_POINT ? whole : String.fromCodePoint(code);
    },
  );
  return joinBytes(text);
}

function controlCharacter(character: string): string {
  if (character === "?") return "\x7f";
  return String.fromCharCode(character.toUpperCase().charCodeAt(0) & 0x1f);
}
