/** The entries of `lists`, one by one, until `signal` aborts. */
export function oneByOne<T>(
  lists: AsyncGenerator<readonly T[], void>,
  signal?: AbortSignal,
): AsyncGenerator<T, void> {
  return new OneByOne(lists, signal);
}

/** An async generator would spend several steps of the host on each entry; here it is one. */
class OneByOne<T> implements AsyncGenerator<T, void> {
  readonly #lists: AsyncGenerator<readonly T[], void>;
  readonly #signal: AbortSignal | undefined;
  #list: readonly T[] = [];
  #next = 0;
  /** The last of the calls that wait for a list. Calls behind it wait for it. */
  #waiting: Promise<IteratorResult<T, void>> | undefined;

  constructor(lists: AsyncGenerator<readonly T[], void>, signal: AbortSignal | undefined) {
    this.#lists = lists;
    this.#signal = signal;
  }

  next(): Promise<IteratorResult<T, void>> {
    if (!this.#waiting && this.#hasEntry()) return Promise.resolve(this.#entry());
    const take = (): Promise<IteratorResult<T, void>> => this.#take();
    const waiting = this.#waiting ? this.#waiting.then(take, take) : take();
    const done = (): void => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    };
    this.#waiting = waiting;
    waiting.then(done, done);
    return waiting;
  }

  async return(): Promise<IteratorResult<T, void>> {
    await this.#lists.return();
    this.#list = [];
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<T, void>> {
    this.#list = [];
    await this.#lists.throw(error);
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #hasEntry(): boolean {
    return this.#next < this.#list.length && !this.#signal?.aborted;
  }

  #entry(): IteratorResult<T, void> {
    return { value: this.#list[this.#next++] as T, done: false };
  }

  async #take(): Promise<IteratorResult<T, void>> {
    while (!this.#hasEntry()) {
      const { value, done } = await this.#lists.next();
      if (done || !value) return { value: undefined, done: true };
      this.#list = value;
      this.#next = 0;
    }
    return this.#entry();
  }
}
