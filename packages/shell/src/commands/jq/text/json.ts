import { type OpenObject, slotOf, type Value } from "../values.ts";

const MAX_DEPTH = 256;

/** Text that is not JSON; the message has the place. */
export class JsonError extends Error {
  override readonly name = "JsonError" as const;
}

/** The text ends before the value does. */
class Unfinished extends Error {
  override readonly name = "Unfinished" as const;
}

const BLANK = /[ \t\r\n]*/y;
const LITERAL = /[^\s[\]{}:,"]+/y;
// oxlint-disable-next-line no-control-regex -- what JSON forbids in strings
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
const WORDS: Readonly<Record<string, Value>> = { true: true, false: false, null: null };

/** A value and the end of its text. */
interface Parsed {
  readonly value: Value;
  readonly end: number;
}

/**
 * Parses one value of a text. `isWhole`: no more text follows.
 * @returns `undefined` if the value goes on where the text ends
 * @throws {JsonError}
 */
export function parseValue(text: string, start: number, isWhole: boolean): Parsed | undefined {
  const parser = new Parser(text, start, isWhole);
  try {
    const value = parser.value(0);
    return { value, end: parser.at };
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error;
    if (!isWhole) return undefined;
    const what = parser.isInString ? "Unfinished string" : "Unfinished JSON term";
    throw new JsonError(`${what} at EOF at ${placeOf(text, text.length - 1)}`, { cause: error });
  }
}

/** Parses a text that is one value. @throws {JsonError} */
export function parseJson(text: string): Value {
  const start = skipBlank(text, 0);
  if (start === text.length) throw new JsonError("Expected JSON value");
  const parsed = parseValue(text, start, true);
  if (!parsed || skipBlank(text, parsed.end) < text.length)
    throw new JsonError("Unexpected extra JSON values");
  return parsed.value;
}

/** All values of a text, one after the other. @throws {JsonError} */
export function parseValues(text: string): Value[] {
  const values: Value[] = [];
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const parsed = parseValue(text, at, true);
    values.push(parsed?.value ?? null);
    at = parsed?.end ?? text.length;
  }
  return values;
}

export function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(text);
  return BLANK.lastIndex;
}

/** The place after the character at an offset. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at + 1);
  const lines = before.split("\n");
  return `line ${lines.length}, column ${lines.at(-1)?.length ?? 0}`;
}

class Parser {
  readonly #text: string;
  readonly #isWhole: boolean;
  at: number;
  isInString = false;

  constructor(text: string, at: number, isWhole: boolean) {
    this.#text = text;
    this.at = at;
    this.#isWhole = isWhole;
  }

  value(depth: number): Value {
    const character = this.#next();
    if (character === "{" || character === "[") {
      if (depth >= MAX_DEPTH) this.#fail("Exceeds depth limit for parsing");
      this.at++;
      return character === "{" ? this.#object(depth) : this.#array(depth);
    }
    if (character === '"') return this.#string();
    if (character === "]" || character === "}") this.#fail(`Unmatched '${character}'`);
    if (character === ":") this.#fail("':' not as part of an object");
    if (character === ",") this.#fail("Expected value before ','");
    return this.#literal();
  }

  #next(): string {
    this.at = skipBlank(this.#text, this.at);
    const character = this.#text.charAt(this.at);
    if (character === "") throw new Unfinished();
    return character;
  }

  #literal(): Value {
    LITERAL.lastIndex = this.at;
    const word = LITERAL.exec(this.#text)?.[0] ?? "";
    this.at += word.length;
    if (this.at === this.#text.length && !this.#isWhole) throw new Unfinished();
    if (NUMBER.test(word)) return Number(word);
    if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? null;
    if (/^[+-]?nan$/i.test(word) && word.charAt(0) !== "n") return Number.NaN;
    if (INFINITE.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
    const what = /^[tfn]/.test(word) ? "Invalid literal" : "Invalid numeric literal";
    return this.#fail(this.at === this.#text.length ? `${what} at EOF` : what);
  }

  #array(depth: number): Value {
    const items: Value[] = [];
    if (this.#next() === "]") {
      this.at++;
      return items;
    }
    for (;;) {
      if (items.length > 0 && this.#next() === "]") this.#fail("Expected another array element");
      items.push(this.value(depth + 1));
      const character = this.#next();
      this.at++;
      if (character === "]") return items;
      if (character !== ",") this.#misplaced(character);
    }
  }

  #object(depth: number): Value {
    const object: OpenObject = {};
    let isEmpty = true;
    for (;;) {
      const character = this.#next();
      if (character === "}" && isEmpty) {
        this.at++;
        return object;
      }
      if (character === "}") this.#fail("Objects must consist of key:value pairs");
      if (character !== '"') {
        this.value(depth + 1);
        this.#fail("Object keys must be strings");
      }
      const slot = slotOf(this.#string());
      if (this.#next() !== ":") this.#fail("Objects must consist of key:value pairs");
      this.at++;
      object[slot] = this.value(depth + 1);
      isEmpty = false;
      const end = this.#next();
      this.at++;
      if (end === "}") return object;
      if (end !== ",") this.#misplaced(end);
    }
  }

  #misplaced(character: string): never {
    this.at--;
    if (character === "}" || character === "]") this.#fail(`Unmatched '${character}'`);
    this.value(0);
    return this.#fail("Expected separator between values");
  }

  #string(): string {
    this.isInString = true;
    let text = "";
    this.at++;
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.#text)?.[0] ?? "";
      text += plain;
      this.at += plain.length;
      const character = this.#text.charAt(this.at);
      if (character === "") throw new Unfinished();
      if (character === '"') break;
      if (character !== "\\") {
        const end = this.#text.indexOf('"', this.at);
        if (end === -1) throw new Unfinished();
        this.at = end;
        this.#fail("Invalid string: control characters from U+0000 through U+001F must be escaped");
      }
      text += this.#escape();
    }
    this.at++;
    this.isInString = false;
    return text.toWellFormed();
  }

  #escape(): string {
    const letter = this.#text.charAt(this.at + 1);
    if (letter === "") throw new Unfinished();
    if (letter === "u") {
      const digits = this.#text.slice(this.at + 2, this.at + 6);
      if (digits.length < 4) throw new Unfinished();
      if (!/^[\da-fA-F]{4}$/.test(digits)) this.#fail("Invalid \\uXXXX escape");
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const index = 'nrtbf"\\/'.indexOf(letter);
    if (index === -1) this.#fail("Invalid escape");
    this.at += 2;
    return '\n\r\t\b\f"\\/'.charAt(index);
  }

  #fail(what: string): never {
    throw new JsonError(`${what} at ${placeOf(this.#text, this.at)}`);
  }
}
