/** Limit for checked text, in characters. */
export const MAX_JSON_LENGTH = 1_000_000;
const MAX_DEPTH = 64;
const SHOWN = 40;

/** The reason why a text is not unambiguous JSON. */
export interface JsonProblem {
  /** Position in the value, as a JSON pointer; empty for the whole. */
  pointer: string;
  /** Position in the text, from 0; its length when the text ends too early. */
  offset: number;
  problem: string;
}

const WHITESPACE = /[ \t\n\r]*/y;
const TEXT = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * Finds the first place where a text is not JSON, or where JSON readers disagree: a duplicate name, an unrepresentable
 * number, a lone surrogate, more than 64 levels. `undefined` for a text that `JSON.parse` reads as intended.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  if (text.length > MAX_JSON_LENGTH) {
    const problem = `longer than ${MAX_JSON_LENGTH.toLocaleString("en")} characters`;
    return { pointer: "", offset: MAX_JSON_LENGTH, problem };
  }
  const reader = new Reader(text);
  reader.readAll();
  return reader.problem;
}

/** A key of an object or an array in a JSON pointer. */
export function pointerStep(key: PropertyKey): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A reader whose methods return whether the text is valid so far. */
class Reader {
  problem: JsonProblem | undefined;
  readonly #text: string;
  readonly #path: PropertyKey[] = [];
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): boolean {
    if (!this.#value()) return false;
    return this.#offset === this.#text.length || this.#fail("something behind the value's end");
  }

  /** Reads a value with surrounding whitespace. */
  #value(): boolean {
    this.#match(WHITESPACE);
    const isSound = this.#bareValue();
    this.#match(WHITESPACE);
    return isSound;
  }

  #bareValue(): boolean {
    switch (this.#text[this.#offset]) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string() !== undefined;
      default:
        return this.#match(WORD) !== undefined || this.#number();
    }
  }

  #object(): boolean {
    if (!this.#enter()) return false;
    if (this.#take("}")) return true;
    const names = new Set<string>();
    do {
      this.#match(WHITESPACE);
      const begun = this.#offset;
      const name = this.#string();
      if (name === undefined) return false;
      if (names.has(name)) return this.#fail(`the name ${quoted(name)} is there twice`, begun);
      names.add(name);
      if (!this.#take(":")) return this.#fail('expected ":"');
      if (!this.#member(name)) return false;
    } while (this.#take(","));
    return this.#take("}") || this.#fail('expected "," or "}"');
  }

  #array(): boolean {
    if (!this.#enter()) return false;
    if (this.#take("]")) return true;
    let index = 0;
    do {
      if (!this.#member(index)) return false;
      index += 1;
    } while (this.#take(","));
    return this.#take("]") || this.#fail('expected "," or "]"');
  }

  #enter(): boolean {
    // The path's length is the depth; this value adds one level.
    if (this.#path.length >= MAX_DEPTH) return this.#fail(`more than ${MAX_DEPTH} levels`);
    this.#offset += 1;
    return true;
  }

  #member(key: PropertyKey): boolean {
    this.#path.push(key);
    const isSound = this.#value();
    // The path stays where a problem was found.
    if (isSound) this.#path.pop();
    return isSound;
  }

  #string(): string | undefined {
    const begun = this.#offset;
    const written = this.#match(TEXT);
    if (written === undefined) {
      const isText = this.#text[begun] === '"';
      this.#fail(
        isText ? "a text that is not closed, or not escaped" : "expected a text in double quotes",
      );
      return undefined;
    }
    const value = JSON.parse(written) as string;
    if (value.isWellFormed()) return value;
    this.#fail("half of a surrogate pair", begun);
    return undefined;
  }

  #number(): boolean {
    const begun = this.#offset;
    const written = this.#match(NUMBER);
    if (written === undefined) return this.#fail("expected a value");
    const value = Number(written);
    const isExact = Number.isSafeInteger(value) || !WHOLE_NUMBER.test(written);
    if (Number.isFinite(value) && isExact) return true;
    return this.#fail(
      `the number ${written.slice(0, SHOWN)} can't be exact; give it as text`,
      begun,
    );
  }

  /** The character, with space in front of it. */
  #take(char: string): boolean {
    this.#match(WHITESPACE);
    if (this.#text[this.#offset] !== char) return false;
    this.#offset += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#offset += found.length;
    return found;
  }

  #fail(problem: string, offset = this.#offset): false {
    const isCut = offset >= this.#text.length;
    this.problem = {
      pointer: this.#path.map(pointerStep).join(""),
      offset,
      problem: isCut ? `${problem}, but the text ends` : problem,
    };
    return false;
  }
}

function quoted(name: string): string {
  return JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN).toWellFormed()}…` : name);
}
