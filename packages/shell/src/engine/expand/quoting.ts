/** The text as a script would write it: between single quotes, or as `$'…'` where that is not enough. */
export function quoteText(text: string): string {
  return hasControl(text) ? ansiQuoted(text) : singleQuoted(text);
}

/** The text between single quotes, whatever it holds. */
export function singleQuoted(text: string): string {
  return text === "'" ? "\\'" : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The text as `printf %q` writes it: with backslashes where it needs any. */
export function escapeText(text: string): string {
  if (text === "") return "''";
  if (hasControl(text)) return ansiQuoted(text);
  return text
    .replace(/[^\w@%+=:./~#^\u0080-\u{10ffff}-]/gu, String.raw`\$&`)
    .replace(/^#|(?<=^|[:=])~/g, String.raw`\$&`)
    .replaceAll("^", String.raw`\^`);
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text) || !text.isWellFormed();
}

const NAMED: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\x1b": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  "'": "\\'",
};

function ansiQuoted(text: string): string {
  let quoted = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // A lone surrogate stands for a byte.
    const byte = code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : code;
    quoted +=
      NAMED[character] ??
      (code < 32 || code === 127 || byte !== code
        ? `\\${byte.toString(8).padStart(3, "0")}`
        : character);
  }
  return `$'${quoted}'`;
}
