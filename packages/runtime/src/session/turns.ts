import type { LoopResult } from "../agent/loop.ts";
import { abortError, asError, SessionError } from "../errors.ts";
import type { UserMessage } from "../messages/message.ts";
import { makeRoom } from "./compact.ts";
import { closingEvents, reportContext, type SessionCore } from "./core.ts";
import type { TurnInput, TurnOutcome } from "./options.ts";
import { busy, closed } from "./refusals.ts";
import { turnEndOf } from "./turn-events.ts";
import { runTurnLoop } from "./turn-loop.ts";

/** Runs a session's turns, one at a time. */
export class Turns {
  readonly #core: SessionCore;
  /** What a person says while a turn runs; taken at its next step. */
  readonly #steering: string[] = [];
  #canSteer = false;
  #running: AbortController | undefined;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  abort(): void {
    this.#running?.abort(abortError());
  }

  /** Resolves when what runs has ended. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  /** A stranded turn (open, neither running nor waiting for anybody) counts as over. */
  requireIdle(): void {
    const { journal, state } = this.#core;
    if (journal.isClosed) throw closed();
    const isWaiting = state.turn !== undefined && state.pendingRequests.size > 0;
    if (this.#running || isWaiting) throw busy();
  }

  /** Runs one turn and resolves to how it ended. @throws {SessionError} `SESSION_BUSY` while a turn is open, `CLOSED` */
  run(turn: TurnInput): Promise<TurnOutcome> {
    return this.#exclusively((running) => this.#begin(turn, running), turn.signal);
  }

  /**
   * Goes on with a turn that was cut while it waited for an approval.
   * @throws {SessionError} `NOT_FOUND` when no turn is open, `SESSION_BUSY` when it runs
   */
  async resume(signal?: AbortSignal): Promise<TurnOutcome> {
    const { state, log } = this.#core;
    if (this.#running) throw busy();
    if (!state.turn) throw new SessionError("NOT_FOUND", "No turn is open");
    log.turnId = state.turn.turnId;
    this.#canSteer = true;
    return this.#run((running) => this.#toEnd(running), signal);
  }

  /** Work that no turn may run beside, and that `abort` ends as it ends a turn. @throws as `run` */
  exclusively<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.#exclusively((running) => work(running.signal));
  }

  /** Gives the running turn another message at its next step. @throws {SessionError} `NOT_FOUND` when no turn runs */
  steer(text: string): void {
    if (!this.#canSteer)
      throw new SessionError("NOT_FOUND", "No turn is running", {
        hint: "Send a message instead.",
      });
    this.#steering.push(text);
  }

  async #exclusively<Result>(
    work: (running: AbortController) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    this.requireIdle();
    return this.#run(work, signal);
  }

  async #run<Result>(
    work: (running: AbortController) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const running = new AbortController();
    const abort = (): void => running.abort(abortError());
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    this.#running = running;
    const working = work(running);
    this.#settled = working.catch(() => undefined);
    try {
      return await working;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#canSteer = false;
      this.#running = undefined;
      this.#core.log.turnId = undefined;
    }
  }

  async #begin(
    { input, displayInput, queue }: TurnInput,
    running: AbortController,
  ): Promise<TurnOutcome> {
    const { state, log, journal, clock } = this.#core;
    this.#canSteer = true;
    // A turn whose end could not be stored is closed before the next one begins.
    const stranded = closingEvents(this.#core);
    if (stranded.length > 0) {
      log.turnId = state.turn?.turnId;
      await log.commit(...stranded);
    }
    if (state.messages.length > 0) await makeRoom(this.#core, running.signal);
    log.turnId = clock.randomUUID();
    const message: UserMessage = {
      role: "user",
      id: clock.randomUUID(),
      timestamp: new Date(clock.now()),
      content: input,
    };
    await journal.commit(
      { type: "turn_start", input, ...(displayInput === undefined ? {} : { displayInput }) },
      { type: "user_message", message },
      ...(queue ? [{ type: "queue_update" as const, queue: [...queue] }] : []),
    );
    journal.saveHeader();
    reportContext(this.#core);
    return this.#toEnd(running);
  }

  async #toEnd(running: AbortController): Promise<TurnOutcome> {
    const { state, log, journal } = this.#core;
    const { signal } = running;
    const { turn } = state;
    let result: LoopResult | undefined;
    let error: unknown;
    try {
      result = await runTurnLoop(this.#core, { running, steering: this.#steering });
      error = result.error;
    } catch (failure) {
      error = failure;
    }
    // From here on it is too late to steer.
    this.#canSteer = false;
    const unread = this.#steering.splice(0);
    const end = turnEndOf(result, error, signal.aborted);
    // A turn that could not record a step leaves calls without a result, which the next request would lack.
    const left = result ? [] : closingEvents(this.#core).filter(({ type }) => type !== "turn_end");
    await log.commit(...left, end);
    journal.saveHeader();
    const outcome = {
      turnId: turn?.turnId ?? "",
      state: end.state,
      response: end.response,
      toolSummaries: turn?.toolSummaries ?? [],
      // What an abort stops is not steered any more.
      unread: end.state === "interrupted" ? [] : unread,
    };
    return error === undefined ? outcome : { ...outcome, error: asError(error) };
  }
}
