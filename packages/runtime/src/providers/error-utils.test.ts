import { describe, expect, it } from "vitest";
import {
  abortError,
  AuthenticationError,
  NetworkError,
  ProviderError,
  RateLimitError,
  ValidationError,
} from "../errors.ts";
import { ErrorUtils } from "./error-utils.ts";

const { fromUnknown, getErrorCode, isRecoverable, wrapProviderError } = ErrorUtils;

describe("an error of unknown origin", () => {
  it("is recoverable only when it is marked so", () => {
    expect(isRecoverable(new NetworkError("x", { provider: "p" }))).toBe(true);
    expect(isRecoverable(new ValidationError("x"))).toBe(false);
    expect([new Error("x"), "x", undefined, { recoverable: true }].map(isRecoverable)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("has a code", () => {
    expect(getErrorCode(new ValidationError("x"))).toBe("VALIDATION_ERROR");
    expect(getErrorCode(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe("ENOENT");
    expect([new Error("x"), "x", null].map(getErrorCode)).toEqual([
      "UNKNOWN_ERROR",
      "UNKNOWN_ERROR",
      "UNKNOWN_ERROR",
    ]);
  });

  it("becomes a RobotaError with its cause", () => {
    const known = new ValidationError("x");
    expect(fromUnknown(known)).toBe(known);
    const cause = new TypeError("broken");
    expect(fromUnknown(cause)).toMatchObject({
      code: "UNKNOWN_ERROR",
      message: "broken",
      recoverable: false,
      cause,
    });
    expect(fromUnknown("a text").message).toBe("a text");
  });
});

describe("an error of a model's service", () => {
  it("stays itself when typed, and an abort stays an abort", () => {
    const typed = new ProviderError("x", { provider: "p" });
    expect(wrapProviderError(typed, "other")).toBe(typed);
    const abort = abortError();
    expect(() => wrapProviderError(abort, "p")).toThrow(abort);
  });

  it("is typed by its status", () => {
    const sdk = (status: number, headers = {}): Error =>
      Object.assign(new Error(`status ${status}`), { status, headers: new Headers(headers) });
    expect(wrapProviderError(sdk(401), "p")).toBeInstanceOf(AuthenticationError);
    const limited = wrapProviderError(sdk(429, { "retry-after": "7" }), "p");
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited).toMatchObject({ retryAfterMs: 7000 });
  });

  it("is otherwise wrapped without the key", () => {
    const error = wrapProviderError(new Error("no key-1234 here"), "p", { secrets: ["key-1234"] });
    expect(error.message).toBe("p failed: no [REDACTED] here");
    expect(error).toMatchObject({ code: "PROVIDER_ERROR", recoverable: true, provider: "p" });
    expect(wrapProviderError(new ValidationError("x"), "p").recoverable).toBe(false);
  });
});
