import { costOf } from "../../context/models.ts";
import { addUsage, noUsage } from "../../context/usage.ts";
import type { AssistantMessage, TokenUsage } from "../../messages/message.ts";
import type { Spending } from "../../agent/budget.ts";
import type { Platform } from "../../ports/platform.ts";
import type { SessionEvent } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { RequestContext } from "./request-context.ts";
import { snapshotKey } from "./snapshot-key.ts";
import type { SessionSnapshot } from "./snapshot.ts";
import type { SessionState } from "./state.ts";

export interface SnapshotParts {
  readonly sessionId: string;
  readonly options: Pick<SessionOptions, "provider" | "models">;
  readonly hostPlatform: Platform;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly requestContext: RequestContext;
  /** Spent in all turns, also in those before the session was resumed. */
  readonly spending: Spending;
}

/** Below this, reading the log costs too little to save anything. */
const LEAST_LOG_BYTES = 1024 * 1024;
/** A snapshot is written when the log has grown by this many times what the last one took, so it costs a share of the log. */
const LOG_BYTES_PER_BYTE = 8;
const NOTHING: readonly [model: string, usage: TokenUsage][] = [];

/** Keeps a snapshot beside a session's log, between turns and in the background: nobody waits for it but the session's end. */
export class SnapshotKeeper {
  readonly #parts: SnapshotParts;
  readonly #usage = new Map<string, TokenUsage>();
  /** The number of the last event that the state has. */
  #applied = 0;
  /** Bytes of the last snapshot. */
  #size = 0;
  /** How many bytes the log had behind what it was loaded from when the last snapshot was taken. */
  #takenAt = 0;
  #saving: Promise<void> = Promise.resolve();

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** The stored one, if there is one that can be read. */
  async load(): Promise<SessionSnapshot | undefined> {
    const { hostPlatform, sessionId } = this.#parts;
    try {
      const bytes = await hostPlatform.storage.get(snapshotKey(sessionId));
      if (!bytes) return undefined;
      this.#size = bytes.length;
      const { decodeSnapshot } = await import("./snapshot.ts");
      return decodeSnapshot(bytes);
    } catch {
      // The log has everything.
      return undefined;
    }
  }

  /** Makes the session what it was then. */
  restore(snapshot: SessionSnapshot, older: () => Iterable<SessionEvent>): void {
    const { state, requestContext } = this.#parts;
    state.restore(snapshot.state, older, snapshot.messages);
    requestContext.restore(snapshot.tracker);
    this.#applied = snapshot.position.seq;
    for (const [model, usage] of snapshot.usage) this.#spend(model, usage);
  }

  /** Takes an event from before the session was opened, once the state has it; its usage counts too. */
  loaded(event: SessionEvent): void {
    this.#applied = event.seq;
    for (const [model, usage] of this.#usedIn(event)) this.#spend(model, usage);
  }

  /** Follows the session from now on, and takes a snapshot after turns. */
  begin(): void {
    this.#parts.log.subscribe((event, isTransient) => {
      if (!isTransient) this.#applied = event.seq;
      for (const [model, usage] of this.#usedIn(event)) this.#count(model, usage);
      if (event.type === "turn_end") this.consider();
    });
    this.consider();
  }

  /** Takes a snapshot when the log has grown enough. */
  consider(): void {
    const { state, log, requestContext } = this.#parts;
    const { position, size } = log.stored ?? { size: 0 };
    const grown = size - this.#takenAt;
    if (grown < Math.max(LEAST_LOG_BYTES, LOG_BYTES_PER_BYTE * this.#size)) return;
    const saved = state.save();
    if (!saved || position?.seq !== this.#applied) return;
    this.#takenAt = size;
    const usage = [...this.#usage].map(([model, used]): [string, TokenUsage] => [
      model,
      { ...used },
    ]);
    const snapshot = { position, state: saved, tracker: requestContext.tracker.save(), usage };
    // The list is live, and goes on while the snapshot is being made.
    const messages = state.messages.slice();
    this.#saving = this.#saving
      .then(async () => {
        const { encodeSnapshot } = await import("./snapshot.ts");
        const bytes = encodeSnapshot(snapshot, messages);
        this.#size = bytes.length;
        await this.#parts.hostPlatform.storage.set(snapshotKey(this.#parts.sessionId), bytes);
      })
      // The next one is tried when the log has grown as much again.
      .catch(() => undefined);
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.#saving;
  }

  #usedIn(event: SessionEvent): readonly [model: string, usage: TokenUsage][] {
    if (event.type !== "assistant_message" && event.type !== "tool_end") return NOTHING;
    const answers: readonly Pick<AssistantMessage, "model" | "usage">[] =
      event.type === "assistant_message" ? [event.message] : (event.outcome.answers ?? []);
    const used: [model: string, usage: TokenUsage][] = [];
    for (const { model = this.#parts.options.provider.model, usage } of answers)
      if (usage) used.push([model, usage]);
    return used;
  }

  #spend(model: string, usage: TokenUsage): void {
    const { spending, options } = this.#parts;
    this.#count(model, usage);
    spending.add(usage, costOf(usage, model, options.models));
  }

  #count(model: string, usage: TokenUsage): void {
    const total = this.#usage.get(model) ?? noUsage();
    addUsage(total, usage);
    this.#usage.set(model, total);
  }
}
