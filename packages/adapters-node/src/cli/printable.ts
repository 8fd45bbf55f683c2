/**
 * Text for a terminal: control sequences and bidirectional marks are escaped, so that nothing a model or a file says
 * can look like something else.
 */
export function printable(text: string): string {
  // Everything but printable characters, spaces, newlines and tabs; then marks that change the direction of writing.
  return text.replace(
    /[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The first line of `text`, at most `length` characters of it. */
export function firstLine(text: string, length: number): string {
  const [line = ""] = text.split("\n", 1);
  const characters = Array.from(printable(line));
  if (characters.length <= length) return characters.join("");
  return `${characters.slice(0, length - 1).join("")}…`;
}
