/** Runs work one at a time for each key, in the order of the calls; different keys run side by side. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(work);
    // A failure belongs to the caller that gets `result`; the next one only waits.
    const tail: Promise<void> = result.then(
      () => this.#leave(key, tail),
      () => this.#leave(key, tail),
    );
    this.#tails.set(key, tail);
    return result;
  }

  /** Resolves when nothing is left to run, of all keys. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  #leave(key: string, tail: Promise<void>): void {
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }
}
