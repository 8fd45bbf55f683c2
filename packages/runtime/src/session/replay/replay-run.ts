import { errorMessage } from "../../errors.ts";
import { attachmentsIn } from "../queue.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../../tools/tool.ts";
import { compactConversation } from "../turn/compact.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { type LifecycleParts, SessionLifecycle } from "../lifecycle.ts";
import { type RewindParts, rewindTo } from "../files/rewind.ts";
import { TurnRunner, type TurnRunnerParts } from "../turn/turn-runner.ts";
import { isNote } from "../log/notes.ts";
import { ReplayDivergence } from "./divergence.ts";
import { storageFailureOf, isRefusing } from "./recorded-refusals.ts";
import { answerOf, bodyOf, isAction, isFact, isImportNote, isPlainInput } from "./facts.ts";
import type { Busy } from "./recorded-tools.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { createReplaySession } from "./create-replay-session.ts";
import { wasNeverRun } from "./tool-facts.ts";

type ReplayParts = LifecycleParts & TurnRunnerParts & RewindParts;

/** Time without progress after which the first waiter is released, to show the difference. Milliseconds. */
const STALL_MS = 500;
const TICK_MS = 50;

export interface ReplayRunOptions {
  init: SessionEventOf<"session_init"> | undefined;
  running: { tools: readonly Tool[]; platform: Platform } | undefined;
}

/** Replays a recorded session from one opening to the shutdown or crash after it. */
export async function replayRun(cursor: ReplayCursor, options: ReplayRunOptions): Promise<void> {
  const run = new ReplayRun(cursor);
  cursor.beginRun(() => run.onProgress());
  await run.run(options);
}

class ReplayRun {
  readonly #cursor: ReplayCursor;
  #parts: ReplayParts | undefined;
  #turns: TurnRunner | undefined;
  #work: Promise<void> | undefined;
  #isOpening = true;
  #isHeld = false;
  #isTakingOver = false;
  /** Requests whose answer is being committed. */
  readonly #answered = new Set<string>();
  /** Number of tools that really run. */
  #busy = 0;
  #stalledMs = 0;
  #wake: () => void = () => {};

  constructor(cursor: ReplayCursor) {
    this.#cursor = cursor;
  }

  async run(options: ReplayRunOptions): Promise<void> {
    const cursor = this.#cursor;
    const busy: Busy = async (work) => {
      this.#busy += 1;
      try {
        return await work();
      } finally {
        this.#busy -= 1;
        this.#stalledMs = 0;
      }
    };
    const parts = createReplaySession(cursor, {
      ...options,
      busy,
      steer: (texts) => {
        for (const text of texts) this.#turns?.steer(text);
      },
    });
    const turns = new TurnRunner(parts);
    const opening = new SessionLifecycle(parts, { onLost: () => undefined });
    this.#parts = parts;
    this.#turns = turns;
    parts.log.subscribe(() => {
      // The answer could not be recorded.
      if (parts.state.pendingRequests.size > 0 && isRefusing(cursor)) turns.abort();
      this.#takeOverNext();
    });
    try {
      // An answer that came late would not be in its recorded place.
      await parts.approvals.prepare();
      await opening.open();
      this.#isOpening = false;
      parts.startHooks.begin(parts.state.isInitialised ? "resume" : "startup");
      while (!cursor.isRunOver) await this.#step(parts, turns);
    } finally {
      cursor.endRun();
      parts.writer.close();
      turns.abort();
      await turns.settled();
      parts.hooks.close();
      parts.log.close();
      await opening.release();
    }
  }

  /** Called after each reproduced event, and when no more will follow. */
  onProgress(): void {
    this.#stalledMs = 0;
    if (this.#cursor.isRunOver) {
      this.#turns?.abort();
      this.#wake();
      return;
    }
    this.#abortAsRecorded();
    this.#takeOverNext();
  }

