const OPENING = /^\s*\{\s*"say"\s*:\s*"/;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
};

/** Reads the text of `{"say":"…"}` while it is being written. */
export class SayReader {
  /** The text so far. */
  json = "";
  #at: number | undefined;
  #isClosed = false;

  /** Returns the text that can be shown now. */
  push(piece: string): string {
    this.json += piece;
    this.#at ??= OPENING.exec(this.json)?.[0].length;
    let text = "";
    while (this.#at !== undefined && !this.#isClosed) {
      const next = this.#character(this.#at);
      if (next === undefined) break;
      this.#at += next.length;
      text += next.text;
    }
    return text;
  }

  /** The character at a place, or undefined when it has not arrived whole. */
  #character(at: number): { text: string; length: number } | undefined {
    const char = this.json[at];
    if (char === undefined) return undefined;
    if (char === '"') {
      this.#isClosed = true;
      return undefined;
    }
    if (char !== "\\") return this.#pair(at, char.charCodeAt(0), 1);
    const escape = this.json[at + 1];
    if (escape === undefined) return undefined;
    if (escape !== "u") return { text: ESCAPES[escape] ?? escape, length: 2 };
    const digits = this.json.slice(at + 2, at + 6);
    if (digits.length < 4) return undefined;
    return this.#pair(at, Number.parseInt(digits, 16), 6);
  }

  /** The first half of a surrogate pair waits for the second. */
  #pair(at: number, code: number, length: number): { text: string; length: number } | undefined {
    const isFirstHalf = code >= 0xd800 && code <= 0xdbff;
    if (!isFirstHalf) return { text: String.fromCharCode(code).toWellFormed(), length };
    const rest = this.json.slice(at + length, at + length + 6);
    const second = rest.startsWith("\\u") ? Number.parseInt(rest.slice(2), 16) : rest.charCodeAt(0);
    const isWhole = rest !== "" && rest !== "\\" && (!rest.startsWith("\\u") || rest.length === 6);
    if (!isWhole) return undefined;
    if (!(second >= 0xdc00 && second <= 0xdfff)) return { text: "\uFFFD", length };
    const both = length + (rest.startsWith("\\u") ? 6 : 1);
    return { text: String.fromCharCode(code, second), length: both };
  }
}
