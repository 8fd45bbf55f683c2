import { readEscape } from "./escapes.ts";
import type { Piece } from "./script.ts";

/** Parses a replacement with its groups and case conversions. */
export function replacementOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  const push = (piece: Piece): void => {
    if (plain !== "") pieces.push(plain);
    plain = "";
    pieces.push(piece);
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "&") push({ group: 0 });
    else if (character !== "\\") plain += character;
    else {
      at += 1;
      const next = text.charAt(at);
      const escape = readEscape(text, at);
      if (/\d/.test(next)) push({ group: Number(next) });
      else if (next === "U" || next === "L" || next === "u" || next === "l" || next === "E")
        push({ letters: next });
      else {
        plain += escape?.character ?? next;
        at += (escape?.length ?? 1) - 1;
      }
    }
  }
  if (plain !== "") pieces.push(plain);
  return pieces;
}

/** Builds the text that replaces a match. */
export function fillIn(pieces: readonly Piece[], groupOf: (group: number) => string): string {
  let text = "";
  let [lasting, once] = ["", ""];
  const append = (part: string): void => {
    if (part === "") return;
    let changed =
      lasting === "U" ? part.toUpperCase() : lasting === "L" ? part.toLowerCase() : part;
    if (once !== "") {
      const [first = ""] = changed;
      changed =
        (once === "u" ? first.toUpperCase() : first.toLowerCase()) + changed.slice(first.length);
      once = "";
    }
    text += changed;
  };
  for (const piece of pieces) {
    if (typeof piece === "string") append(piece);
    else if ("group" in piece) append(groupOf(piece.group));
    else if (piece.letters === "u" || piece.letters === "l") once = piece.letters;
    else lasting = piece.letters === "E" ? "" : piece.letters;
  }
  return text;
}
