import { expect, it } from "vitest";
import { hasSample, withSample } from "./sample-hook.ts";

it("is switched on and off beside other hooks, which stay", () => {
  const own = { type: "command", command: "true" } as const;
  const before = { language: "German", hooks: { PreToolUse: [{ hooks: [own] }], Stop: [] } };
  const on = withSample(before, true);
  expect(hasSample(before)).toBe(false);
  expect(hasSample(on)).toBe(true);
  expect(on.hooks?.PreToolUse).toHaveLength(2);
  // As it comes back from the browser's storage.
  const stored = JSON.parse(JSON.stringify(on));
  expect(withSample(stored, true).hooks?.PreToolUse).toHaveLength(2);
  expect(withSample(stored, false)).toEqual(before);
  expect(withSample(withSample({}, true), false)).toEqual({ hooks: {} });
});
