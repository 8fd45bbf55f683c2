import { expect, it } from "vitest";
import { turnTime } from "./turn-time.ts";

it("tells the time of work, and apart from it the time that a person was waited for", () => {
  expect(turnTime({ startedAt: 1_000 })).toBe("");
  expect(turnTime({ startedAt: 1_000, endedAt: 3_100 })).toBe("2.1 s");
  expect(turnTime({ startedAt: 1_000, endedAt: 8_100, waitedMs: 5_000 })).toBe(
    "2.1 s, and 5.0 s waiting for you",
  );
  // A clock that was set back meanwhile.
  expect(turnTime({ startedAt: 1_000, endedAt: 500, waitedMs: 0 })).toBe("0 ms");
});
