import { expect, it } from "vitest";
import {
  AuthenticationError,
  errorFacts,
  ModelNotAvailableError,
  NetworkError,
  ProviderError,
  RateLimitError,
  RobotaError,
} from "../errors.ts";
import { asError, reportable } from "./reported-error.ts";

const facts = { provider: "p", hint: "Do this.", status: 429, cause: new Error("cause") };
const overloaded = new ProviderError("m", { ...facts, code: "OVERLOADED" });

it.each([
  new AuthenticationError("m", facts),
  new RateLimitError("m", { ...facts, retryAfterMs: 90_000 }),
  new NetworkError("m", facts),
  new ModelNotAvailableError("m", facts),
  overloaded,
  new ProviderError("m", { ...facts, code: "SERVER_ERROR" }),
  new ProviderError("m", {
    ...facts,
    code: "CONTEXT_LENGTH",
    category: "user",
    recoverable: false,
  }),
  new RobotaError("m", { code: "BUDGET_EXCEEDED", category: "user", recoverable: false }),
])("$code is restored as itself here, and as its class from a log", (error) => {
  const reported = reportable(error);
  expect(asError(reported)).toBe(error);
  const read = asError(JSON.parse(JSON.stringify(reported)));
  expect(read).toBeInstanceOf(error.constructor);
  expect(errorFacts(read)).toEqual(errorFacts(error));
  expect(read).toMatchObject(error.toJSON());
  expect(read.cause).toBeUndefined();
});

it("derives class, category and hint from a bare code", () => {
  const bare = (code: string): Error => asError({ code, message: "m" }, "p");
  expect(bare("NETWORK_ERROR")).toEqual(new NetworkError("m", { provider: "p" }));
  expect(bare("RATE_LIMIT_ERROR")).toEqual(new RateLimitError("m", { provider: "p" }));
  for (const code of ["OVERLOADED", "SERVER_ERROR", "PROTOCOL_ERROR"])
    expect(bare(code)).toEqual(new ProviderError("m", { provider: "p", code }));
  expect(bare("CONTEXT_LENGTH")).toMatchObject({
    category: "user",
    recoverable: false,
    hint: expect.stringMatching(/\.$/),
  });
  expect(asError("words")).toMatchObject({ code: "UNKNOWN_ERROR", message: "words" });
});
