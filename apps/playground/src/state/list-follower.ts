import type { SessionEvent } from "@robota/runtime";
import type { SessionHeader } from "@robota/runtime/sessions";

/** Events that change the list of sessions. */
const LISTED: ReadonlySet<SessionEvent["type"]> = new Set([
  "turn_start",
  "turn_end",
  "name_change",
]);
const REFRESH_MS = 150;
/** The longest pause between two looks at a list that is behind; then it counts as one that can't be stored. */
const LAST_REFRESH_MS = 5_000;

export interface ListFollowerOptions {
  /** Reads the list. */
  refresh: () => Promise<readonly Pick<SessionHeader, "id" | "updatedAt">[]>;
  /** Called when a list that was behind is so no more. */
  onCaughtUp: () => void;
}

/** Keeps the list of sessions up to date: a header is written some time behind the event that changes it. */
export class ListFollower {
  readonly #options: ListFollowerOptions;
  /** Time of the last event that the list does not have, by session. Milliseconds since the epoch. */
  readonly #awaited = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ListFollowerOptions) {
    this.#options = options;
  }

  /** Takes down what changes the list, and reads it soon. Returns false for events that don't change it. */
  note(sessionId: string, events: readonly SessionEvent[]): boolean {
    const last = events.findLast(({ type }) => LISTED.has(type));
    if (!last) return false;
    this.#awaited.set(sessionId, last.time);
    this.refreshSoon();
    return true;
  }

  /** The session is deleted. */
  forget(sessionId: string): void {
    this.#awaited.delete(sessionId);
  }

  /** Reads the list in a moment, and again while it is behind. */
  refreshSoon(afterMs = REFRESH_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(afterMs), afterMs);
  }

  async #refresh(afterMs: number): Promise<void> {
    for (const { id, updatedAt } of await this.#options.refresh())
      if (Date.parse(updatedAt) >= (this.#awaited.get(id) ?? 0)) this.#awaited.delete(id);
    if (this.#awaited.size === 0) {
      if (afterMs > REFRESH_MS) this.#options.onCaughtUp();
    } else if (afterMs < LAST_REFRESH_MS) this.refreshSoon(2 * afterMs);
    else this.#awaited.clear();
  }
}
