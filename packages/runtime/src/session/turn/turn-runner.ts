import { type RunResult, AgentRun } from "../../agent/agent-run.ts";
import { abortError, errorFacts, isAbortError, RobotaError, SessionError } from "../../errors.ts";
import { loadOnce } from "../../load-once.ts";
import type { Content } from "../../messages/message.ts";
import { asError } from "../../messages/reported-error.ts";
import type { RunMeter } from "../../agent/budget.ts";
import type { StructuredEventService } from "../../events/event-service.ts";
import type { PluginChain } from "../../plugins/plugin-chain.ts";
import type { OwnerPathSegment } from "../../tools/tool.ts";
import type { TurnWatch } from "../configuration.ts";
import type { TurnInput, TurnOutcome } from "../options.ts";
import { busy, closed } from "../refusals.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { type ClosingParts, closingEvents } from "./closing-events.ts";
import type { RunningTurn } from "./running-turn.ts";
import { beginTurn, type TurnBeginParts } from "./turn-begin.ts";
import { ANSWER_CHANGED, turnEndOf } from "./turn-events.ts";
import type { TurnLoopParts } from "./turn-loop.ts";

export type TurnRunnerParts = TurnBeginParts &
  TurnLoopParts &
  ClosingParts & {
    readonly plugins: PluginChain;
    /** The session as the owner of its turns' events. */
    readonly owner: OwnerPathSegment;
    /** The events that the session emits besides its log. */
    readonly events: StructuredEventService;
    /** Before each turn: takes over what has changed of the configuration. Absent where nothing can. */
    readonly refresh: ((signal: AbortSignal) => Promise<void>) | undefined;
    /** Looks at the configuration's sources before a turn and after it. Absent where nobody has to. */
    readonly watchTurn: TurnWatch | undefined;
    /** Counts one turn. */
    newMeter(): RunMeter;
  };

const loadLoop = loadOnce(() => import("./turn-loop.ts"));
const loadCompaction = loadOnce(() => import("./compact.ts"));

/** What takes the session's turn, from the call on. */
interface ExclusiveWork<Result> {
  /** What has to be there first. */
  open: (() => Promise<void>) | undefined;
  signal: AbortSignal | undefined;
  /** Whether it may begin, once that is there. */
  require: () => void;
  /** What it comes to when it is aborted before it has begun; without it, it begins all the same and ends itself. */
  dropped?: () => Result;
  work: (running: AbortController) => Promise<Result>;
}

/** Runs a session's turns, one at a time. */
export class TurnRunner {
  readonly #parts: TurnRunnerParts;
  /** What a person says while a turn runs; taken at its next step. */
  readonly #steering: string[] = [];
  #canSteer = false;
  /** Was asked for and waits for the session to open. What was asked for before it comes before it. */
  #starting: AbortController | undefined;
  #running: AbortController | undefined;
  #settled: Promise<unknown> | undefined;

  constructor(parts: TurnRunnerParts) {
    this.#parts = parts;
  }

  /** From the call on that asked for a turn, also while the session still opens for it. */
  get isRunning(): boolean {
    return this.#running !== undefined || this.#starting !== undefined;
  }

  abort(): void {
    (this.#running ?? this.#starting)?.abort(abortError());
  }

  /** Resolves when what runs has ended. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  /** A stranded turn (open, neither running nor waiting for anybody) counts as over. */
  requireIdle(): void {
    const { writer, state } = this.#parts;
    if (writer.isClosed) throw closed();
    const isWaiting = state.turn !== undefined && state.pendingRequests.size > 0;
    if (this.#running || isWaiting) throw busy();
  }

  /**
   * Runs one turn and resolves to how it ended. `open` is waited for first.
   * @throws {SessionError} `SESSION_BUSY` while a turn is open, `CLOSED`
   */
  run(turn: TurnInput, open?: () => Promise<void>): Promise<TurnOutcome> {
    return this.#exclusively({
      open,
      signal: turn.signal,
      require: () => this.requireIdle(),
      dropped: () => ({
        turnId: "",
        state: "interrupted",
        response: "",
        toolSummaries: [],
        unread: [],
      }),
      work: (running) => this.#newTurn(turn, running),
    });
  }

