import { defined } from "../defined.ts";
import { abortError, errorFacts, SessionError } from "../errors.ts";
import { asError } from "../messages/reported-error.ts";
import type { TurnRequest } from "../session/log/events.ts";
import type { TurnOutcome } from "../session/options.ts";
import type { Session } from "../session/session.ts";
import type { HistorySnapshot } from "./history-snapshot.ts";
import type { SessionListeners } from "./listeners.ts";
import type { ExecutionResult } from "./types.ts";

export interface Prompt {
  input: string;
  displayInput?: string | undefined;
  rawInput?: string | undefined;
  /** Name of the skill whose instructions it is. */
  skill?: string | undefined;
  request?: TurnRequest | undefined;
}

interface QueuedPrompt extends Prompt {
  /** Absent for a prompt restored from the log, whose caller is gone. */
  settle?: { resolve: (result: ExecutionResult) => void; reject: (error: unknown) => void };
}

/** Accepts prompts, runs one turn at a time, and queues the others. */
export class PromptRunner {
  readonly #session: Session;
  readonly #listeners: SessionListeners;
  readonly #history: HistorySnapshot;
  readonly #limit: number;
  /**
   * Restored prompts first; they run behind the next turn. Always the same list: a turn records, when it has begun, the
   * prompts that wait behind it by then.
   */
  readonly #queue: QueuedPrompt[] = [];
  /** True while this object runs a turn and reports on it. */
  #following = false;
  #abortController = new AbortController();
  /** Prompts that were sent while the session opens for them. */
  #arriving = 0;

