import { expect, it } from "vitest";
import { hasErrorCode } from "./tool-error-code.ts";

it("recognizes the known codes, and neither a success nor a custom code", () => {
  expect(hasErrorCode({ errorCode: "hook_blocked" }, "aborted", "hook_blocked")).toBe(true);
  expect(hasErrorCode({ errorCode: "http_404" }, "http_404")).toBe(true);
  expect(hasErrorCode({ errorCode: "out_of_stock" }, "hook_blocked")).toBe(false);
  expect(hasErrorCode({}, "hook_blocked")).toBe(false);
});

it("does not compile with a code that is never written", () => {
  // @ts-expect-error The recorded code is `hook_blocked`.
  expect(hasErrorCode({ errorCode: "hook_blocked" }, "blocked_by_hook")).toBe(false);
});
