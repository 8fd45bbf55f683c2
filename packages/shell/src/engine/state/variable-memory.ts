/** Bytes of a value beside its characters, roughly. */
const OVERHEAD = 16;

/** The values that a shell's variables have at this moment. */
export interface Holder {
  /** Adds up what it holds; whatever is in `seen` has been counted already. */
  held(seen: Set<object>): number;
}

/**
 * Bounds what the variables of all shells of a run hold together. Values come and go, and shells share them: so it adds
 * up what there is only when half of the limit has been assigned anew.
 */
export class VariableMemory {
  readonly #limit: number;
  readonly #exceeded: () => never;
  readonly #holders = new Set<Holder>();
  #assigned = 0;

  /** @param limit In characters. */
  constructor(limit: number, exceeded: () => never) {
    this.#limit = limit;
    this.#exceeded = exceeded;
  }

  /** Called for each value that is assigned. */
  charge(characters: number): void {
    this.#assigned += characters + OVERHEAD;
    if (this.#assigned <= this.#limit / 2) return;
    this.#assigned = 0;
    const seen = new Set<object>();
    let held = 0;
    for (const holder of this.#holders) held += holder.held(seen);
    if (held > this.#limit) this.#exceeded();
  }

  add(holder: Holder): void {
    this.#holders.add(holder);
  }

  /** Called at the end of a shell. */
  delete(holder: Holder): void {
    this.#holders.delete(holder);
  }
}

/** The characters of a value. */
export function sizeOf(values: Iterable<string>): number {
  let size = 0;
  for (const value of values) size += value.length + OVERHEAD;
  return size;
}
