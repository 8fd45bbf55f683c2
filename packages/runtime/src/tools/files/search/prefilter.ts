import type { Pace } from "../pacer.ts";

/** Bytes searched as one text: decoding each small file by itself takes longer than searching it. */
const BATCH_BYTES = 128 * 1024;
/** Speed of a literal search relative to an expression, for the pacer. */
export const QUICK = 8;
const LINE_FEED = 0x0a;
/** First byte of UTF-16's byte order mark, in either order. */
const FIRST_OF_MARK = 0xfe;

/** The index of the next candidate match in a text, from an index on; -1 without one. */
export type Find = (text: string, from: number) => number;

/**
 * Reports for each file whether it may contain a match of `find`, which contains no line feed. `false` is certain;
 * undecidable files are `true`.
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
  /** Start of each file in the batch, and its index. */
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
    // A separator: no match begins in one file and ends in the next.
    this.#bytes[this.#length] = LINE_FEED;
    this.#length += 1;
  }

  /** @returns the number of bytes searched */
  search(): number {
    const length = this.#length;
    const text = this.#decoder.decode(this.#bytes.subarray(0, length));
    // Only then do text positions equal byte positions.
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
