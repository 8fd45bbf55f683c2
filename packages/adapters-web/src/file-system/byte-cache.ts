const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;
/** How long one may go on reading from memory before the browser has its turn. */
const MAX_STRETCH_MS = 10;

/** Bytes of files that were read or written lately, by inode number; the oldest go first. */
export class ByteCache {
  readonly #files = new Map<number, Uint8Array>();
  #size = 0;
  #stretchEndsAt = 0;

  /**
   * A copy, or `undefined` when the bytes are not here. Also `undefined` now and then: a caller that polls a file must
   * let the browser do other work in between, as it does when the database is asked.
   */
  get(ino: number): Uint8Array | undefined {
    const bytes = this.#files.get(ino);
    if (!bytes) return undefined;
    const now = performance.now();
    if (now > this.#stretchEndsAt) {
      this.#stretchEndsAt = now + MAX_STRETCH_MS;
      return undefined;
    }
    return bytes.slice();
  }

  /** The bytes themselves, for whoever leaves them as they are and gives the browser its turns. */
  peek(ino: number): Uint8Array | undefined {
    return this.#files.get(ino);
  }

  /** Takes `bytes` over. */
  set(ino: number, bytes: Uint8Array): void {
    this.delete(ino);
    if (bytes.length > MAX_FILE_BYTES) return;
    this.#files.set(ino, bytes);
    this.#size += bytes.length;
    for (const oldest of this.#files.keys()) {
      if (this.#size <= MAX_BYTES) return;
      this.delete(oldest);
    }
  }

  delete(ino: number): void {
    const bytes = this.#files.get(ino);
    if (!bytes) return;
    this.#files.delete(ino);
    this.#size -= bytes.length;
  }

  clear(): void {
    this.#files.clear();
    this.#size = 0;
  }
}
