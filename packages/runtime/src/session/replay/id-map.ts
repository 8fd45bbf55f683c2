const PREFIX = "replayed-id-";

/**
 * Which id of a replay stands for which id of the record. A replay makes ids of its own, and the first event that shows
 * one says what it is called in the record; from then on the two belong together. So an id that is made and never shown
 * changes nothing, while one that is shown in another place than it was is a difference.
 */
export class IdMap {
  #count = 0;
  readonly #recorded = new Map<string, string>();
  readonly #own = new Map<string, string>();
  readonly #made = new Set<string>();

  make(): string {
    this.#count += 1;
    const id = PREFIX + this.#count;
    this.#made.add(id);
    return id;
  }

  isOwn(value: string): boolean {
    // Nearly all texts that are asked about are long, and none.
    return value.startsWith(PREFIX) && this.#made.has(value);
  }

  /** Whether the two can be one id; binds them when neither was seen before. */
  matches(own: string, recorded: string): boolean {
    const known = this.#recorded.get(own);
    if (known !== undefined) return known === recorded;
    if (this.#own.has(recorded)) return false;
    this.#recorded.set(own, recorded);
    this.#own.set(recorded, own);
    return true;
  }

  /** As `matches`, without binding. */
  couldMatch(own: string, recorded: string): boolean {
    const known = this.#recorded.get(own);
    return known === undefined ? !this.#own.has(recorded) : known === recorded;
  }

  /** What the replay calls an id of the record; that id itself when the replay did not make it. */
  ownOf(recorded: string): string {
    return this.#own.get(recorded) ?? recorded;
  }
}
