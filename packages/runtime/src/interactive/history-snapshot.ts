import { getMessagesForAPI, type HistoryEntry } from "../messages/history.ts";
import type { Message } from "../messages/message.ts";
import type { Session } from "../session/session.ts";

export interface ShownHistory {
  readonly entries: readonly HistoryEntry[];
  readonly messages: readonly Message[];
}

/** Immutable snapshots of the history for user interfaces. */
export class HistorySnapshot {
  readonly #session: Pick<Session, "getFullHistory">;
  #source: readonly HistoryEntry[] = [];
  #length = 0;
  #snapshot: ShownHistory = { entries: [], messages: [] };

  constructor(session: Pick<Session, "getFullHistory">) {
    this.#session = session;
  }

  /** Returns a new object after every change, the same one until then. */
  get(): ShownHistory {
    const source = this.#session.getFullHistory();
    if (source !== this.#source || source.length !== this.#length) {
      const entries = [...source];
      this.#source = source;
      this.#length = source.length;
      this.#snapshot = { entries, messages: getMessagesForAPI(entries) };
    }
    return this.#snapshot;
  }

  /** The entries up to an event: the history of an earlier moment. */
  upTo(seq: number): readonly HistoryEntry[] {
    const { entries } = this.get();
    const count = entries.findLastIndex((entry) => entry.seq <= seq) + 1;
    return count === entries.length ? entries : entries.slice(0, count);
  }
}
