/** The items of pages one by one. A generator would take several turns of the event loop's queue for each of them. */
export class Paged<Item> implements AsyncIterableIterator<Item, void> {
  readonly #pages: AsyncIterator<readonly Item[], void>;
  #page: readonly Item[] = [];
  #at = 0;
  /** Pending while the next page loads: whether there is one. */
  #turning: Promise<boolean> | undefined;

  constructor(pages: AsyncIterator<readonly Item[], void>) {
    this.#pages = pages;
  }

  next(): Promise<IteratorResult<Item, void>> {
    if (this.#at < this.#page.length) return Promise.resolve(this.#take());
    return this.#nextOfNextPage();
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#page = [];
    await this.#pages.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #nextOfNextPage(): Promise<IteratorResult<Item, void>> {
    while (this.#at >= this.#page.length) {
      this.#turning ??= this.#turn();
      if (!(await this.#turning)) return { value: undefined, done: true };
    }
    return this.#take();
  }

  #take(): IteratorYieldResult<Item> {
    return { value: this.#page[this.#at++] as Item, done: false };
  }

  async #turn(): Promise<boolean> {
    try {
      const { value, done } = await this.#pages.next();
      [this.#page, this.#at] = [value ?? [], 0];
      return !done;
    } finally {
      this.#turning = undefined;
    }
  }
}
