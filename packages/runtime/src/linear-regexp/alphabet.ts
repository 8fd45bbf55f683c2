import { membership } from "./character-set.ts";
import type { Program } from "./program.ts";
import type { Assertion } from "./syntax.ts";

/** Kinds of neighbours that assertions tell apart; the edge is the start or end of the text. */
const OTHER = 0;
const LINE_BREAK = 1;
const WORD = 2;
const EDGE = 3;

/** The symbol behind the last character, and before the first. */
export const END = 0;

export function holds(assertion: Assertion | undefined, before: number, after: number): boolean {
  if (assertion === "text-start") return before === EDGE;
  if (assertion === "text-end") return after === EDGE;
  if (assertion === "line-start") return before === EDGE || before === LINE_BREAK;
  if (assertion === "line-end") return after === EDGE || after === LINE_BREAK;
  return ((before === WORD) !== (after === WORD)) === (assertion === "word");
}

/**
 * Characters that a program can't tell apart are one symbol to it, of which there are few. Symbols get their numbers as
 * characters are met.
 */
export class Alphabet {
  /** Symbols of ASCII; 0 for characters that have not been met. */
  readonly ascii = new Uint32Array(128);
  /** Sets that accept each symbol. */
  readonly accepting: (readonly number[])[] = [[]];
  /** Kind of each symbol. */
  readonly kinds: number[] = [EDGE];
  readonly #pages = new Map<number, Uint32Array>();
  readonly #numbers = new Map<string, number>();
  readonly #tests: readonly ((code: number) => boolean)[];
  readonly #hasWords: boolean;
  readonly #hasLines: boolean;

  constructor({ sets, assertions }: Program) {
    this.#tests = sets.map(membership);
    this.#hasWords = assertions.some((assertion) => assertion.endsWith("word"));
    this.#hasLines = assertions.some((assertion) => assertion.startsWith("line"));
    if (assertions.length === 0) this.kinds[END] = OTHER;
  }

  symbolOf(code: number): number {
    const page = code < 128 ? this.ascii : this.#page(code >> 7);
    return (page[code & 127] ||= this.#classify(code));
  }

  /** The symbol of the character at `at`, or `END` outside of the text. */
  symbolAt(text: string, at: number): number {
    const code = text.codePointAt(at);
    return code === undefined ? END : this.symbolOf(code);
  }

  /** The kind of the character at `at`. */
  kindAt(text: string, at: number): number {
    return this.kinds[this.symbolAt(text, at)] ?? OTHER;
  }

  /** The kind of the character that ends at `at`. */
  kindBefore(text: string, at: number): number {
    return this.kinds[at === 0 ? END : this.symbolAt(text, at - widthBefore(text, at))] ?? OTHER;
  }

  #page(number: number): Uint32Array {
    let page = this.#pages.get(number);
    if (!page) this.#pages.set(number, (page = new Uint32Array(128)));
    return page;
  }

  #classify(code: number): number {
    const accepting: number[] = [];
    this.#tests.forEach((test, set) => {
      if (test(code)) accepting.push(set);
    });
    const kind = this.#kindOf(code);
    const key = `${kind}:${accepting.join()}`;
    let symbol = this.#numbers.get(key);
    if (symbol === undefined) {
      symbol = this.kinds.push(kind) - 1;
      this.accepting.push(accepting);
      this.#numbers.set(key, symbol);
    }
    return symbol;
  }

  #kindOf(code: number): number {
    if (this.#hasLines && code === 10) return LINE_BREAK;
    return this.#hasWords && code < 128 && /\w/.test(String.fromCharCode(code)) ? WORD : OTHER;
  }
}

/** Code units of the character that ends at `at`, which is not before `from`. */
export function widthBefore(text: string, at: number, from = 0): number {
  const isLow = (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00;
  return isLow && at - 2 >= from && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800 ? 2 : 1;
}
