/** Bytes of commits that were read or written lately, by where they begin; the oldest go first. They never change. */
export class PayloadCache {
  readonly #maxBytes: number;
  readonly #payloads = new Map<string, Uint8Array>();
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Not a copy. */
  get(commit: number, offset: number, length: number): Uint8Array | undefined {
    const key = `${commit}:${offset}`;
    const bytes = this.#payloads.get(key);
    if (!bytes || bytes.length < length) return undefined;
    this.#payloads.delete(key);
    this.#payloads.set(key, bytes);
    return bytes.length === length ? bytes : bytes.subarray(0, length);
  }

  /** Takes `bytes` over. Larger than a quarter of the whole, they would only push out the rest. */
  set(commit: number, offset: number, bytes: Uint8Array): void {
    if (bytes.length > this.#maxBytes / 4) return;
    const key = `${commit}:${offset}`;
    this.#size += bytes.length - (this.#payloads.get(key)?.length ?? 0);
    this.#payloads.delete(key);
    this.#payloads.set(key, bytes);
    for (const [oldest, { length }] of this.#payloads) {
      if (this.#size <= this.#maxBytes) return;
      this.#payloads.delete(oldest);
      this.#size -= length;
    }
  }
}
