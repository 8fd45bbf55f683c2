import { expect, it } from "vitest";
import { isSameModel } from "./same-model.ts";

it.each([
  ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
  ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["anthropic/claude-opus-5", "claude-opus-5"],
])("recognizes %s and %s as one model", (one, other) => {
  expect(isSameModel(one, other)).toBe(true);
});

it.each([
  ["claude-opus-4-5", "claude-opus-4-6"],
  ["claude-opus-5", "claude-sonnet-5"],
  ["glm-4.6", "claude-sonnet-5"],
])("distinguishes %s and %s", (one, other) => {
  expect(isSameModel(one, other)).toBe(false);
});
