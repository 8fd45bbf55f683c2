import { expect, it, vi } from "vitest";
import { SessionFollower } from "./session-follower.ts";

it("leaves nothing behind that watches for its end once a wait is over", async () => {
  const link = {
    connect: () => new Promise<void>(() => {}),
    request: () => Promise.reject(new Error("not used")),
    log: () => Promise.reject(new Error("not used")),
  };
  const follower = new SessionFollower({
    link,
    sessionId: () => "s",
    onSummary: () => {},
    onEvent: () => {},
  });
  const added = vi.spyOn(follower.signal, "addEventListener");
  const removed = vi.spyOn(follower.signal, "removeEventListener");
  await follower.reached(1, 1);
  expect(added.mock.calls.map(([, listener]) => listener)).toEqual([expect.any(Function)]);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
    added.mock.calls.map(([, listener]) => listener),
  );
  follower.close();
});