  async #step(parts: ReplayParts, turns: TurnRunner): Promise<void> {
    this.#takeOverNext();
    if (this.#cursor.isRunOver) return;
    if (!this.#work) this.#repeatAction(parts, turns);
    if (this.#cursor.isRunOver) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(() => {
        this.#stalledMs += TICK_MS;
        resolve();
      }, TICK_MS);
    });
    clearTimeout(timer);
    if (this.#stalledMs < STALL_MS || this.#busy > 0) return;
    this.#stalledMs = 0;
    this.#cursor.unblock();
  }

  /** Repeats the next action of a person or a program, outside of turns. */
  #repeatAction(parts: ReplayParts, turns: TurnRunner): void {
    const { state, writer } = parts;
    const cursor = this.#cursor;
    const index = cursor.find(isAction);
    const action = index === undefined ? undefined : cursor.at(index);
    if (state.turn && action?.type !== "session_shutdown") {
      const next = cursor.peek();
      const isAnswer = next?.type === "permission_decision" && next.decision.by === "person";
      if (!isAnswer || state.pendingRequests.size === 0) this.#begin(() => turns.resume());
      return;
    }
    if (!action) return this.#finish(parts, turns);
    switch (action.type) {
      case "turn_start": {
        const { input, displayInput, request, responseFormat } = action;
        const prompt = cursor.findOf("user_message", ({ turnId }) => turnId === action.turnId);
        const attachments = attachmentsIn(prompt?.message.content);
        return this.#begin(() =>
          turns.run({ input, displayInput, request, attachments, responseFormat }),
        );
      }
      case "compaction":
        return this.#begin(() =>
          turns.exclusively("compaction", (signal) =>
            compactConversation(parts, { trigger: "manual", signal }),
          ),
        );
      case "rewind":
        return this.#begin(() =>
          turns.exclusively("rewind", () =>
            rewindTo(parts, cursor.ids.ownOf(action.checkpointId), action.what, action.paths),
          ),
        );
      case "session_shutdown":
        return this.#begin(async () => {
          writer.close();
          await writer.end(action.reason);
        });
      case "note":
        return this.#begin(() => turns.run({ input: "" }));
      default:
        return this.#begin(() => this.#commit(parts, action));
    }
  }

  /** Reproduces the tail of a crash: late events of a finished turn, or the start of one that never began. */
  #finish(parts: ReplayParts, turns: TurnRunner): void {
    const next = this.#cursor.at(this.#cursor.next);
    if (!next || !isFact(next)) return this.#begin(() => turns.run({ input: "" }));
    this.#streamAsRecorded(parts, next);
  }

  /** Streams an event in its recorded turn, or outside of turns, whichever turn is open here. */
  #streamAsRecorded({ log }: ReplayParts, event: SessionEvent): void {
    const { turnId } = log;
    log.turnId = event.turnId === undefined ? undefined : this.#cursor.ids.ownOf(event.turnId);
    log.stream(bodyOf(event));
    log.turnId = turnId;
  }

  #begin(work: () => Promise<unknown>): void {
    const cursor = this.#cursor;
    const { next } = cursor;
    const fail = (found: string): void => {
      const recorded = cursor.at(cursor.next);
      if (cursor.next > next || cursor.isRunOver || !recorded) return;
      cursor.fail(new ReplayDivergence(recorded, { path: "", expected: recorded, found }));
    };
    this.#work = work()
      .then(
        () => fail("nothing came of it"),
        (error: unknown) => fail(errorMessage(error)),
      )
      .finally(() => {
        this.#work = undefined;
        this.#wake();
      });
  }

  /** Commits an event in one batch with the records that the session adds before its first event. */
  #commit({ writer }: ReplayParts, event: SessionEvent): Promise<void> {
    this.#isHeld = true;
    try {
      return writer.commit(bodyOf(event));
    } finally {
      this.#isHeld = false;
      this.#takeOverNext();
    }
  }

  /** Takes over the next external events from the recording. */
  #takeOverNext(): void {
    if (this.#isTakingOver || this.#isHeld) return;
    this.#isTakingOver = true;
    try {
      while (this.#takeOver());
    } finally {
      this.#isTakingOver = false;
    }
  }

  #takeOver(): boolean {
    const cursor = this.#cursor;
    const parts = this.#parts;
    const { next } = cursor;
    const event = cursor.at(next);
    if (!parts || !event || cursor.isRunOver) return false;
    // The answer of a handler to a subagent's request: nothing here repeats it.
    const isRelayed = event.type === "permission_decision" && event.decision.by !== "person";
    if (event.type === "permission_decision" && !(isRelayed && event.parentId !== undefined)) {
      if (event.decision.by === "person") this.#answer(parts, event);
    } else if (isImportNote(event)) {
      this.#streamAsRecorded(parts, event);
    } else if (isFact(event)) {
      if (this.#isOpening ? event.type === "note" : this.#isOfNow(parts, event))
        parts.log.stream(bodyOf(event));
      else if (!this.#isOpening && this.#isOfNoTurn(parts, event))
        this.#streamAsRecorded(parts, event);
    } else if (isPlainInput(event) && !this.#isOpening && this.#isOfNow(parts, event)) {
      parts.log.commit(bodyOf(event)).catch((error: unknown) => this.#failed(event, error));
    }
    return cursor.next > next;
  }

  #answer(
    parts: ReplayParts,
    { requestId, decision }: SessionEventOf<"permission_decision">,
  ): void {
    const id = this.#cursor.ids.ownOf(requestId);
    const { state, log, approvals } = parts;
    if (this.#isOpening || !state.pendingRequests.has(id) || this.#answered.has(id)) return;
    this.#answered.add(id);
    log.turnId ??= state.turn?.turnId;
    approvals.resolve(id, answerOf(decision)).catch(() => undefined);
  }

  #failed(recorded: SessionEvent, error: unknown): void {
    const found = errorMessage(error);
    this.#cursor.fail(new ReplayDivergence(recorded, { path: "", expected: recorded, found }));
  }

  /** True for an event of the turn that is open here, or of none while none is open. */
  #isOfNow({ log }: ReplayParts, { turnId }: SessionEvent): boolean {
    if (turnId === undefined || log.turnId === undefined) return turnId === log.turnId;
    return this.#cursor.ids.couldMatch(log.turnId, turnId);
  }

  /** True for what hooks left of a turn that never began: it was stopped before, or could not be recorded. */
  #isOfNoTurn({ log, state }: ReplayParts, { turnId }: SessionEvent): boolean {
    if (log.turnId !== undefined || state.turn) return false;
    const isOfTurn = (event: SessionEvent): boolean =>
      event.turnId === turnId && (event.type === "turn_start" || isNote(event, "turn-refused"));
    return this.#cursor.find(isOfTurn) === undefined;
  }

  /** Aborts the turn where the next event shows that it was aborted, by a person or for want of room to record it. */
  #abortAsRecorded(): void {
    if (!this.#turns?.isRunning) return;
    const cursor = this.#cursor;
    const next = cursor.peek();
    const showsAbort =
      next?.type === "turn_end" ||
      (next?.type === "permission_decision" && next.decision.by === "abort") ||
      (next?.type === "tool_end" && wasNeverRun(next)) ||
      (next?.type === "assistant_message" &&
        next.message.state === "interrupted" &&
        !next.message.error);
    const end = showsAbort ? cursor.findOf("turn_end") : undefined;
    if (end?.state === "interrupted") this.#turns.abort();
    const failure = end?.usage && storageFailureOf(end);
    if (failure) this.#parts?.log.onUnstored?.(failure);
  }
}
