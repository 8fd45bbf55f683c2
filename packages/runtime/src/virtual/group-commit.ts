export type Outcome<Result> = { value: Result } | { error: unknown };

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit: items added while one batch is being stored go into the next, so that a hundred concurrent writes cost
 * two or three transactions. Items are stored in the order in which they were added.
 *
 * `store` resolves to one outcome per item. When it rejects, nothing was stored, and the items are retried one by one,
 * so that a bad one affects no other.
 */
export class GroupCommit<Item, Result> {
  readonly #store: (items: readonly Item[]) => Promise<Outcome<Result>[]>;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(store: (items: readonly Item[]) => Promise<Outcome<Result>[]>) {
    this.#store = store;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything added so far has been stored or refused. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Deferred: further items of the same step belong to the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#settle(batch);
    }
    this.#running = undefined;
  }

  async #settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#store(batch.map(({ item }) => item));
      for (const [index, outcome] of outcomes.entries()) {
        if ("error" in outcome) batch[index]?.reject(outcome.error);
        else batch[index]?.resolve(outcome.value);
      }
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await this.#settle([one]);
    }
  }
}
