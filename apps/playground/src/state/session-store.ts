import type { InteractiveSession, PermissionMode, SessionEvent } from "@robota/runtime";
import type { PermissionAnswer } from "@robota/runtime/permissions";
import type { CommandResult } from "@robota/runtime/sessions";
import { applyEvent, type ConversationView, emptyConversation } from "./conversation.ts";
import { type Cell, createCell, type ReadonlyCell } from "./cell.ts";

/** One row of the event log. Deltas of one message share a row. */
export interface LogRow {
  event: SessionEvent;
  /** Number of events in the row. */
  count: number;
}

/** Used while no session is open. */
export const emptyLog: ReadonlyCell<readonly LogRow[]> = createCell<readonly LogRow[]>([]);
export const noConversation: ReadonlyCell<ConversationView> = createCell(emptyConversation);

/**
 * The interface's view of one open session: the fold of its events, the events themselves, and the actions of a person.
 * Deltas reach React at most once per frame.
 */
export class SessionStore {
  readonly #session: InteractiveSession;
  readonly #conversation: Cell<ConversationView>;
  readonly #log = createCell<readonly LogRow[]>([]);
  readonly #failure = createCell<Error | undefined>(undefined);
  readonly #end = new AbortController();
  #waiting: SessionEvent[] = [];
  #cancelFrame: (() => void) | undefined;

  /** @param onEvents called with every batch, after it is folded. */
  constructor(session: InteractiveSession, onEvents: (events: readonly SessionEvent[]) => void) {
    this.#session = session;
    // Window usage comes as an unstored event, so a reopened session has to be asked.
    const { usedTokens, maxTokens, usedPercentage } = session.getContextState();
    const context = { usedTokens, maxTokens, usedPercentage, exact: false };
    const mode = session.getPermissionMode();
    this.#conversation = createCell<ConversationView>({ ...emptyConversation, mode, context });
    void this.#follow(onEvents);
  }

  get id(): string {
    return this.#session.sessionId;
  }

  get conversation(): ReadonlyCell<ConversationView> {
    return this.#conversation;
  }

  get log(): ReadonlyCell<readonly LogRow[]> {
    return this.#log;
  }

  /** The error that ended the subscription. */
  get failure(): ReadonlyCell<Error | undefined> {
    return this.#failure;
  }

  /** True when closing the session would interrupt work. */
  get isBusy(): boolean {
    return this.#session.isExecuting() || this.#session.pendingPermissions().length > 0;
  }

  /**
   * Resolves at the end of the turn.
   * @param shown text that the conversation shows instead of `text`
   * @throws {SessionError} `QUEUE_FULL`
   */
  async send(text: string, shown?: string): Promise<void> {
    await this.#session.submit(text, shown);
  }

  /** Gives the running turn a message for its next step. */
  steer(text: string): Promise<void> {
    return this.#session.steer(text);
  }

  stop(): void {
    this.#session.abort();
  }

  clearQueue(): void {
    this.#session.cancelQueue();
  }

  /** The session's slash commands. */
  get commands(): readonly { name: string; description: string }[] {
    return this.#session.listCommands();
  }

  /** Resolves to `null` for an unknown command. */
  runCommand(name: string, args: string): Promise<CommandResult | null> {
    return this.#session.executeCommand(name, args);
  }

  setMode(mode: PermissionMode): Promise<void> {
    return this.#session.setPermissionMode(mode);
  }

  rename(name: string): Promise<void> {
    return this.#session.setName(name);
  }

  answer(requestId: string, answer: PermissionAnswer): Promise<void> {
    return this.#session.resolvePermission(requestId, answer);
  }

  /** True when nothing was ever said in it. */
  get isNew(): boolean {
    return this.#session.getFullHistory().length === 0;
  }

  /** Rebuilds the queue without the prompt at `index`. */
  removeQueued(index: number): void {
    const kept = this.#session.getQueue().filter((_, at) => at !== index);
    this.#session.cancelQueue();
    for (const prompt of kept) this.#session.submit(prompt).catch(() => undefined);
  }

  /** Stops following and gives the session back, so that another tab can open it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#session.shutdown({ reason: "closed" });
  }

  async #follow(onEvents: (events: readonly SessionEvent[]) => void): Promise<void> {
    try {
      for await (const event of this.#session.events({ signal: this.#end.signal })) {
        this.#waiting.push(event);
        const urgent = event.type === "turn_end" || event.type === "permission_request";
        if (urgent) this.#flush(onEvents);
        else this.#cancelFrame ??= onNextFrame(() => this.#flush(onEvents));
      }
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#failure.set(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #flush(onEvents: (events: readonly SessionEvent[]) => void): void {
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    this.#conversation.set(mergeDeltas(events).reduce(applyEvent, this.#conversation.get()));
    this.#log.set(appendRows(this.#log.get(), events));
    onEvents(events);
  }
}

/** Runs once before the next paint; in a page that is not painted, soon. */
function onNextFrame(run: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(run, 100);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}

/** Neighbouring deltas of one message as one, so that a burst costs one step of the fold. */
export function mergeDeltas(events: readonly SessionEvent[]): SessionEvent[] {
  const merged: SessionEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (
      last &&
      ((event.type === "text_delta" && last.type === "text_delta") ||
        (event.type === "thinking_delta" && last.type === "thinking_delta")) &&
      event.messageId === last.messageId
    ) {
      merged[merged.length - 1] = { ...last, delta: last.delta + event.delta };
    } else merged.push(event);
  }
  return merged;
}

function appendRows(rows: readonly LogRow[], events: readonly SessionEvent[]): readonly LogRow[] {
  const next = [...rows];
  for (const event of events) {
    const last = next.at(-1);
    const continues =
      last?.event.type === event.type &&
      (event.type === "text_delta" ||
        event.type === "thinking_delta" ||
        event.type === "tool_output") &&
      last.event.turnId === event.turnId;
    if (continues && last) next[next.length - 1] = { event, count: last.count + 1 };
    else next.push({ event, count: 1 });
  }
  return next;
}
