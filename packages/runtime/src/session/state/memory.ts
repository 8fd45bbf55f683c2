import type { ToolMemory } from "../../tools/tool.ts";

interface RecordedMemory {
  readonly memory: ReadonlyMap<string, string> | undefined;
}

/** The tools' memory of an open session: changes count at once, and are durable with the next tool that ends. */
export class SessionMemory implements ToolMemory {
  readonly #state: RecordedMemory;
  #live: Map<string, string> | undefined;
  /** Keys of `#live` that are not on record yet. */
  #unrecorded: Set<string> | undefined;

  /** `state`: what is on record, which grows as changes are recorded. */
  constructor(state: RecordedMemory) {
    this.#state = state;
  }

  get(key: string): string | undefined {
    return this.#live?.get(key) ?? this.#state.memory?.get(key);
  }

  set(key: string, value: string): void {
    if (this.get(key) === value) return;
    (this.#live ??= new Map()).set(key, value);
    (this.#unrecorded ??= new Set()).add(key);
  }

  /**
   * Passes unrecorded changes to `store`; `undefined` without any. When it fails, so does this, and the changes wait
   * for the next call.
   */
  async record(
    store: (changes: Record<string, string> | undefined) => Promise<void>,
  ): Promise<void> {
    const changes = this.#takeChanges();
    try {
      await store(changes);
    } catch (error) {
      // Kept by key: a value set meanwhile is the one to record.
      for (const key of Object.keys(changes ?? {})) (this.#unrecorded ??= new Set()).add(key);
      throw error;
    }
  }

  #takeChanges(): Record<string, string> | undefined {
    if (!this.#unrecorded) return undefined;
    const keys = [...this.#unrecorded];
    this.#unrecorded = undefined;
    return Object.fromEntries(keys.map((key) => [key, this.#live?.get(key) ?? ""]));
  }
}
