import type { SessionEvent } from "../log/events.ts";
import type { EventStore } from "../log/log.ts";
import type { LoadedLog, LogDamage } from "../log/log-reader.ts";

/** The replayed events, as a reopened session finds them. Its additions are recorded elsewhere. */
export class ProducedEvents implements EventStore {
  readonly position = undefined;
  readonly size = 0;
  readonly #past: readonly SessionEvent[];
  readonly #damage: LogDamage;

  /** `damage`: the log's damage at the time of opening. */
  constructor(produced: readonly SessionEvent[], damage: LogDamage) {
    this.#past = produced.slice();
    this.#damage = damage;
  }

  async load(): Promise<LoadedLog> {
    return { ...this.#damage, events: [...this.#past] };
  }

  async append(): Promise<void> {}

  async *after(after: number): AsyncGenerator<readonly SessionEvent[], void> {
    yield this.#past.filter(({ seq }) => seq > after);
  }
}
