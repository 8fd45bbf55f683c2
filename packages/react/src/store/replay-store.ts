import type { SessionEvent } from "@robota/runtime";
import { applyEvents } from "./apply-events.ts";
import { createCell, type Readable } from "./readable.ts";
import { emptyView, type SessionView } from "./session-view.ts";

/** A recorded session at one moment. */
export interface ReplayState {
  view: SessionView;
  /** Number of events shown, from 0 to `length`. */
  position: number;
  length: number;
  isPlaying: boolean;
  /** Factor on the recorded pace. */
  speed: number;
}

/** A recorded session as a value over time: plays, stops, and goes to any event. No model is called, nothing runs. */
export interface ReplayStore extends Readable<ReplayState> {
  play: () => void;
  pause: () => void;
  /** Shows the events up to `position`; values out of range go to the nearest end. */
  seek: (position: number) => void;
  /** Moves by this many events; negative ones go back. */
  step: (by?: number) => void;
  /** @throws {RangeError} for a factor that is not above zero */
  setSpeed: (speed: number) => void;
}

/** Events between two kept views: going back folds at most this many again. */
const VIEW_INTERVAL = 500;
/** Longest pause between two events, in milliseconds: a person's night is not waited for. */
const MAX_PAUSE_MS = 1_000;

/** Makes a replay of the events of a session, as `session.events()` or an export yields them. */
export function createReplay(events: readonly SessionEvent[]): ReplayStore {
  const views: SessionView[] = [emptyView];
  const state = createCell<ReplayState>({
    view: emptyView,
    position: 0,
    length: events.length,
    isPlaying: false,
    speed: 1,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;

  const update = (changes: Partial<ReplayState>): void => state.set({ ...state.get(), ...changes });
  const viewAt = (position: number): SessionView => {
    while (views.length * VIEW_INTERVAL <= position) {
      const from = (views.length - 1) * VIEW_INTERVAL;
      views.push(
        applyEvents(views.at(-1) as SessionView, events.slice(from, from + VIEW_INTERVAL)),
      );
    }
    const at = Math.floor(position / VIEW_INTERVAL);
    return applyEvents(views[at] as SessionView, events.slice(at * VIEW_INTERVAL, position));
  };
  const show = (wanted: number): void => {
    const position = Math.min(Math.max(0, Math.trunc(wanted)), events.length);
    const current = state.get();
    if (position === current.position) return;
    const view =
      position > current.position && position - current.position < VIEW_INTERVAL
        ? applyEvents(current.view, events.slice(current.position, position))
        : viewAt(position);
    update({ view, position });
  };
  const halt = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const stop = (): void => {
    halt();
    update({ isPlaying: false });
  };
  const schedule = (): void => {
    halt();
    const { position, isPlaying, speed } = state.get();
    if (!isPlaying) return;
    if (position >= events.length) return stop();
    const gap = (events[position]?.time ?? 0) - (events[position - 1]?.time ?? Infinity);
    const wait = Math.min(Math.max(0, gap), MAX_PAUSE_MS) / speed;
    timer = setTimeout(() => {
      show(nextPosition(events, position));
      schedule();
    }, wait);
  };

  return {
    get: state.get,
    subscribe: state.subscribe,
    play() {
      if (state.get().position >= events.length) show(0);
      update({ isPlaying: true });
      schedule();
    },
    pause: stop,
    seek(position) {
      show(position);
      schedule();
    },
    step(by = 1) {
      stop();
      show(state.get().position + by);
    },
    setSpeed(speed) {
      if (!(speed > 0)) throw new RangeError(`A replay's speed is above zero, not ${speed}`);
      update({ speed });
      schedule();
    },
  };
}

/** Events of the same millisecond show together. */
function nextPosition(events: readonly SessionEvent[], position: number): number {
  const time = events[position]?.time;
  let next = position + 1;
  while (next < events.length && events[next]?.time === time) next += 1;
  return next;
}
