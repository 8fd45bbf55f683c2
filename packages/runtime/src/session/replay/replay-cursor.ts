import { abortError } from "../../errors.ts";
import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf, SessionEventType } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import { LOG_DAMAGED } from "../log/crash-recovery.ts";
import { alignEvent } from "./compare.ts";
import { ReplayDivergence } from "./divergence.ts";
import { isFact } from "./facts.ts";
import { IdMap } from "./id-map.ts";
import type { Recording } from "./recording.ts";

interface Waiter {
  at: number;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** A position in a recording: how far the replay has reproduced it, and which event comes next. */
export class ReplayCursor {
  readonly sessionId: string;
  readonly ids = new IdMap();
  /** Events as the session produced them, with the replay's own ids. */
  readonly produced: SessionEvent[] = [];
  /** The same events with ids and times of the recording. */
  readonly aligned: SessionEvent[] = [];
  readonly #events: readonly SessionEvent[];
  readonly #end: number;
  #next = 0;
  /** End of the present run: the session was resumed there, or the replay is over. */
  #runEnd = 0;
  /** The same regardless of `until`: stand-ins may look beyond it. */
  #recordedRunEnd = 0;
  #runStart = 0;
  #waiters: Waiter[] = [];
  /** Notes that the approving person added, by waiting call. */
  readonly #notes = new Map<string, string>();
  /** Calls of the last answer; `#unchecked` are those whose arguments have not been validated yet. */
  #calls: readonly ToolCall[] = [];
  #unchecked: ToolCall[] = [];
  #failure: ReplayDivergence | undefined;
  #onProgress: () => void = () => {};

  /** Creates a cursor that reproduces nothing after the number `until`, though stand-ins may look further. */
  constructor({ sessionId, events, replayableFrom = 0 }: Recording, until = Infinity) {
    this.sessionId = sessionId;
    this.#events = events;
    const after = events.findIndex(({ seq }) => seq > until);
    this.#end = after < 0 ? events.length : after;
    this.#next = Math.min(replayableFrom, this.#end);
    for (const event of events.slice(0, this.#next)) {
      this.produced.push(event);
      this.aligned.push(event);
      this.#remember(event);
    }
  }

  /** The index of the next event. */
  get next(): number {
    return this.#next;
  }

  get isOver(): boolean {
    return this.#failure !== undefined || this.#next >= this.#end;
  }

  /** True when the present run has reproduced all its events. */
  get isRunOver(): boolean {
    return this.isOver || this.#next >= this.#runEnd;
  }

  get failure(): ReplayDivergence | undefined {
    return this.#failure;
  }

  /** Begins a run; `onProgress` is called after each reproduced event, and when no more will follow. */
  beginRun(onProgress: () => void): void {
    const from = this.#events[this.#next]?.type === "session_resume" ? this.#next + 1 : this.#next;
    const resumed = this.#events.findIndex(
      ({ type }, index) => index >= from && type === "session_resume",
    );
    this.#recordedRunEnd = resumed < 0 ? this.#events.length : resumed;
    this.#runEnd = Math.min(this.#end, this.#recordedRunEnd);
    this.#runStart = this.#next;
    this.#unchecked = [...this.#calls];
    this.#onProgress = onProgress;
  }

  /** The first event of the present run. */
  get runStart(): SessionEvent | undefined {
    return this.#events[this.#runStart];
  }

  /** Events that were logged together with `session_resume`. */
  get reportedAtStart(): {
    init?: SessionEventOf<"session_init">;
    damage?: SessionEventOf<"note">;
  } {
    if (this.runStart?.type !== "session_resume") return {};
    const first = this.#events[this.#runStart + 1];
    const init = first?.type === "session_init" ? { init: first } : {};
    const second = init.init ? this.#events[this.#runStart + 2] : first;
    const isDamage = isNote(second, LOG_DAMAGED);
    return isDamage ? { ...init, damage: second } : init;
  }

