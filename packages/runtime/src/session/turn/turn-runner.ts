import { abortError, SessionError } from "../../errors.ts";
import { loadOnce } from "../../load-once.ts";
import type { TurnInput, TurnOutcome } from "../options.ts";
import { busy, closed, type SoleWork } from "../log/refusals.ts";
import type { TurnParts } from "./run-turn.ts";
import type { Steering } from "./running-turn.ts";
import type { SwitchedProvider } from "./switch-model.ts";
import { raceAbort } from "../../abort.ts";

export type TurnRunnerParts = TurnParts & {
  /** The provider chosen for the next turn. */
  readonly switched: SwitchedProvider | undefined;
};

const loadTurn = loadOnce(() => import("./run-turn.ts"));

/** Work that takes the session's turn as soon as it is requested. */
interface ExclusiveWork<Result> {
  /** For refusals of other work. */
  kind: SoleWork;
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
  /** Messages for the running turn. */
  #steering: Steering | undefined;
  /** Work that was requested and waits for the session to open. Requests are served in order. */
  #starting: AbortController | undefined;
  #running: AbortController | undefined;
  /** What is starting or running, or was last. */
  #kind: SoleWork = "turn";
  #settled: Promise<unknown> | undefined;

  constructor(parts: TurnRunnerParts) {
    this.#parts = parts;
  }

  /** True as soon as a turn or other exclusive work is requested, also while the session still opens for it. */
  get isRunning(): boolean {
    return this.#running !== undefined || this.#starting !== undefined;
  }

  /** The work that was requested or runs; `undefined` when none does. */
  get work(): SoleWork | undefined {
    return this.isRunning ? this.#kind : undefined;
  }

  abort(): void {
    (this.#running ?? this.#starting)?.abort(abortError());
  }

  /** Messages that the running turn has not taken up; `undefined` when none runs. */
  get unread(): readonly string[] | undefined {
    return this.#steering?.texts;
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
    if (this.#running) throw busy(this.#kind);
    if (state.turn && state.isWaiting) throw busy("turn");
  }

  /**
   * Runs one turn and resolves to its outcome. Awaits `open` first.
   * @throws {SessionError} `SESSION_BUSY` while a turn is open, `CLOSED`
   */
  run(turn: TurnInput, open?: () => Promise<void>): Promise<TurnOutcome> {
    return this.#exclusively({
      kind: "turn",
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
      work: async (running) => {
        const steering = this.#takeSteering();
        const { runNewTurn } = await loadTurn();
        return runNewTurn(this.#parts, { running, steering }, turn);
      },
    });
  }

  /**
   * Continues a turn that was cut: while it waited for an approval, or with `onInterruptedTurn`. Awaits `open` first.
   * @throws {SessionError} `NOT_FOUND` when no turn is open, `SESSION_BUSY` when it runs
   */
  resume(
    { signal, ...turn }: Pick<TurnInput, "signal" | "stopHooks"> = {},
    open?: () => Promise<void>,
  ): Promise<TurnOutcome> {
    const { state } = this.#parts;
    return this.#exclusively({
      kind: "turn",
      open,
      signal,
      require: () => {
        if (this.#running) throw busy(this.#kind);
        if (!state.turn) throw new SessionError("NOT_FOUND", "No turn is open");
      },
      work: async (running) => {
        const steering = this.#takeSteering();
        const { resumeTurn } = await loadTurn();
        return resumeTurn(this.#parts, { running, steering }, turn);
      },
    });
  }

  /** Runs work that excludes turns, and that `abort` ends like a turn. @throws as `run` */
  exclusively<Result>(
    kind: SoleWork,
    work: (signal: AbortSignal) => Promise<Result>,
    open?: () => Promise<void>,
  ): Promise<Result> {
    return this.#exclusively({
      kind,
      open,
      signal: undefined,
      require: () => this.requireIdle(),
      dropped: () => {
        throw abortError();
      },
      work: (running) => {
        this.#parts.meters.begin();
        return work(running.signal);
      },
    });
  }

  /** Gives the running turn another message at its next step. @throws {SessionError} `NOT_FOUND` when no turn runs */
  steer(text: string): void {
    if (!this.#steering?.isOpen)
      throw new SessionError("NOT_FOUND", "No turn is running", {
        hint: "Send a message instead.",
      });
    this.#steering.texts.push(text);
  }

  #takeSteering(): Steering {
    return (this.#steering = { texts: [], isOpen: true });
  }

  async #exclusively<Result>(exclusive: ExclusiveWork<Result>): Promise<Result> {
    if (this.isRunning) throw busy(this.#kind);
    const { signal } = exclusive;
    const running = new AbortController();
    const abort = (): void => running.abort(abortError());
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    this.#starting = running;
    this.#kind = exclusive.kind;
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
      if (open) await (dropped ? doneOrAborted(open(), signal) : open());
      if (signal.aborted && dropped) return dropped();
      const { sealed } = this.#parts.log;
      if (sealed) throw sealed;
      require();
    } finally {
      this.#starting = undefined;
    }
    this.#running = running;
    this.#parts.switched?.take();
    try {
      return await work(running);
    } finally {
      this.#steering = undefined;
      this.#running = undefined;
      this.#parts.meters.end();
      this.#parts.log.turnId = undefined;
    }
  }
}

/** Resolves with `work`, or at an abort without waiting for it. */
async function doneOrAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await raceAbort(work, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
