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

/** The record as a play: how far it has been performed, and what comes next for whom. */
export class Script {
  readonly sessionId: string;
  readonly ids = new IdMap();
  /** As the session produced them, with the replay's own ids. */
  readonly produced: SessionEvent[] = [];
  /** The same with ids and times of the record. */
  readonly aligned: SessionEvent[] = [];
  readonly #events: readonly SessionEvent[];
  readonly #end: number;
  #next = 0;
  /** Where the present life of the session ends: it was opened again there, or the replay is over. */
  #lifeEnd = 0;
  /** The same without regard to where the replay ends: stand-ins may look behind it. */
  #recordedLifeEnd = 0;
  #lifeStart = 0;
  #waiters: Waiter[] = [];
  /** By call that waits for its result: what the person who allowed it added. */
  readonly #notes = new Map<string, string>();
  /** Of the last answer, and those of them whose arguments were not looked at yet. */
  #calls: readonly ToolCall[] = [];
  #unchecked: ToolCall[] = [];
  #failure: ReplayDivergence | undefined;
  #onProgress: () => void = () => {};

  /** `until`: nothing behind that number is performed, though stand-ins may look at it. */
  constructor({ sessionId, events, playableFrom = 0 }: Recording, until = Infinity) {
    this.sessionId = sessionId;
    this.#events = events;
    const after = events.findIndex(({ seq }) => seq > until);
    this.#end = after < 0 ? events.length : after;
    this.#next = Math.min(playableFrom, this.#end);
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

  /** Whether the session's present life has done all that it did. */
  get isLifeOver(): boolean {
    return this.isOver || this.#next >= this.#lifeEnd;
  }

  get failure(): ReplayDivergence | undefined {
    return this.#failure;
  }

  /** `onProgress` is called when an event was performed, or when none will be any more. */
  beginLife(onProgress: () => void): void {
    const from = this.#events[this.#next]?.type === "session_resume" ? this.#next + 1 : this.#next;
    const resumed = this.#events.findIndex(
      ({ type }, index) => index >= from && type === "session_resume",
    );
    this.#recordedLifeEnd = resumed < 0 ? this.#events.length : resumed;
    this.#lifeEnd = Math.min(this.#end, this.#recordedLifeEnd);
    this.#lifeStart = this.#next;
    this.#unchecked = [...this.#calls];
    this.#onProgress = onProgress;
  }

  /** The event that the present life begins with. */
  get lifeStart(): SessionEvent | undefined {
    return this.#events[this.#lifeStart];
  }

  /** What came to the log together with the news that the session was opened again. */
  get toldAtStart(): { init?: SessionEventOf<"session_init">; damage?: SessionEventOf<"note"> } {
    if (this.lifeStart?.type !== "session_resume") return {};
    const first = this.#events[this.#lifeStart + 1];
    const init = first?.type === "session_init" ? { init: first } : {};
    const second = init.init ? this.#events[this.#lifeStart + 2] : first;
    const isDamage = isNote(second, LOG_DAMAGED);
    return isDamage ? { ...init, damage: second } : init;
  }

  /** Lets go of whoever waits in a life that is over. */
  endLife(): void {
    this.#onProgress = () => {};
    for (const { reject } of this.#waiters.splice(0)) reject(abortError());
  }

  at(index: number): SessionEvent | undefined {
    return this.#events[index];
  }

  /** What comes next that is not taken over from the record as it is. */
  peek(): SessionEvent | undefined {
    for (let index = this.#next; index < this.#recordedLifeEnd; index++) {
      const event = this.#events[index];
      if (event && !isFact(event)) return event;
    }
    return undefined;
  }

  /** The first event from the next one on, in this life, that fits. */
  find(fits: (event: SessionEvent) => boolean, from = this.#next): number | undefined {
    for (let index = from; index < this.#recordedLifeEnd; index++) {
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

  /** What the person who allowed a call added for the model. */
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

  /** The call of the last answer whose arguments these are; each is found once. */
  callFor(name: string, args: ToolArgs): ToolCall | undefined {
    const text = JSON.stringify(args);
    const index = this.#unchecked.findIndex(
      (call) => call.name === name && JSON.stringify(call.args) === text,
    );
    return index < 0 ? undefined : this.#unchecked.splice(index, 1)[0];
  }

  /** Resolves when everything before an event was performed; for `undefined`, only when the life ends, by rejecting. */
  due(index = Infinity): Promise<void> {
    let at = index;
    for (; at > this.#next && at < Infinity; at--) {
      const before = this.#events[at - 1];
      if (!before || !(isFact(before) || comesWithNext(before))) break;
    }
    this.#onProgress();
    if (this.isLifeOver) return Promise.reject(abortError());
    if (this.#next >= at) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ at, resolve, reject }));
  }

  /** What the session has done. */
  perform(event: SessionEvent): void {
    if (this.isLifeOver) return;
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

  /** Nothing comes of itself any more: whoever waits goes on out of turn, so that what it does shows the difference. */
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

/** What a session records by itself together with, or right before, the next event. */
function comesWithNext(event: SessionEvent): boolean {
  if (event.type === "note") return isNote(event, "hook-stopped");
  return event.type === "session_init" || event.type === "session_resume";
}

/** Another kind of event differs as a whole. */
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
