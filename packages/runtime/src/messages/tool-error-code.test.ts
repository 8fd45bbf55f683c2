import { expect, it } from "vitest";
import { hasErrorCode } from "./tool-error-code.ts";

it("tells one of several codes, and nothing of a success or of a program's own code", () => {
  expect(hasErrorCode({ errorCode: "hook_blocked" }, "aborted", "hook_blocked")).toBe(true);
  expect(hasErrorCode({ errorCode: "http_404" }, "http_404")).toBe(true);
  expect(hasErrorCode({ errorCode: "out_of_stock" }, "hook_blocked")).toBe(false);
  expect(hasErrorCode({}, "hook_blocked")).toBe(false);
});

it("does not compile with a code that nothing writes", () => {
  // @ts-expect-error The recorded code is `hook_blocked`.
  expect(hasErrorCode({ errorCode: "hook_blocked" }, "blocked_by_hook")).toBe(false);
});
