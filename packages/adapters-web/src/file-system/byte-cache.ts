const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;
/** Maximum time of reading from memory before yielding to the browser. */
const MAX_STRETCH_MS = 10;

/** Bytes of files that were read or written lately, by inode number; the oldest go first. */
export class ByteCache {
  readonly #files = new Map<number, Uint8Array>();
  #size = 0;
  #stretchEndsAt = 0;

  /**
   * A copy, or `undefined` on a cache miss. Also `undefined` now and then: a caller that polls a file must yield to the
   * browser, as it does with a database query.
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

  /** The bytes themselves, for callers that do not modify them and yield to the browser. */
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
