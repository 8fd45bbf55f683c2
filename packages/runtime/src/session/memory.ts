import type { ToolMemory } from "../tools/tool.ts";

/** The tools' memory of an open session: changes count at once, and are durable with the next tool that ends. */
export class SessionMemory implements ToolMemory {
  readonly #stored: ReadonlyMap<string, string>;
  readonly #live = new Map<string, string>();
  #changes: Record<string, string> = Object.create(null) as Record<string, string>;

  /** `stored`: what the log says, which grows as changes are recorded. */
  constructor(stored: ReadonlyMap<string, string>) {
    this.#stored = stored;
  }

  get(key: string): string | undefined {
    return this.#live.get(key) ?? this.#stored.get(key);
  }

  set(key: string, value: string): void {
    if (this.get(key) === value) return;
    this.#live.set(key, value);
    this.#changes[key] = value;
  }

  /** What was set since the last call of this, to be recorded; `undefined` for nothing. */
  takeChanges(): Record<string, string> | undefined {
    if (Object.keys(this.#changes).length === 0) return undefined;
    const changes = { ...this.#changes };
    this.#changes = Object.create(null) as Record<string, string>;
    return changes;
  }
}
