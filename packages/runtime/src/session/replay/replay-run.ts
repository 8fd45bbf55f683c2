import { errorMessage } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../../tools/tool.ts";
import { compactConversation } from "../turn/compact.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { type LifecycleParts, SessionLifecycle } from "../lifecycle.ts";
import { type RewindParts, rewindTo } from "../files/rewind.ts";
import { TurnRunner, type TurnRunnerParts } from "../turn/turn-runner.ts";
import { ReplayDivergence } from "./divergence.ts";
import { answerOf, bodyOf, isDoing, isFact, isImportNote, isPlainInput } from "./facts.ts";
import type { Busy } from "./recorded-tools.ts";
import type { Script } from "./recorded-calls.ts";
import { createStage } from "./replayed-session.ts";
import { wasNeverRun } from "./tool-facts.ts";

type ReplayParts = LifecycleParts & TurnRunnerParts & RewindParts;

/** How long nothing may happen before whoever waits for the record is sent on, to show what differs. Milliseconds. */
const STALL_MS = 500;
const TICK_MS = 50;

export interface LifeOptions {
  init: SessionEventOf<"session_init"> | undefined;
  running: { tools: readonly Tool[]; platform: Platform } | undefined;
}

/** One life of a recorded session again, from when it was opened to when it was shut down or cut. */
export async function runLife(script: Script, options: LifeOptions): Promise<void> {
  const life = new Life(script);
  script.beginLife(() => life.onProgress());
  await life.run(options);
}

class Life {
  readonly #script: Script;
  #core: ReplayParts | undefined;
  #turns: TurnRunner | undefined;
  #work: Promise<void> | undefined;
  #isOpening = true;
  #isHeld = false;
  #isPumping = false;
  /** Requests whose answer is on its way. */
  readonly #answered = new Set<string>();
  /** Real work that is being done. */
  #busy = 0;
  #stalledMs = 0;
  #wake: () => void = () => {};

  constructor(script: Script) {
    this.#script = script;
  }

