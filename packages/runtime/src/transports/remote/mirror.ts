import { type ContextWindowState, contextWindowState } from "../../context/tracker.ts";
import type { SessionEvent } from "../../session/log/events.ts";
import { SessionState } from "../../session/state/state.ts";

/** Kinds of events that are not part of a log; they have the number of the event before them. */
const TRANSIENT: ReadonlySet<string> = new Set(["tool_output", "context_update", "note"]);

/** A session's log as far as it arrived, and the fold of it that the session itself uses. */
export class SessionMirror {
  readonly state = new SessionState();
  /** In the order of their numbers. */
  readonly #events: SessionEvent[] = [];
  context: ContextWindowState | undefined;

  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  /** True for the next event of the log, and for one that is only shown. An event that came before is neither. */
  isNew({ seq, type }: SessionEvent): boolean {
    return seq > this.lastSeq || (seq === this.lastSeq && TRANSIENT.has(type));
  }

  /** Takes an event that is new. */
  add(event: SessionEvent): void {
    if (event.type === "context_update")
      this.context = contextWindowState(event.usedTokens, event.maxTokens);
    if (event.seq === this.lastSeq) return;
    this.#events.push(event);
    this.state.apply(event);
  }

  /** The events with higher numbers. */
  after(seq: number): SessionEvent[] {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return this.#events.slice(low);
  }
}
