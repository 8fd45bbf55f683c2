import type { SessionEvent } from "@robota/runtime";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ListFollower } from "./list-follower.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (type: "name_change" | "text_delta", time: number): SessionEvent => {
  const header = { v: 1, seq: 1, sessionId: "a", time } as const;
  return type === "name_change"
    ? { ...header, type, name: "Plans" }
    : { ...header, type, messageId: "m", delta: "x" };
};
const header = (id: string, time: number) => ({ id, updatedAt: new Date(time).toISOString() });

function followed() {
  const stored = { headers: [header("a", 100)] };
  const refresh = vi.fn(async () => stored.headers);
  const onCaughtUp = vi.fn();
  return { stored, refresh, onCaughtUp, follower: new ListFollower({ refresh, onCaughtUp }) };
}

it("reads the list until it has the last change of a session", async () => {
  const { stored, refresh, onCaughtUp, follower } = followed();
  expect(follower.note("a", [event("name_change", 500), event("text_delta", 900)])).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refresh.mock.calls.length).toBeGreaterThan(1);
  expect(onCaughtUp).not.toHaveBeenCalled();
  stored.headers = [header("b", 900), header("a", 500)];
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onCaughtUp).toHaveBeenCalledOnce();
  const { length } = refresh.mock.calls;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refresh).toHaveBeenCalledTimes(length);
});

it("reads the list once when it has the change", async () => {
  const { refresh, onCaughtUp, follower } = followed();
  follower.note("a", [event("name_change", 100)]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refresh).toHaveBeenCalledOnce();
  expect(onCaughtUp).not.toHaveBeenCalled();
});

it("does not read the list for words of an answer", async () => {
  const { refresh, follower } = followed();
  expect(follower.note("a", [event("text_delta", 900)])).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refresh).not.toHaveBeenCalled();
});

it.each([
  ["is deleted", (follower: ListFollower) => follower.forget("a")],
  ["can't be stored", () => undefined],
])("waits no more for a session that %s", async (_, act) => {
  const { refresh, follower } = followed();
  follower.note("a", [event("name_change", 500)]);
  act(follower);
  await vi.advanceTimersByTimeAsync(60_000);
  const { length } = refresh.mock.calls;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(refresh).toHaveBeenCalledTimes(length);
});
