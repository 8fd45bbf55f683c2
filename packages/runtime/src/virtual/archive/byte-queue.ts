import { concatBytes } from "../../bytes.ts";

/** A queue of bytes that arrive in chunks of any size, and are read in pieces of given sizes. */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #waiting: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#chunks =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  /** The next `length` bytes; fewer only at the end. */
  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let missing = length;
    for await (const part of this.#upTo(length)) {
      parts.push(part);
      missing -= part.length;
    }
    const [first] = parts;
    return first && missing + first.length === length ? first : concatBytes(parts);
  }

  /** Skips up to `length` bytes and returns how many there were. */
  async skip(length: number): Promise<number> {
    let skipped = 0;
    for await (const part of this.#upTo(length)) skipped += part.length;
    return skipped;
  }

  /** Releases the source of the chunks. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async *#upTo(length: number): AsyncGenerator<Uint8Array> {
    for (let missing = length; missing > 0;) {
      if (this.#waiting.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) return;
        this.#waiting = next.value;
      }
      const part = this.#waiting.subarray(0, missing);
      this.#waiting = this.#waiting.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }
}
