const PREFIX = "replayed-id-";

/**
 * Maps ids of a replay to those of the record. A replay generates its own ids, and the first event that shows one binds
 * it to the recorded id. So an id that is never shown changes nothing, while one shown at another position is a
 * difference.
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

  /** Reports whether the two can be the same id; binds them when neither was seen before. */
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

  /** The replay's id for a recorded one; the recorded one itself when the replay did not generate it. */
  ownOf(recorded: string): string {
    return this.#own.get(recorded) ?? recorded;
  }
}
