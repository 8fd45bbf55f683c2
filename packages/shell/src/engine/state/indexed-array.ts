/** An indexed array, which may have gaps. */
export class IndexedArray {
  readonly #values: Map<number, string>;
  /** True when the map holds its keys in ascending order. */
  #isSorted: boolean;
  #last: number;

  constructor(values: Iterable<string> | IndexedArray = []) {
    if (values instanceof IndexedArray) {
      this.#values = new Map(values.#values);
      this.#isSorted = values.#isSorted;
      this.#last = values.#last;
    } else {
      this.#values = new Map([...values].entries());
      this.#isSorted = true;
      this.#last = this.#values.size - 1;
    }
  }

  get size(): number {
    return this.#values.size;
  }

  /** The index behind the last element. */
  get end(): number {
    return this.#last + 1;
  }

  get(index: number): string | undefined {
    return this.#values.get(index);
  }

  set(index: number, value: string): void {
    if (index < this.#last && !this.#values.has(index)) this.#isSorted = false;
    this.#values.set(index, value);
    this.#last = Math.max(this.#last, index);
  }

  delete(index: number): void {
    this.#values.delete(index);
    if (index !== this.#last) return;
    this.#last = -1;
    for (const other of this.#values.keys()) if (other > this.#last) this.#last = other;
  }

  /** Indexes and values, in order. */
  entries(): (readonly [number, string])[] {
    const entries = [...this.#values.entries()];
    return this.#isSorted ? entries : entries.sort(([a], [b]) => a - b);
  }

  values(): string[] {
    return this.#isSorted ? [...this.#values.values()] : this.entries().map(([, value]) => value);
  }
}
