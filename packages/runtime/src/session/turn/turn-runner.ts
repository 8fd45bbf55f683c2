import type { RunResult } from "../../agent/agent-run.ts";
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
import { busy, closed } from "../log/refusals.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { type ClosingParts, closingEvents } from "./closing-events.ts";
import type { ResumedTurn } from "./pick-up-turn.ts";
import type { RunningTurn } from "./running-turn.ts";
import { beginTurn, type TurnBeginParts } from "./turn-begin.ts";
import type { SwitchedProvider } from "./switch-model.ts";
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
    /** Applies configuration changes before each turn. Absent when there is nothing to reload. */
    readonly refresh: ((signal: AbortSignal) => Promise<void>) | undefined;
    /** Checks the configuration's sources before and after a turn. Absent when nothing listens. */
    readonly watchTurn: TurnWatch | undefined;
    /** The provider chosen for the next turn. */
    readonly switched: SwitchedProvider | undefined;
    /** The meter of the present turn. */
    readonly meter: RunMeter;
    /** Begins the meter of the next turn, before its first request. */
    newMeter(): RunMeter;
    /** The open turn of an earlier page or process, when it goes on. */
    resumed: ResumedTurn | undefined;
  };

const loadRun = loadOnce(() => import("../../agent/agent-run.ts"));
const loadLoop = loadOnce(() => import("./turn-loop.ts"));
const loadCompaction = loadOnce(() => import("./compact.ts"));

/** Work that takes the session's turn as soon as it is requested. */
interface ExclusiveWork<Result> {
  /** Opens the session first. */
  open: (() => Promise<void>) | undefined;
  signal: AbortSignal | undefined;
  /** Throws when the work may not begin, after opening. */
  require: () => void;
  /** The result of work that is aborted before it begins; when omitted, it begins all the same and ends itself. */
  dropped?: () => Result;
  work: (running: AbortController) => Promise<Result>;
}

/** Runs a session's turns, one at a time. */
export class TurnRunner {
  readonly #parts: TurnRunnerParts;
  /** Messages of a person to the running turn; taken at its next step. */
  readonly #steering: string[] = [];
  #canSteer = false;
  /** Work that was requested and waits for the session to open. Requests are served in order. */
  #starting: AbortController | undefined;
  #running: AbortController | undefined;
  #settled: Promise<unknown> | undefined;

  constructor(parts: TurnRunnerParts) {
    this.#parts = parts;
  }

  /** True as soon as a turn is requested, also while the session still opens for it. */
  get isRunning(): boolean {
    return this.#running !== undefined || this.#starting !== undefined;
  }

  abort(): void {
    (this.#running ?? this.#starting)?.abort(abortError());
  }

  /** Resolves when the running work has ended. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  /**
   * Throws unless a new turn may begin. A stranded turn (open, neither running nor waiting for anybody) counts as over.
   */
  requireIdle(): void {
    const { writer, state } = this.#parts;
    if (writer.isClosed) throw closed();
    const isWaiting = state.turn !== undefined && state.isWaiting;
    if (this.#running || isWaiting) throw busy();
  }

  /**
   * Runs one turn and resolves to its outcome. Awaits `open` first.
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
   * Continues a turn that was cut: while it waited for an approval, or with `onInterruptedTurn`. Awaits `open` first.
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
        const meter = this.#parts.newMeter();
        this.#parts.resumed?.countIn(meter);
        const asked = state.messages.findLast(({ role }) => role === "user");
        this.#canSteer = true;
        return this.#toEnd(running, asked?.content ?? "", async () => undefined);
      },
    });
  }

  /** Runs work that excludes turns, and that `abort` ends like a turn. @throws as `run` */
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
      work: (running) => {
        this.#parts.newMeter();
        return work(running.signal);
      },
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
    this.#parts.switched?.take();
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
    this.#parts.newMeter();
    this.#canSteer = true;
    this.#parts.resumed = undefined;
    // Closes a turn whose end could not be stored before the next one begins.
    const stranded = state.turn ? await closingEvents(this.#parts) : [];
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
    const turn = await this.#partsOf(running, input);
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
      // An interruption by an abort is not a failure.
      if (!running.signal.aborted || !isAbortError(failure)) error = failure;
    }
    // Calls of an answer still being recorded have to be closed too.
    await turn.calling?.recorded.catch(() => undefined);
    // Steering is too late from here on.
    this.#canSteer = false;
    const unread = this.#steering.splice(0);
    return state.turn
      ? this.#record(result, error, running.signal, unread)
      : this.#refused(result, error, running.signal);
  }

  async #partsOf(running: AbortController, input: Content): Promise<RunningTurn> {
    const { AgentRun } = await loadRun();
    const { plugins, events, owner, options, clock, log, resumed } = this.#parts;
    this.#parts.resumed = undefined;
    const agentRun = new AgentRun({
      plugins,
      meter: this.#parts.meter,
      events,
      owner,
      runId: log.turnId ?? "",
      input,
      provider: options.provider,
      signal: running.signal,
      now: clock.now,
      // The note explains in the record why the answer differs from the model's.
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
      resumed,
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
    // After a failure to record a step, calls may lack results, which the next request would need.
    const closing = result ? [] : await closingEvents(this.#parts);
    const left = closing.filter(({ type }) => type !== "turn_end");
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
      usage: end.usage,
      cost: end.cost,
      // An aborted turn discards steering messages.
      unread: end.state === "interrupted" ? [] : unread,
    };
    return error === undefined ? outcome : { ...outcome, error: asError(error) };
  }

  /** A turn that never began: refused by a plugin or a hook, aborted before, or impossible to record. */
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

/** Resolves with `work`, or at an abort without waiting for it. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(work, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
