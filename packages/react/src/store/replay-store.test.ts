import type { SessionEvent } from "@robota/runtime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyEvents } from "./apply-events.ts";
import { createReplay } from "./replay-store.ts";
import { emptyView } from "./session-view.ts";

/** 1,200 turns of two events, a second apart. */
const events = Array.from({ length: 1_200 }, (_, turn): SessionEvent[] => {
  const header = { v: 1, sessionId: "s", turnId: `t${turn}`, time: turn * 1_000 } as const;
  return [
    { ...header, seq: 2 * turn + 1, type: "turn_start", input: `prompt ${turn}` },
    { ...header, seq: 2 * turn + 2, type: "turn_end", state: "complete", response: "" },
  ];
}).flat();

describe("a replay", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows at every position the session's state at that time", () => {
    const replay = createReplay(events);
    for (const position of [2_400, 1, 999, 1_000, 1_001, 500, 499, 2_399, 0]) {
      replay.seek(position);
      expect(replay.get()).toMatchObject({ position, length: 2_400 });
      expect(replay.get().view).toEqual(applyEvents(emptyView, events.slice(0, position)));
    }
  });

  it("clamps a position to the record", () => {
    const replay = createReplay(events);
    replay.seek(9_999);
    expect(replay.get().position).toBe(2_400);
    replay.step(-9_999);
    expect(replay.get().position).toBe(0);
  });

  it("plays at the recorded pace, and at a multiple of it", () => {
    const replay = createReplay(events);
    replay.play();
    vi.advanceTimersByTime(0);
    expect(replay.get()).toMatchObject({ position: 2, isPlaying: true });
    vi.advanceTimersByTime(2_000);
    expect(replay.get().position).toBe(6);
    replay.setSpeed(10);
    vi.advanceTimersByTime(1_000);
    expect(replay.get().position).toBe(26);
    replay.pause();
    vi.advanceTimersByTime(60_000);
    expect(replay.get()).toMatchObject({ position: 26, isPlaying: false });
  });

  it("stops at the end, and then plays from the beginning", () => {
    const replay = createReplay(events.slice(0, 4));
    replay.play();
    vi.runAllTimers();
    expect(replay.get()).toMatchObject({ position: 4, isPlaying: false });
    replay.play();
    expect(replay.get()).toMatchObject({ position: 0, isPlaying: true });
    vi.runAllTimers();
    expect(replay.get().position).toBe(4);
  });

  it("shortens any wait to a second", () => {
    const [first, second] = events as [SessionEvent, SessionEvent];
    const replay = createReplay([first, { ...second, time: 86_400_000 }]);
    replay.play();
    vi.advanceTimersByTime(1_000);
    expect(replay.get().position).toBe(2);
  });

  it.each([0, -1, Number.NaN])("refuses a speed of %s", (speed) => {
    expect(() => createReplay(events).setSpeed(speed)).toThrow(RangeError);
  });
});
