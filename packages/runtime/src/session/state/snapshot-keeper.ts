import { costOf } from "../../context/models.ts";
import { addUsage, noUsage } from "../../context/usage.ts";
import type { AssistantMessage, TokenUsage } from "../../messages/message.ts";
import type { Spending } from "../../agent/budget.ts";
import type { Platform } from "../../ports/platform.ts";
import type { ModelUsage, SessionEvent, SessionEventBody } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { NoteKind } from "../log/notes.ts";
import type { SessionOptions } from "../options.ts";
import type { RequestContext } from "./request-context.ts";
import type { SessionSnapshot } from "./snapshot.ts";
import type { SessionState } from "./state.ts";
import { snapshotKey } from "../store/storage-keys.ts";

export interface SnapshotParts {
  readonly sessionId: string;
  readonly options: Pick<SessionOptions, "provider" | "models">;
  readonly hostPlatform: Platform;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly requestContext: RequestContext;
  /** Spending of all turns, including those before the session was resumed. */
  readonly spending: Spending;
}

/** Log size below which a snapshot saves too little. */
const LEAST_LOG_BYTES = 1024 * 1024;
/**
 * Growth of the log that triggers a snapshot, as a multiple of the last one's size, so that snapshots cost a bounded
 * share of the log.
 */
const LOG_BYTES_PER_BYTE = 8;
const NOTHING_TO_SAVE = Promise.resolve();

/**
 * Keeps a snapshot beside a session's log, between turns and in the background: only the session's end waits for it.
 */
export class SnapshotKeeper {
  readonly #parts: SnapshotParts;
  #usage: Map<string, TokenUsage> | undefined;
  /** Number of the last event in the state. */
  #applied = 0;
  /** Size of the last snapshot, in bytes. */
  #size = 0;
  /** Size of the log after its loaded snapshot, when the last snapshot was taken, in bytes. */
  #takenAt = 0;
  #saving = NOTHING_TO_SAVE;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** The stored snapshot, if it is readable. */
  async load(): Promise<SessionSnapshot | undefined> {
    const { hostPlatform, sessionId } = this.#parts;
    try {
      const bytes = await hostPlatform.storage.get(snapshotKey(sessionId));
      if (!bytes) return undefined;
      this.#size = bytes.length;
      const { decodeSnapshot } = await import("./snapshot.ts");
      return decodeSnapshot(bytes);
    } catch {
      // The log is complete without it.
      return undefined;
    }
  }

  /** Restores the session from a snapshot. */
  restore(snapshot: SessionSnapshot, older: () => Iterable<SessionEvent>): void {
    const { state, requestContext } = this.#parts;
    state.restore(snapshot.state, older, snapshot.messages);
    requestContext.restore(snapshot.tracker);
    this.#applied = snapshot.position.seq;
    for (const [model, usage] of snapshot.usage) this.#spend(model, usage);
  }

  /** Takes an event from before the session was opened, once it is folded; its usage counts too. */
  loaded(event: SessionEvent): void {
    this.#applied = event.seq;
    this.#spendIn(event);
  }

  /** Takes an event that opening adds: usage of an earlier page or process that was not counted yet. */
  recovered(event: SessionEventBody): void {
    this.#spendIn(event);
  }

  /** Follows the session from now on, and takes snapshots after turns. */
  begin(): void {
    this.#parts.log.subscribe((event, isTransient) => {
      if (!isTransient) this.#applied = event.seq;
      this.#forEachUse(event, (model, usage) => this.#count(model, usage));
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
    const usage = [...(this.#usage ?? [])].map(([model, used]): [string, TokenUsage] => [
      model,
      { ...used },
    ]);
    const snapshot = { position, state: saved, tracker: requestContext.tracker.save(), usage };
    // The list is live, and grows while the snapshot is encoded.
    const messages = state.messages.slice();
    this.#saving = this.#saving
      .then(async () => {
        const { encodeSnapshot } = await import("./snapshot.ts");
        const bytes = encodeSnapshot(snapshot, messages);
        this.#size = bytes.length;
        await this.#parts.hostPlatform.storage.set(snapshotKey(this.#parts.sessionId), bytes);
      })
      // The next attempt comes after as much growth again.
      .catch(() => undefined);
  }

  /** Resolves when no write is pending. */
  settled(): Promise<void> {
    return this.#saving;
  }

  #forEachUse(event: SessionEventBody, act: (model: string, usage: TokenUsage) => void): void {
    const answers = answersIn(event);
    if (!answers) return;
    for (const { model = this.#parts.options.provider.model, usage } of answers)
      if (usage) act(model, usage);
  }

  #spendIn(event: SessionEventBody): void {
    this.#forEachUse(event, (model, usage) => this.#spend(model, usage));
  }

  #spend(model: string, usage: TokenUsage): void {
    const { spending, options } = this.#parts;
    this.#count(model, usage);
    spending.add(usage, costOf(usage, model, options.models));
  }

  #count(model: string, usage: TokenUsage): void {
    const total = this.#usage?.get(model) ?? noUsage();
    addUsage(total, usage);
    (this.#usage ??= new Map()).set(model, total);
  }
}

/** The answers of models in an event: of the session's own, those that tools and hooks asked, and of background agents. */
export function answersIn(
  event: SessionEventBody,
): readonly Pick<AssistantMessage, "model" | "usage">[] | undefined {
  if (event.type === "assistant_message") return [event.message];
  if (event.type === "tool_end") return event.outcome.answers;
  if (event.type === "agent_end") return event.used;
  if (event.type === "compaction") return event.used && [event.used];
  if (event.type === "note") return unusedSummary(event);
  return event.type === "hook_run" ? [event] : undefined;
}

const UNUSED: NoteKind = "summary-unused";

/** The usage of a summary that could not be used. An import may hold anything. */
function unusedSummary({
  kind,
  data,
}: Extract<SessionEventBody, { type: "note" }>): ModelUsage[] | undefined {
  return kind === UNUSED && isModelUsage(data) ? [data] : undefined;
}

function isModelUsage(data: unknown): data is ModelUsage {
  if (typeof data !== "object" || data === null || !("usage" in data)) return false;
  const { model, usage }: { model?: unknown; usage: unknown } = data;
  if (typeof model !== "string" || typeof usage !== "object" || usage === null) return false;
  const counts: Record<string, unknown> = { ...usage };
  return Object.keys(noUsage()).every((name) => {
    const count = counts[name];
    return typeof count === "number" && Number.isFinite(count) && count >= 0;
  });
}
