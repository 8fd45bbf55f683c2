import { expect, it } from "vitest";
import type { TokenUsage } from "../messages/message.ts";
import { ContextTracker } from "./tracker.ts";

const message = { id: "1", timestamp: new Date(0) };

it("reports the used and remaining share of the window with two decimals", () => {
  const tracker = new ContextTracker(300);
  expect(tracker.state).toEqual({
    maxTokens: 300,
    usedTokens: 0,
    usedPercentage: 0,
    remainingPercentage: 100,
  });
  tracker.add({ ...message, role: "user", content: "x".repeat(200) });
  expect(tracker.state).toEqual({
    maxTokens: 300,
    usedTokens: 100,
    usedPercentage: 33.33,
    remainingPercentage: 66.67,
  });
});

it("uses the provider's token counts, including cached tokens, and never exceeds 100 %", () => {
  const tracker = new ContextTracker(1000);
  const usage: TokenUsage = {
    inputTokens: 100,
    outputTokens: 50,
    cacheReadTokens: 300,
    cacheWriteTokens: 200,
  };
  tracker.add({ ...message, role: "assistant", content: "Yes", state: "complete", usage });
  expect(tracker.state).toMatchObject({ usedTokens: 650, usedPercentage: 65 });
  tracker.add({ ...message, role: "user", content: "x".repeat(2000) });
  expect(tracker.state).toEqual({
    maxTokens: 1000,
    usedTokens: 1650,
    usedPercentage: 100,
    remainingPercentage: 0,
  });
});