  async run(options: LifeOptions): Promise<void> {
    const script = this.#script;
    const busy: Busy = async (work) => {
      this.#busy += 1;
      try {
        return await work();
      } finally {
        this.#busy -= 1;
        this.#stalledMs = 0;
      }
    };
    const core = createStage(script, {
      ...options,
      busy,
      steer: (texts) => {
        for (const text of texts) this.#turns?.steer(text);
      },
    });
    const turns = new TurnRunner(core);
    const opening = new SessionLifecycle(core, { onLost: () => undefined });
    this.#core = core;
    this.#turns = turns;
    core.log.subscribe(() => this.#pump());
    try {
      await opening.open();
      this.#isOpening = false;
      core.startHooks.begin(core.state.isInitialised ? "resume" : "startup");
      while (!script.isLifeOver) await this.#step(core, turns);
    } finally {
      script.endLife();
      core.writer.close();
      turns.abort();
      await turns.settled();
      core.hooks.close();
      core.log.close();
      await opening.release();
    }
  }

  /** Something was performed, or nothing will be any more. */
  onProgress(): void {
    this.#stalledMs = 0;
    if (this.#script.isLifeOver) {
      this.#turns?.abort();
      this.#wake();
      return;
    }
    this.#abortAsRecorded();
    this.#pump();
  }

  async #step(core: ReplayParts, turns: TurnRunner): Promise<void> {
    this.#pump();
    if (this.#script.isLifeOver) return;
    if (!this.#work) this.#act(core, turns);
    if (this.#script.isLifeOver) return;
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
    this.#script.unblock();
  }

  /** Does what a person or a program did next, where no turn runs. */
  #act(core: ReplayParts, turns: TurnRunner): void {
    const { state, writer } = core;
    const script = this.#script;
    const index = script.find(isDoing);
    const doing = index === undefined ? undefined : script.at(index);
    if (state.turn && doing?.type !== "session_shutdown") {
      const next = script.peek();
      const isAnswer = next?.type === "permission_decision" && next.decision.by === "person";
      if (!isAnswer || state.pendingRequests.size === 0) this.#begin(() => turns.resume());
      return;
    }
    if (!doing) return this.#finish(core, turns);
    switch (doing.type) {
      case "turn_start": {
        const { input, displayInput, request } = doing;
        const shown = displayInput === undefined ? {} : { displayInput };
        return this.#begin(() => turns.run({ input, ...shown, ...(request && { request }) }));
      }
      case "compaction":
        return this.#begin(() =>
          turns.exclusively((signal) => compactConversation(core, { trigger: "manual", signal })),
        );
      case "rewind":
        return this.#begin(() =>
          turns.exclusively(() => rewindTo(core, script.ids.ownOf(doing.checkpointId), doing.what)),
        );
      case "session_shutdown":
        return this.#begin(async () => {
          writer.close();
          await writer.end(doing.reason);
        });
      case "note":
        return this.#begin(() => turns.run({ input: "" }));
      default:
        return this.#begin(() => this.#commit(core, doing));
    }
  }

  /** What a cut has left at the end: news of a turn that is over, or the beginning of one that never began. */
  #finish(core: ReplayParts, turns: TurnRunner): void {
    const next = this.#script.at(this.#script.next);
    if (!next || !isFact(next)) return this.#begin(() => turns.run({ input: "" }));
    this.#streamAsRecorded(core, next);
  }

  /** In the turn that the record names, or outside of turns, whatever is open here. */
  #streamAsRecorded({ log }: ReplayParts, event: SessionEvent): void {
    const { turnId } = log;
    log.turnId = event.turnId === undefined ? undefined : this.#script.ids.ownOf(event.turnId);
    log.stream(bodyOf(event));
    log.turnId = turnId;
  }

  #begin(work: () => Promise<unknown>): void {
    const script = this.#script;
    const { next } = script;
    const fail = (found: string): void => {
      const recorded = script.at(script.next);
      if (script.next > next || script.isLifeOver || !recorded) return;
      script.fail(new ReplayDivergence(recorded, { path: "", expected: recorded, found }));
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

  /** As one, also with what the session puts before its first event. */
  #commit({ writer }: ReplayParts, event: SessionEvent): Promise<void> {
    this.#isHeld = true;
    try {
      return writer.commit(bodyOf(event));
    } finally {
      this.#isHeld = false;
      this.#pump();
    }
  }

  /** Takes over from the record what comes from outside and whose turn it is. */
  #pump(): void {
    if (this.#isPumping || this.#isHeld) return;
    this.#isPumping = true;
    try {
      while (this.#takeOver());
    } finally {
      this.#isPumping = false;
    }
  }

  #takeOver(): boolean {
    const script = this.#script;
    const core = this.#core;
    const { next } = script;
    const event = script.at(next);
    if (!core || !event || script.isLifeOver) return false;
    if (event.type === "permission_decision") {
      if (event.decision.by === "person") this.#answer(core, event);
    } else if (isImportNote(event)) {
      this.#streamAsRecorded(core, event);
    } else if (isFact(event)) {
      if (this.#isOpening ? event.type === "note" : this.#isOfNow(core, event))
        core.log.stream(bodyOf(event));
    } else if (isPlainInput(event) && !this.#isOpening && this.#isOfNow(core, event)) {
      core.log.commit(bodyOf(event)).catch((error: unknown) => this.#failed(event, error));
    }
    return script.next > next;
  }

  #answer(core: ReplayParts, { requestId, decision }: SessionEventOf<"permission_decision">): void {
    const id = this.#script.ids.ownOf(requestId);
    const { state, log, approvals } = core;
    if (this.#isOpening || !state.pendingRequests.has(id) || this.#answered.has(id)) return;
    this.#answered.add(id);
    log.turnId ??= state.turn?.turnId;
    approvals.resolve(id, answerOf(decision)).catch(() => undefined);
  }

  #failed(recorded: SessionEvent, error: unknown): void {
    const found = errorMessage(error);
    this.#script.fail(new ReplayDivergence(recorded, { path: "", expected: recorded, found }));
  }

  /** Whether an event belongs to the turn that is open here, or to none as here. */
  #isOfNow({ log }: ReplayParts, { turnId }: SessionEvent): boolean {
    if (turnId === undefined || log.turnId === undefined) return turnId === log.turnId;
    return this.#script.ids.couldMatch(log.turnId, turnId);
  }

  /** Stops the turn where what comes next shows that it was stopped. */
  #abortAsRecorded(): void {
    if (!this.#turns?.isRunning) return;
    const script = this.#script;
    const next = script.peek();
    const showsAbort =
      (next?.type === "turn_end" && next.state === "interrupted") ||
      (next?.type === "permission_decision" && next.decision.by === "abort") ||
      (next?.type === "tool_end" && wasNeverRun(next)) ||
      (next?.type === "assistant_message" &&
        next.message.state === "interrupted" &&
        !next.message.error);
    if (showsAbort && script.findOf("turn_end")?.state === "interrupted") this.#turns.abort();
  }
}
