import { expect, it } from "vitest";
import {
  CLAUDE_MODELS,
  costOf,
  DEFAULT_CONTEXT_WINDOW,
  formatTokenCount,
  getModelContextWindow,
  getModelName,
  OPENAI_MODELS,
} from "./models.ts";

it("has the windows and names of models, and defaults for others", () => {
  expect(getModelContextWindow("claude-opus-4-6")).toBe(1_000_000);
  expect(getModelContextWindow("claude-sonnet-4-6")).toBe(200_000);
  expect(getModelName("claude-sonnet-4-6")).toBe("Claude Sonnet 4.6");
  for (const unknown of ["my-model", "constructor", "__proto__"]) {
    expect([getModelContextWindow(unknown), getModelName(unknown)]).toEqual([
      DEFAULT_CONTEXT_WINDOW,
      unknown,
    ]);
  }
});

it("assumes a window of 200,000 tokens for unknown models", () => {
  expect(DEFAULT_CONTEXT_WINDOW).toBe(200_000);
  expect(getModelContextWindow("my-model")).toBe(200_000);
  expect(getModelContextWindow("")).toBe(200_000);
});

it("prefers a custom catalog", () => {
  const models = [{ id: "claude-sonnet-4-6", name: "Mine", contextWindow: 5, maxOutput: 1 }];
  expect(getModelContextWindow("claude-sonnet-4-6", models)).toBe(5);
  expect(getModelName("claude-sonnet-4-6", models)).toBe("Mine");
});

it("has an id and a fitting answer limit for every model", () => {
  for (const [id, model] of Object.entries({ ...CLAUDE_MODELS, ...OPENAI_MODELS })) {
    expect(model.id).toBe(id);
    expect(model.maxOutput).toBeLessThanOrEqual(model.contextWindow);
  }
});

it.each([
  [0, "0K"],
  [1, "<1K"],
  [999, "<1K"],
  [1000, "1K"],
  [1500, "1.5K"],
  [200_000, "200K"],
  [999_949, "999.9K"],
  [999_999, "1M"],
  [1_000_000, "1M"],
  [1_234_567, "1.2M"],
])("formats %d tokens as %s", (count, text) => expect(formatTokenCount(count)).toBe(text));

it("computes a call's cost, with cached tokens at their own price", () => {
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cacheReadTokens: 2_000_000,
    cacheWriteTokens: 400_000,
  };
  expect(costOf(usage, "claude-sonnet-4-6")).toBeCloseTo(3 + 1.5 + 0.6 + 1.5);
  expect(costOf(usage, "gpt-5")).toBeCloseTo(1.25 + 1 + 0.25 + 0.5);
  expect(costOf(usage, "unknown")).toBeUndefined();
});
