import type { SessionEvent } from "../log/events.ts";
import type { EventStore } from "../log/log.ts";
import type { LoadedLog, LogDamage } from "../log/log-reader.ts";

/** What was replayed so far, as a session finds it that is opened again. What it adds is taken down elsewhere. */
export class ProducedEvents implements EventStore {
  readonly position = undefined;
  readonly size = 0;
  readonly #past: readonly SessionEvent[];
  readonly #damage: LogDamage;

  /** `damage`: what was wrong with the log, besides, when it was opened. */
  constructor(produced: readonly SessionEvent[], damage: LogDamage) {
    this.#past = produced.slice();
    this.#damage = damage;
  }

  async load(): Promise<LoadedLog> {
    return { ...this.#damage, events: [...this.#past] };
  }

  async append(): Promise<void> {}

  async *after(seq: number): AsyncGenerator<SessionEvent, void> {
    for (const event of this.#past) if (event.seq > seq) yield event;
  }
}
