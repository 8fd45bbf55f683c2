import type { Pace } from "../pacer.ts";

/** Bytes that are looked through as one text: to decode each small file by itself takes longer than to search it. */
const BATCH_BYTES = 128 * 1024;
/** How much faster a word is looked for than an expression, for the pacer. */
export const QUICK = 8;
const LINE_FEED = 0x0a;
/** Where UTF-16 begins with its byte order mark, in either order. */
const FIRST_OF_MARK = 0xfe;

/** The index of the next place in a text, from an index on, at which there may be a match; -1 when there is none. */
export type Find = (text: string, from: number) => number;

/**
 * For each file whether it may hold what `find` looks for, which has no line feed in it. `false` is certain; what can't be
 * told of many together is `true`.
 */
export async function siftMany(
  contents: readonly (Uint8Array | undefined)[],
  find: Find,
  pace: Pace,
): Promise<boolean[]> {
  const found: boolean[] = Array.from({ length: contents.length }, () => true);
  const batch = new Batch(find, found);
  for (const [index, bytes] of contents.entries()) {
    if (!bytes || bytes.length >= BATCH_BYTES || (bytes[0] ?? 0) >= FIRST_OF_MARK) continue;
    if (!batch.hasRoomFor(bytes)) {
      const turn = pace(batch.search() / QUICK);
      if (turn) await turn;
    }
    batch.add(index, bytes);
  }
  batch.search();
  return found;
}

class Batch {
  readonly #find: Find;
  readonly #found: boolean[];
  readonly #bytes = new Uint8Array(BATCH_BYTES);
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #length = 0;
  /** By place: where each file begins, and which it is. */
  #starts: number[] = [];
  #files: number[] = [];

  constructor(find: Find, found: boolean[]) {
    this.#find = find;
    this.#found = found;
  }

  hasRoomFor({ length }: Uint8Array): boolean {
    return this.#length + length < BATCH_BYTES;
  }

  add(file: number, bytes: Uint8Array): void {
    this.#starts.push(this.#length);
    this.#files.push(file);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    // Nothing that is looked for begins in one file and ends in the next.
    this.#bytes[this.#length] = LINE_FEED;
    this.#length += 1;
  }

  /** @returns how many bytes it has looked through */
  search(): number {
    const length = this.#length;
    const text = this.#decoder.decode(this.#bytes.subarray(0, length));
    // Only then is a place in the text the same place in the bytes.
    if (text.length === length) this.#mark(text);
    this.#length = 0;
    this.#starts = [];
    this.#files = [];
    return length;
  }

  #mark(text: string): void {
    for (const file of this.#files) this.#found[file] = false;
    let at = 0;
    for (let place = this.#find(text, 0); place >= 0;) {
      while (at + 1 < this.#starts.length && this.#starts[at + 1]! <= place) at += 1;
      this.#found[this.#files[at]!] = true;
      const next = this.#starts[at + 1];
      place = next === undefined ? -1 : this.#find(text, next);
    }
  }
}