  /** Rejects all waiters of a run that is over. */
  endRun(): void {
    this.#onProgress = () => {};
    for (const { reject } of this.#waiters.splice(0)) reject(abortError());
  }

  at(index: number): SessionEvent | undefined {
    return this.#events[index];
  }

  /** The next event that the session must produce, not merely take over from the recording. */
  peek(): SessionEvent | undefined {
    for (let index = this.#next; index < this.#recordedRunEnd; index++) {
      const event = this.#events[index];
      if (event && !isFact(event)) return event;
    }
    return undefined;
  }

  /** Index of the first matching event of this run, from the next one on. */
  find(fits: (event: SessionEvent) => boolean, from = this.#next): number | undefined {
    for (let index = from; index < this.#recordedRunEnd; index++) {
      const event = this.#events[index];
      if (event && fits(event)) return index;
    }
    return undefined;
  }

  /** As `find`, for one kind of event. */
  findOf<Type extends SessionEventType>(
    type: Type,
    fits: (event: SessionEventOf<Type>) => boolean = () => true,
  ): SessionEventOf<Type> | undefined {
    const isIt = (event: SessionEvent): event is SessionEventOf<Type> => event.type === type;
    const index = this.find((event) => isIt(event) && fits(event));
    const event = index === undefined ? undefined : this.#events[index];
    return event && isIt(event) ? event : undefined;
  }

  /** A note for the model by the person who approved a call. */
  noteOf(callId: string): string | undefined {
    const known = this.#notes.get(callId);
    if (known !== undefined) return known;
    const index = this.find(
      (event) =>
        (event.type === "permission_decision" || event.type === "tool_end") &&
        event.toolCallId === callId,
    );
    const decided = index === undefined ? undefined : this.#events[index];
    const decision = decided?.type === "permission_decision" ? decided.decision : undefined;
    return decision?.allow ? decision.reason : undefined;
  }

  /** The call of the last answer with these arguments; each is found once. */
  callFor(name: string, args: ToolArgs): ToolCall | undefined {
    const text = JSON.stringify(args);
    const index = this.#unchecked.findIndex(
      (call) => call.name === name && JSON.stringify(call.args) === text,
    );
    return index < 0 ? undefined : this.#unchecked.splice(index, 1)[0];
  }

  /** Resolves when everything before an event is reproduced; for `undefined`, it rejects when the run ends. */
  due(index = Infinity): Promise<void> {
    let at = index;
    for (; at > this.#next && at < Infinity; at--) {
      const before = this.#events[at - 1];
      if (!before || !(isFact(before) || comesWithNext(before))) break;
    }
    this.#onProgress();
    if (this.isRunOver) return Promise.reject(abortError());
    if (this.#next >= at) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ at, resolve, reject }));
  }

  /** Compares a produced event with the next recorded one, and advances. */
  advance(event: SessionEvent): void {
    if (this.isRunOver) return;
    const recorded = this.#events[this.#next];
    if (!recorded) return;
    const outcome = alignEvent(recorded, event, this.ids);
    if ("difference" in outcome) {
      this.fail(new ReplayDivergence(recorded, whole(recorded, event) ?? outcome.difference));
      return;
    }
    this.produced.push(event);
    this.aligned.push(outcome.event);
    this.#next += 1;
    this.#remember(recorded);
    this.#release((at) => at <= this.#next);
    this.#onProgress();
  }

  /** Releases the first waiter out of turn when nothing else happens, so that its event shows the difference. */
  unblock(): void {
    const [first] = this.#waiters.toSorted((a, b) => a.at - b.at);
    const recorded = this.#events[this.#next];
    if (first && first.at < Infinity) this.#release((at) => at === first.at);
    else if (recorded) this.fail(new ReplayDivergence(recorded, nothingInsteadOf(recorded)));
  }

  fail(failure: ReplayDivergence): void {
    this.#failure ??= failure;
    this.#onProgress();
  }

  #remember(event: SessionEvent): void {
    if (event.type === "assistant_message") {
      this.#calls = event.message.toolCalls ?? [];
      this.#unchecked = [...this.#calls];
    } else if (event.type === "permission_decision") {
      const { allow, reason } = event.decision;
      if (allow && reason !== undefined) this.#notes.set(event.toolCallId, reason);
    } else if (event.type === "tool_end") {
      this.#notes.delete(event.toolCallId);
    }
  }

  #release(isDue: (at: number) => boolean): void {
    const due = this.#waiters.filter(({ at }) => isDue(at));
    this.#waiters = this.#waiters.filter(({ at }) => !isDue(at));
    for (const { resolve } of due) resolve();
  }
}

/** True for an event that a session records on its own together with, or right before, the next one. */
function comesWithNext(event: SessionEvent): boolean {
  if (event.type === "note") return isNote(event, "hook-stopped");
  return event.type === "session_init" || event.type === "session_resume";
}

/** The difference of two events as a whole, when their types differ. */
function whole(
  recorded: SessionEvent,
  event: SessionEvent,
): ReturnType<typeof nothingInsteadOf> | undefined {
  if (recorded.type === event.type) return undefined;
  return { path: "/type", expected: recorded.type, found: event.type };
}

function nothingInsteadOf(recorded: SessionEvent): {
  path: string;
  expected: unknown;
  found: unknown;
} {
  return { path: "", expected: recorded, found: undefined };
}
