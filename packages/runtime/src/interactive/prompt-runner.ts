import { defined } from "../defined.ts";
import type { AnswerFormat } from "../providers/provider.ts";
import { loadOnce } from "../load-once.ts";
import { abortError, errorFacts, SessionError, StorageError } from "../errors.ts";
import { asError } from "../messages/reported-error.ts";
import { onAbort } from "../abort.ts";
import type { TurnRequest } from "../session/log/events.ts";
import type { TurnOutcome } from "../session/options.ts";
import type { Session } from "../session/session.ts";
import type { HistorySnapshot } from "./history-snapshot.ts";
import type { SessionListeners } from "./listeners.ts";
import { type PromptInQueue, SessionQueue } from "./prompt-queue.ts";
import type { TurnAnswers } from "./structured-answers.ts";
import type { SubmitOptions } from "./submit-options.ts";
import type { ExecutionResult } from "./types.ts";

export interface Prompt extends SubmitOptions {
  input: string;
  onAccepted?: PromptInQueue["onAccepted"];
}

type AcceptedPrompt = Omit<PromptInQueue, "id">;

/** A prompt on its way to its turn or into the queue. */
interface ArrivingPrompt {
  input: string;
  isDropped: boolean;
}

/** A turn that was followed to its end. */
interface FollowedTurn {
  outcome: TurnOutcome;
  answers?: TurnAnswers | undefined;
}

const loadAnswers = loadOnce(() => import("./structured-answers.ts"));

export interface AbortOptions {
  /** Keeps the prompts that wait, and pauses them, instead of dropping them. */
  keepQueue?: boolean | undefined;
  /** Stops only this turn, if it is the open one. The prompts that wait go on. */
  turnId?: string | undefined;
}