  /**
   * Goes on with a turn that was cut while it waited for an approval. `open` is waited for first.
   * @throws {SessionError} `NOT_FOUND` when no turn is open, `SESSION_BUSY` when it runs
   */
  resume(signal?: AbortSignal, open?: () => Promise<void>): Promise<TurnOutcome> {
    const { state, log } = this.#parts;
    return this.#exclusively({
      open,
      signal,
      require: () => {
        if (this.#running) throw busy();
        if (!state.turn) throw new SessionError("NOT_FOUND", "No turn is open");
      },
      work: (running) => {
        log.turnId = state.turn?.turnId;
        const asked = state.messages.findLast(({ role }) => role === "user");
        this.#canSteer = true;
        return this.#toEnd(running, asked?.content ?? "", async () => undefined);
      },
    });
  }

  /** Work that no turn may run beside, and that `abort` ends as it ends a turn. @throws as `run` */
  exclusively<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    open?: () => Promise<void>,
  ): Promise<Result> {
    return this.#exclusively({
      open,
      signal: undefined,
      require: () => this.requireIdle(),
      dropped: () => {
        throw abortError();
      },
      work: (running) => work(running.signal),
    });
  }

  /** Gives the running turn another message at its next step. @throws {SessionError} `NOT_FOUND` when no turn runs */
  steer(text: string): void {
    if (!this.#canSteer)
      throw new SessionError("NOT_FOUND", "No turn is running", {
        hint: "Send a message instead.",
      });
    this.#steering.push(text);
  }

  async #exclusively<Result>(exclusive: ExclusiveWork<Result>): Promise<Result> {
    if (this.isRunning) throw busy();
    const { signal } = exclusive;
    const running = new AbortController();
    const abort = (): void => running.abort(abortError());
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    this.#starting = running;
    const working = this.#carryOut(exclusive, running);
    this.#settled = working.catch(() => undefined);
    try {
      return await working;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#settled = undefined;
    }
  }

  async #carryOut<Result>(
    { open, require, dropped, work }: ExclusiveWork<Result>,
    running: AbortController,
  ): Promise<Result> {
    const { signal } = running;
    try {
      if (open) await (dropped ? untilAborted(open(), signal) : open());
      if (signal.aborted && dropped) return dropped();
      require();
    } finally {
      this.#starting = undefined;
    }
    this.#running = running;
    try {
      return await work(running);
    } finally {
      this.#canSteer = false;
      this.#running = undefined;
      this.#parts.log.turnId = undefined;
    }
  }

  async #newTurn(turn: TurnInput, running: AbortController): Promise<TurnOutcome> {
    const { state, log, clock } = this.#parts;
    this.#canSteer = true;
    // A turn whose end could not be stored is closed before the next one begins.
    const stranded = closingEvents(this.#parts);
    if (stranded.length > 0) {
      log.turnId = state.turn?.turnId;
      await log.commit(...stranded);
      log.turnId = undefined;
    }
    await this.#parts.refresh?.(running.signal);
    if (state.messages.length > 0) {
      const { compactIfNeeded } = await loadCompaction();
      await compactIfNeeded(this.#parts, running.signal);
    }
    log.turnId = clock.randomUUID();
    return this.#toEnd(running, turn.input, (content) =>
      beginTurn(this.#parts, turn, content, running.signal),
    );
  }

  async #toEnd(
    running: AbortController,
    input: Content,
    begin: (input: Content) => Promise<void>,
  ): Promise<TurnOutcome> {
    const ended = await this.#parts.watchTurn?.();
    try {
      await this.#parts.approvals.rules.load();
      return await this.#runTurn(running, input, begin);
    } finally {
      await ended?.();
    }
  }

  async #runTurn(
    running: AbortController,
    input: Content,
    begin: (input: Content) => Promise<void>,
  ): Promise<TurnOutcome> {
    const { state } = this.#parts;
    const turn = this.#partsOf(running, input);
    let result: RunResult | undefined;
    let error: unknown;
    try {
      result = await turn.agentRun.run({
        begin,
        attempt: async () => {
          const { runTurnLoop } = await loadLoop();
          return runTurnLoop(this.#parts, turn);
        },
      });
      error = result.error;
    } catch (failure) {
      // What an abort interrupts has not failed.
      if (!running.signal.aborted || !isAbortError(failure)) error = failure;
    }
    // Of an answer that is still on its way, the calls have to be closed too.
    await turn.calling?.recorded.catch(() => undefined);
    // From here on it is too late to steer.
    this.#canSteer = false;
    const unread = this.#steering.splice(0);
    return state.turn
      ? this.#record(result, error, running.signal, unread)
      : this.#refused(result, error, running.signal);
  }

  #partsOf(running: AbortController, input: Content): RunningTurn {
    const { plugins, events, owner, options, clock, log } = this.#parts;
    const agentRun = new AgentRun({
      plugins,
      meter: this.#parts.newMeter(),
      events,
      owner,
      runId: log.turnId ?? "",
      input,
      provider: options.provider,
      signal: running.signal,
      now: clock.now,
      // Without it nobody could tell from the record why the answer is another one than the model's.
      onAnswerChanged: () => log.stream({ type: "note", kind: ANSWER_CHANGED, data: {} }),
    });
    return {
      running,
      agentRun,
      steering: this.#steering,
      args: new Map(),
      contexts: new Map(),
      answers: new Map(),
      continuations: 0,
    };
  }

  async #record(
    result: RunResult | undefined,
    error: unknown,
    signal: AbortSignal,
    unread: string[],
  ): Promise<TurnOutcome> {
    const { state, log, writer, hooks } = this.#parts;
    const { turn } = state;
    const end = turnEndOf(result, error, signal.aborted);
    // A turn that could not record a step leaves calls without a result, which the next request would lack.
    const left = result ? [] : closingEvents(this.#parts).filter(({ type }) => type !== "turn_end");
    await log.commit(...left, end);
    writer.saveHeader();
    if (end.state === "failed") {
      const { code = "UNKNOWN_ERROR", message = "" } = end.error ?? {};
      await hooks
        .run("StopFailure", { reason: code, error: message, last_assistant_message: end.response })
        .catch(() => undefined);
    }
    const outcome = {
      turnId: turn?.turnId ?? "",
      state: end.state,
      response: end.response,
      toolSummaries: turn?.toolSummaries ?? [],
      ...(end.usage && { usage: end.usage }),
      ...(end.cost !== undefined && { cost: end.cost }),
      // What an abort stops is not steered any more.
      unread: end.state === "interrupted" ? [] : unread,
    };
    return error === undefined ? outcome : { ...outcome, error: asError(error) };
  }

  /** A turn that never began: a plugin or a hook refused it, it was stopped before, or it could not be recorded. */
  async #refused(
    result: RunResult | undefined,
    error: unknown,
    signal: AbortSignal,
  ): Promise<TurnOutcome> {
    const { log, writer } = this.#parts;
    const outcome = { turnId: log.turnId ?? "", response: "", toolSummaries: [], unread: [] };
    if (signal.aborted) return { ...outcome, state: "interrupted" };
    if (!result && !isBlocked(error)) throw error;
    await writer.commit({ type: "note", kind: "turn-refused", data: { ...errorFacts(error) } });
    return { ...outcome, state: "failed", error: asError(error) };
  }
}

function isBlocked(error: unknown): boolean {
  return error instanceof RobotaError && error.code === "HOOK_BLOCKED";
}

/** Resolves when `work` has, or at an abort: then nobody waits for it. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(work, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
