import { encodeText } from "@robota/runtime/ports";

const named: Record<string, string> = {
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** Escapes the invisible characters of a line, folded at `width`. */
export function visible(text: string, width: number): string {
  let [output, length] = ["", 0];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const part =
      named[character] ??
      (code >= 32 && code < 127
        ? character
        : Array.from(
            encodeText(character),
            (byte) => `\\${byte.toString(8).padStart(3, "0")}`,
          ).join(""));
    if (width > 1 && length + part.length > width - 1) {
      output += "\\\n";
      length = 0;
    }
    output += part;
    length += part.length;
  }
  return `${output}$\n`;
}
