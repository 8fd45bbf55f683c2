import fc from "fast-check";
import { expect, it } from "vitest";
import { HOOK_EVENTS } from "./events.ts";
import { readResult } from "./read-result.ts";

/** Results with the known field names and arbitrary values. */
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("allow", "ask", "deny", "block", "approve", ...HOOK_EVENTS),
);
const inner = fc.dictionary(
  fc.constantFrom(
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "decision",
    "behavior",
    "__proto__",
  ),
  value,
);
const answer = fc.dictionary(
  fc.constantFrom("continue", "stopReason", "decision", "reason", "hookSpecificOutput"),
  fc.oneof(value, inner, fc.record({ decision: inner })),
);

it("reads any output without throwing, and never a denial as an allowance", () => {
  const results = fc.record({
    exitCode: fc.oneof(fc.constant(0), fc.constant(2), fc.integer()),
    stdout: fc.oneof(
      answer.map((said) => JSON.stringify(said)),
      fc.string(),
    ),
    stderr: fc.string(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...HOOK_EVENTS), results, (event, result) => {
      const verdict = readResult(event, result);
      if (result.exitCode === 2) expect(verdict.block).toBeDefined();
      if (result.exitCode !== 0) expect(verdict.permission).toBeUndefined();
      if (verdict.permission?.decision === "deny") expect(verdict.block).toBeDefined();
      expect(Object.getPrototypeOf({ ...verdict.updatedInput })).toBe(Object.prototype);
    }),
  );
});