/** Accepts prompts, runs one turn at a time, and queues the others. */
export class PromptRunner {
  readonly #session: Session;
  readonly #listeners: SessionListeners;
  readonly #history: HistorySnapshot;
  readonly #limit: number;
  /** Restored prompts first; they run behind the next turn. */
  readonly queue: SessionQueue;
  /** True while this object runs a turn and reports on it. */
  #following = false;
  /** Steering messages that the turn will not have read share the fate of the queue behind it. */
  #unread: "next" | "paused" | "dropped" = "next";
  /** Pieces of other work that excludes turns: one that runs, and those that are about to be refused. */
  #exclusive = 0;
  /** True once prompts that wait may begin by themselves: restored ones alone wait for a turn, or for `queue.resume`. */
  #mayStart = false;
  #abortController = new AbortController();
  /** Prompts that were sent while the session opens for them, in order. */
  readonly #arriving = new Set<ArrivingPrompt>();
  #isOpen = false;
  #isClosed = false;
  /** Cancellations from the time in which the session opens; they may concern prompts that are yet to be restored. */
  #cancelling: (() => void)[] = [];
  /** Settles with the last of them: a format takes time to load, and prompts keep their order. */
  #accepted: Promise<unknown> = Promise.resolve();

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
    this.queue = new SessionQueue({
      record: (prompts, options) => session.setQueue(prompts, options),
      startNext: () => this.#startNext(),
      dropped: () => this.#dropped(),
    });
  }

  /**
   * Restores the prompts that waited when the session was last open, and goes on with a turn that was cut and stayed
   * open. Without one, the prompts run now if `startsQueue`, or else behind the next turn.
   */
  restore(startsQueue: boolean): void {
    if (this.#session.handedOverTo) return;
    this.queue.restore(this.#session.getWaitingPrompts(), this.#session.isQueuePaused());
    this.#isOpen = true;
    for (const cancel of this.#cancelling.splice(0)) cancel();
    if (startsQueue) this.#startNext();
    if (this.isWaiting() && this.#session.pendingPermissions().length === 0) this.resume();
  }

  /** True for an open turn that is not running: interrupted while it waited for an approval. */
  isWaiting(): boolean {
    return this.#session.hasOpenTurn() && !this.#session.isRunning() && !this.#following;
  }

  /** True while a prompt is on its way, a turn is open, or other work has the session's turn. */
  isExecuting(): boolean {
    return this.#arriving.size > 0 || this.#isBusy();
  }

  /** True when a prompt has to be queued. */
  #isBusy(): boolean {
    return this.#following || this.#exclusive > 0 || this.#session.hasOpenTurn();
  }

  /** Runs work of the session that excludes turns. Prompts that are sent meanwhile begin behind it. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#exclusive += 1;
    try {
      return await work();
    } finally {
      this.#exclusive -= 1;
      if (this.#mayStart) this.#startNext();
    }
  }

  /** All queued prompts, in order. */
  waiting(): string[] {
    return this.queue.prompts.map(({ input }) => input);
  }

  /** The requests of restored prompts; such a request that comes again takes its prompt over. */
  waitingRequests(): TurnRequest[] {
    return this.queue.prompts.flatMap(({ request, settle }) => (request && !settle ? request : []));
  }

  /**
   * Takes a prompt once the session is `ready`. A restored prompt whose request comes again is not queued twice.
   * @throws {SessionError} `QUEUE_FULL`; nothing that waits is replaced
   * @throws {ConfigurationError} for a format of the answer that is not usable
   */
  async submit(given: Prompt, ready: Promise<void>): Promise<ExecutionResult> {
    // From here on an abort concerns this prompt, even while the session is still opening.
    const abortSignal = this.#abortController.signal;
    const arriving: ArrivingPrompt = { input: given.input, isDropped: false };
    this.#arriving.add(arriving);
    const accepting = this.#accepted.then(() => accepted(given));
    this.#accepted = accepting.catch(() => undefined);
    let prompt: AcceptedPrompt;
    try {
      prompt = await accepting;
      await ready;
    } finally {
      this.#arriving.delete(arriving);
    }
    const isEnded = abortSignal.aborted || prompt.signal?.aborted || arriving.isDropped;
    if (isEnded) return this.#dropped();
    const restored = this.#restoredAs(prompt);
    if (!this.#isBusy()) {
      this.queue.replace(restored);
      return this.#execute(prompt);
    }
    if (!restored && this.queue.prompts.length >= this.#limit) {
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
    const id = restored?.id ?? crypto.randomUUID();
    const queued: PromptInQueue = { ...prompt, id, settle: { resolve, reject } };
    if (restored) this.queue.replace(restored, queued);
    else this.queue.prompts.push(queued);
    this.#mayStart = true;
    try {
      await this.queue.record();
    } catch (error) {
      // It may be another one by now, with its text changed.
      const waiting = this.queue.prompts.find((other) => other.id === id);
      if (waiting) {
        this.queue.replace(waiting, ...(restored ? [restored] : []));
        throw error;
      }
      // Its turn has begun, whose own record has it, or it was dropped: its caller learns of that.
    }
    prompt.onAccepted?.();
    return prompt.signal ? this.#endWith(prompt.signal, id, promise) : promise;
  }

  /** Gives the running turn a message, or sends it as a prompt. Resolves once it is accepted. */
  async steer(text: string, ready: Promise<void>): Promise<void> {
    await ready;
    try {
      await this.#session.steer(text);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "NOT_FOUND") throw error;
      await new Promise<unknown>((resolve, reject) => {
        const prompt = { input: text, onAccepted: () => resolve(undefined) };
        this.submit(prompt, ready).then(resolve, reject);
      });
    }
  }

  /** Waits for the end of a queued prompt, which an abort of its own takes out of the queue. */
  async #endWith(
    signal: AbortSignal,
    id: string,
    ended: Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const stopWatching = onAbort(signal, () => this.#drop((prompt) => prompt.id === id));
    try {
      return await ended;
    } finally {
      stopWatching();
    }
  }

  #restoredAs({ request }: AcceptedPrompt): PromptInQueue | undefined {
    if (!request) return undefined;
    return this.queue.prompts.find((other) => !other.settle && other.request?.key === request.key);
  }

  #execute(prompt: AcceptedPrompt, queued?: PromptInQueue): Promise<ExecutionResult> {
    const queue = this.queue.prompts;
    const isQueuePaused = (): boolean => this.queue.isPaused();
    const { signal: own, responseFormat, onAccepted } = prompt;
    return this.#follow(async (ending) => {
      const signal = own ? AbortSignal.any([ending, own]) : ending;
      const answers = responseFormat && (prompt.answers ?? (await storedAnswers(responseFormat)));
      const stopHooks = answers?.stopHooks;
      const turn = { ...prompt, queue, isQueuePaused, signal, stopHooks };
      const stop =
        onAccepted &&
        this.#session.subscribe(({ type }) => {
          if (type === "turn_start") onAccepted();
        });
      try {
        return { outcome: await this.#session.runTurn(turn), answers };
      } finally {
        stop?.();
      }
    }, queued);
  }

  /** Reports a turn's start and end to listeners, and starts the next queued prompt. */
  async #follow(
    run: (signal: AbortSignal) => Promise<FollowedTurn>,
    queued?: PromptInQueue,
  ): Promise<ExecutionResult> {
    this.#following = true;
    this.#unread = "next";
    this.#listeners.emit("thinking", true);
    try {
      const { outcome, answers } = await run(this.#abortController.signal);
      this.#keepUnread(outcome.unread);
      const result = this.#resultOf(outcome);
      await answers?.addOutput(result);
      this.#holdQueue(outcome.error);
      await this.#forget(queued);
      this.#ended();
      if (outcome.state === "complete") this.#listeners.emit("complete", result);
      else if (outcome.state === "interrupted") this.#listeners.emit("interrupted", result);
      else this.#listeners.emit("error", asError(outcome.error));
      return result;
    } catch (error) {
      this.#holdQueue(error, queued);
      await this.#forget(queued);
      this.#ended();
      // It goes on elsewhere.
      if (!this.#session.handedOverTo) this.#listeners.emit("error", asError(error));
      throw error;
    } finally {
      this.#startNext();
    }
  }

  #keepUnread(texts: readonly string[]): void {
    if (texts.length === 0 || this.#unread === "dropped") return;
    this.queue.putFirst(texts, this.#unread === "paused");
  }

  /** Where nothing can be stored, what waits keeps waiting, with the prompt that could not begin; a person resumes it. */
  #holdQueue(error: unknown, queued?: PromptInQueue): void {
    if (!(error instanceof StorageError && error.recoverable)) return;
    if (queued) this.queue.prompts.unshift(queued);
    this.queue.pause().catch(() => undefined);
  }

  /** Records that a prompt no longer waits, when it never became a turn, whose beginning would have said so. */
  async #forget(prompt: PromptInQueue | undefined): Promise<void> {
    const isRecorded = this.#session.getWaitingPrompts().some(({ id }) => id === prompt?.id);
    const isOver = prompt && isRecorded && !this.queue.prompts.includes(prompt);
    // Prompts that a closing session did not begin wait for the next one.
    if (isOver && !this.#isClosed) await this.queue.record(false).catch(() => undefined);
  }

  #ended(): void {
    this.#following = false;
    // An abort ends only earlier work.
    if (this.#abortController.signal.aborted) this.#abortController = new AbortController();
    this.#listeners.emit("thinking", false);
  }

  #startNext(): void {
    this.#mayStart = true;
    if (this.#isBusy() || this.#session.handedOverTo) return;
    const next = this.queue.take();
    if (!next) return;
    // The end of an unawaited turn is reported by events.
    this.#execute(next, next).then(
      (result) => next.settle?.resolve(result),
      (error: unknown) => {
        if (!this.queue.prompts.includes(next)) next.settle?.reject(error);
      },
    );
  }

  /** Resumes the open turn. Its end is reported by events: no `submit` waits for it any more. */
  resume(): void {
    const format = this.#session.openTurnFormat;
    this.#follow(async (signal) => {
      const answers = format && (await storedAnswers(format));
      const stopHooks = answers?.stopHooks;
      return { outcome: await this.#session.resumeTurn({ signal, stopHooks }), answers };
    }).catch(() => undefined);
  }

  /** Drops the queue when the session is closed, or goes on elsewhere. */
  close(reason: unknown = abortError()): void {
    this.#isClosed = true;
    this.#unread = "dropped";
    for (const { settle } of this.queue.prompts.splice(0)) settle?.reject(reason);
  }

  /**
   * Stops the turn that runs, waits or is about to begin, or other work that can be stopped, and clears the queue behind it
   * or pauses it. Text so far is kept. With `turnId`, the queue goes on. A steering message that the turn has not read is
   * the first prompt of what waits, or cleared with it.
   */
  abort(options?: AbortOptions): void {
    const { keepQueue = false, turnId } = options ?? {};
    if (turnId !== undefined) {
      if (turnId !== this.#session.openTurnId) return;
    } else if (keepQueue) this.queue.pause().catch(() => undefined);
    else this.cancelQueue();
    const abortController = this.#abortController;
    if (this.isWaiting()) this.resume();
    else if (!this.#following) {
      if (turnId === undefined) this.#session.abort();
      // Without a turn to end, a prompt submitted a moment ago still gets the abort.
      this.#abortController = new AbortController();
    }
    if (turnId === undefined && this.#unread !== "dropped")
      this.#unread = keepQueue ? "paused" : "dropped";
    abortController.abort();
  }

  /**
   * Clears the queue, or drops its first prompt with this text; the running turn continues. Until the session is open,
   * every prompt counts as queued; from then on, every one but that whose turn is about to begin.
   */
  cancelQueue(text?: string): void {
    const arriving = [...this.#arriving];
    if (this.#isOpen && !this.#isBusy()) arriving.shift();
    const cancel = (): void => {
      const waiting = [...this.queue.prompts, ...arriving.filter(({ isDropped }) => !isDropped)];
      const first = waiting.find(({ input }) => input === text);
      const isWanted = (prompt: object): boolean => text === undefined || prompt === first;
      for (const prompt of arriving) prompt.isDropped ||= isWanted(prompt);
      this.#drop(isWanted);
    };
    if (this.#isOpen) cancel();
    else this.#cancelling.push(cancel);
  }

  #drop(isDropped: (prompt: PromptInQueue) => boolean): void {
    const dropped = this.queue.prompts.filter(isDropped);
    if (dropped.length === 0) return;
    for (const prompt of dropped) this.queue.replace(prompt);
    for (const { settle } of dropped) settle?.resolve(this.#dropped());
    // A queue whose clearing can't be stored comes back after a reload, where it can be cleared again.
    this.queue.record(false).catch(() => undefined);
  }

  #dropped(): ExecutionResult {
    return this.#resultOf({ turnId: "", state: "interrupted", response: "", toolSummaries: [] });
  }

  #resultOf(outcome: Omit<TurnOutcome, "unread">): ExecutionResult {
    const { turnId, state, response, toolSummaries, usage, cost, error } = outcome;
    const history = this.#history;
    const end = this.#session.lastSeq;
    return {
      turnId,
      state,
      response,
      toolSummaries,
      contextState: this.#session.getContextState(),
      ...defined({ usage, cost, error: error === undefined ? undefined : errorFacts(error) }),
      // Lazy: copying the history at each turn's end would cost more with each turn.
      get history() {
        return history.upTo(end);
      },
    };
  }
}

async function accepted({ responseFormat, ...prompt }: Prompt): Promise<AcceptedPrompt> {
  if (!responseFormat) return prompt;
  const { turnAnswers } = await loadAnswers();
  const answers = turnAnswers(responseFormat);
  return { ...prompt, answers, responseFormat: answers.responseFormat };
}

async function storedAnswers(format: AnswerFormat): Promise<TurnAnswers> {
  const answers = await loadAnswers();
  return answers.storedAnswers(format);
}
