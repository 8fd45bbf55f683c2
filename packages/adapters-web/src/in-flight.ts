/** Calls that are under way, so that a close can wait for them. */
export class InFlight {
  readonly #calls = new Set<Promise<unknown>>();

  async track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Resolves when all calls have settled. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}
