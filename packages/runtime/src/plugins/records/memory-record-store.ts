import type { RecordStore } from "./record-store.ts";

const DEFAULT_CAPACITY = 10_000;

/** Keeps the newest records up to a number, as long as the object lives; the oldest make room. */
export class MemoryRecordStore<Item> implements RecordStore<Item> {
  readonly #capacity: number;
  #items: Item[] = [];
  #added = 0;
  #cleared = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  get dropped(): number {
    return Math.max(0, this.#added - this.#cleared - this.#capacity);
  }

  add(item: Item): void {
    this.#items.push(structuredClone(item));
    this.#added += 1;
    // Cut in halves, so that a full store does not move its whole content for each record.
    if (this.#items.length >= this.#capacity * 2) this.#items = this.#items.slice(-this.#capacity);
  }

  async *read(): AsyncGenerator<Item, void, undefined> {
    yield* structuredClone(this.#items.slice(-this.#capacity));
  }

  async flush(): Promise<void> {}

  async clear(): Promise<void> {
    this.#items = [];
    this.#cleared = this.#added;
  }

  async dispose(): Promise<void> {}
}