  /** `limit`: how many prompts may wait. */
  constructor(
    session: Session,
    listeners: SessionListeners,
    history: HistorySnapshot,
    limit: number,
  ) {
    this.#session = session;
    this.#listeners = listeners;
    this.#history = history;
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /**
   * Restores the prompts that waited when the session was last open, and goes on with a turn that was cut and stayed
   * open. Without one, the prompts run now if `startsQueue`, or else behind the next turn.
   */
  restore(startsQueue: boolean): void {
    if (this.#session.handedOverTo) return;
    this.#queue.unshift(...this.#session.getWaitingPrompts());
    if (startsQueue) this.#startNext();
    if (this.isWaiting() && this.#session.pendingPermissions().length === 0) this.resume();
  }

  /** True for an open turn that is not running: interrupted while it waited for an approval. */
  isWaiting(): boolean {
    return this.#session.hasOpenTurn() && !this.#session.isRunning() && !this.#following;
  }

  /** True while a turn is open: requested, running, or waiting for an answer since before a reload. */
  isExecuting(): boolean {
    return this.#arriving > 0 || this.#isBusy();
  }

  /** True when a prompt has to be queued. */
  #isBusy(): boolean {
    return this.#following || this.#session.hasOpenTurn();
  }

  /** All queued prompts, in order. */
  waiting(): string[] {
    return this.#queue.map(({ input }) => input);
  }

  /** The requests of restored prompts; such a request that comes again takes its prompt over. */
  waitingRequests(): TurnRequest[] {
    return this.#queue.flatMap(({ request, settle }) => (request && !settle ? request : []));
  }

  /**
   * Takes a prompt once the session is `ready`. A restored prompt whose request comes again is not queued twice.
   * @throws {SessionError} `QUEUE_FULL`; nothing that waits is replaced
   */
  async submit(prompt: Prompt, ready: Promise<void>): Promise<ExecutionResult> {
    // From here on an abort concerns this prompt, even while the session is still opening.
    const abortSignal = this.#abortController.signal;
    this.#arriving += 1;
    try {
      await ready;
    } finally {
      this.#arriving -= 1;
    }
    if (abortSignal.aborted) return this.#dropped();
    const restored = this.#restoredAs(prompt);
    if (!this.#isBusy()) {
      this.#replace(restored);
      return this.#execute(prompt);
    }
    if (!restored && this.#queue.length >= this.#limit) {
      throw new SessionError(
        "QUEUE_FULL",
        this.#limit === 1
          ? "A prompt is waiting already"
          : `${this.#limit} prompts are waiting already`,
        {
          hint: "Wait for the running turn, cancel the queue, or steer the running turn.",
        },
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
    // A shutdown may reject it before its caller has it.
    promise.catch(() => undefined);
    const queued: QueuedPrompt = { ...prompt, settle: { resolve, reject } };
    if (restored) this.#replace(restored, queued);
    else this.#queue.push(queued);
    try {
      await this.#recordQueue();
    } catch (error) {
      if (restored) this.#replace(queued, restored);
      else this.#replace(queued);
      throw error;
    }
    return promise;
  }

  #restoredAs({ request }: Prompt): QueuedPrompt | undefined {
    if (!request) return undefined;
    return this.#queue.find((other) => !other.settle && other.request?.key === request.key);
  }

  /** Puts `after` into the place of `before`, or nothing. */
  #replace(before: QueuedPrompt | undefined, ...after: QueuedPrompt[]): void {
    const index = this.#queue.findIndex((other) => other === before);
    if (index >= 0) this.#queue.splice(index, 1, ...after);
  }

  #execute({ input, displayInput, rawInput, skill, request }: Prompt): Promise<ExecutionResult> {
    const turn = { input, queue: this.#queue, displayInput, rawInput, skill, request };
    return this.#follow((signal) => this.#session.runTurn({ ...turn, signal }));
  }

  /** Reports a turn's start and end to listeners, and starts the next queued prompt. */
  async #follow(run: (signal: AbortSignal) => Promise<TurnOutcome>): Promise<ExecutionResult> {
    this.#following = true;
    this.#listeners.emit("thinking", true);
    try {
      const outcome = await run(this.#abortController.signal);
      this.#queue.unshift(...outcome.unread.map((text) => ({ input: text })));
      const result = this.#resultOf(outcome);
      this.#ended();
      if (outcome.state === "complete") this.#listeners.emit("complete", result);
      else if (outcome.state === "interrupted") this.#listeners.emit("interrupted", result);
      else this.#listeners.emit("error", asError(outcome.error));
      return result;
    } catch (error) {
      this.#ended();
      // It goes on elsewhere.
      if (!this.#session.handedOverTo) this.#listeners.emit("error", asError(error));
      throw error;
    } finally {
      this.#startNext();
    }
  }

  #ended(): void {
    this.#following = false;
    // An abort ends only earlier work.
    if (this.#abortController.signal.aborted) this.#abortController = new AbortController();
    this.#listeners.emit("thinking", false);
  }

  #startNext(): void {
    if (this.#isBusy() || this.#session.handedOverTo) return;
    const next = this.#queue.shift();
    if (!next) return;
    // The end of an unawaited turn is reported by events.
    const { settle = { resolve: () => {}, reject: () => {} } } = next;
    this.#execute(next).then(settle.resolve, settle.reject);
  }

  #recordQueue(): Promise<void> {
    return this.#session.setQueue(this.#queue);
  }

  /** Resumes the open turn. Its end is reported by events: no `submit` waits for it any more. */
  resume(): void {
    this.#follow((signal) => this.#session.resumeTurn({ signal })).catch(() => undefined);
  }

  /** Drops the queue when the session is closed, or goes on elsewhere. */
  close(reason: unknown = abortError()): void {
    for (const { settle } of this.#queue.splice(0)) settle?.reject(reason);
  }

  /** Stops the turn that runs, waits or is about to begin, and clears the queue behind it. Text so far is kept. */
  abort(): void {
    this.cancelQueue();
    const abortController = this.#abortController;
    if (this.isWaiting()) this.resume();
    // Without a turn to end, a prompt submitted a moment ago still gets the abort.
    else if (!this.#following) this.#abortController = new AbortController();
    abortController.abort();
  }

  /** Clears the queue, or drops its first prompt with this text; the running turn continues. */
  cancelQueue(text?: string): void {
    const at = text === undefined ? 0 : this.#queue.findIndex(({ input }) => input === text);
    if (at < 0 || this.#queue.length === 0) return;
    const dropped = this.#queue.splice(at, text === undefined ? this.#queue.length : 1);
    for (const { settle } of dropped) settle?.resolve(this.#dropped());
    // A queue whose clearing can't be recorded comes back after a reload, where it can be cleared again.
    this.#recordQueue().catch(() => undefined);
  }

  #dropped(): ExecutionResult {
    return this.#resultOf({ turnId: "", state: "interrupted", response: "", toolSummaries: [] });
  }

  #resultOf(outcome: Omit<TurnOutcome, "unread">): ExecutionResult {
    const { turnId, state, response, toolSummaries, usage, cost, error } = outcome;
    const history = this.#history;
    return defined({
      turnId,
      state,
      response,
      toolSummaries,
      contextState: this.#session.getContextState(),
      usage,
      cost,
      error: error === undefined ? undefined : errorFacts(error),
      // Lazy: copying the history at each turn's end would cost more with each turn.
      get history() {
        return history.get().entries;
      },
    });
  }
}
