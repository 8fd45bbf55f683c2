import { describe, expect, it } from "vitest";
import { RateLimitError } from "../errors.ts";
import { describeBody, failureOf, invalidResponse } from "./errors.ts";
import { networkError, type PageFacts } from "./network.ts";
import { redact } from "../messages/redact.ts";

const context = { provider: "test", model: "model-1", secrets: ["secret-key-1234"] };
const of = (status: number, body: unknown, headers?: Headers): ReturnType<typeof failureOf> =>
  failureOf({ status, body, headers }, context);

describe("a failed response", () => {
  it.each([
    [
      400,
      { error: { type: "invalid_request_error", message: "bad field" } },
      "INVALID_REQUEST",
      false,
    ],
    [
      400,
      { error: { code: "context_length_exceeded", message: "too much" } },
      "CONTEXT_LENGTH",
      false,
    ],
    [
      400,
      { error: { message: "This model's maximum context length is 8192 tokens." } },
      "CONTEXT_LENGTH",
      false,
    ],
    [
      400,
      {
        error: {
          message: "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
        },
      },
      "CONTEXT_LENGTH",
      false,
    ],
    [
      400,
      { error: { message: "the request exceeds the available context size" } },
      "CONTEXT_LENGTH",
      false,
    ],
    [400, { error: { code: "content_filter", message: "no" } }, "REFUSED", false],
    [401, { error: { message: "bad key" } }, "AUTHENTICATION_ERROR", false],
    [402, { error: { type: "billing_error", message: "no credit" } }, "QUOTA_EXCEEDED", false],
    [403, { error: { message: "not yours" } }, "AUTHENTICATION_ERROR", false],
    [404, { error: { message: "model: model-1" } }, "MODEL_NOT_AVAILABLE", false],
    [
      404,
      { error: { code: "model_not_found", message: "no such model" } },
      "MODEL_NOT_AVAILABLE",
      false,
    ],
    [404, "404 page not found", "NOT_FOUND", false],
    [408, {}, "SERVER_ERROR", true],
    [409, {}, "SERVER_ERROR", true],
    [
      413,
      { error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
      "REQUEST_TOO_LARGE",
      false,
    ],
    [422, { detail: [{ msg: "field required" }] }, "INVALID_REQUEST", false],
    [429, { error: { message: "slow down" } }, "RATE_LIMIT_ERROR", true],
    [429, { error: { code: "insufficient_quota", message: "no credit" } }, "QUOTA_EXCEEDED", false],
    [500, {}, "SERVER_ERROR", true],
    [503, {}, "OVERLOADED", true],
    [529, {}, "OVERLOADED", true],
  ])("with status %i and body %j is %s", (status, body, code, retryable) => {
    const failure = of(status, body);
    expect(failure.error.code).toBe(code);
    expect(failure.retryable).toBe(retryable);
    expect(failure.error.recoverable).toBe(retryable);
    expect(failure.error.hint).not.toBe("");
    expect(failure.error.status).toBe(status);
  });

  it("with a long retry delay is a rate limit, whatever its status", () => {
    const { error, retryAfterMs } = of(503, {}, new Headers({ "retry-after": "90" }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 90_000, hint: "Try again in 90 s." });
    expect(retryAfterMs).toBe(90_000);
  });

  it("explains an organisation that allows no browsers", () => {
    const message = "CORS requests are not allowed for this Organization because of its settings";
    expect(of(401, { error: { message } }).error.hint).toContain("server or worker");
  });

  it("never shows the key", () => {
    const other = `sk-ant-${"x".repeat(24)}`;
    const body = { error: { message: `key secret-key-1234 and ${other} are wrong` } };
    expect(of(401, body).error.message).toBe(
      "test answered 401: key [REDACTED] and [REDACTED] are wrong",
    );
  });
});

it.each([
  [
    { success: false, errors: [{ code: 7003, message: "no route" }] },
    '{"success":false,"errors":[{"code":7003,"message":"no route"}]}',
  ],
  [{ error_code: 17, error_msg: "daily limit" }, '{"error_code":17,"error_msg":"daily limit"}'],
  [{ error: { type: "overloaded_error" } }, undefined],
  [{}, undefined],
  [{ error: { message: "inner" } }, "inner"],
  [{ message: "outer" }, "outer"],
  [{ error: "text" }, "text"],
  [[{ error: { message: "listed" } }], "listed"],
  [{ detail: "detail" }, "detail"],
  ["plain", "plain"],
  ["<!DOCTYPE html><title>Bad Gateway</title>", 'a web page, "Bad Gateway"'],
  ["", undefined],
  [null, undefined],
])("finds the message in %j", (body, message) => {
  expect(describeBody(body).message).toBe(message);
});

it("says that a model takes no pictures, whatever the service calls it, and only then", () => {
  const hint = "This model can't look at pictures.";
  for (const [status, message] of [
    [400, "Invalid content type. image_url is only supported by certain models."],
    [404, "No endpoints found that support image input"],
    [500, "image input is not supported - hint: you may need to provide the mmproj"],
    [500, "this model is missing data required for image input"],
    [400, "model-1 does not support multimodal requests"],
  ] as const) {
    const { error, retryable } = of(status, { error: { message } });
    expect(error.hint, message).toContain(hint);
    expect([error.code, retryable]).toEqual(["INVALID_REQUEST", false]);
  }
  for (const message of [
    "Unsupported image format: only image/png and image/jpeg are supported",
    "image exceeds 5 MB maximum, which is not supported",
    "Could not process image",
  ])
    expect(of(400, { error: { message } }).error.hint, message).not.toContain(hint);
});

it("describes an unexpected response", () => {
  expect(invalidResponse("<html><title>Sign in</title>", context).message).toContain(
    'a web page, "Sign in"',
  );
  expect(invalidResponse("", context).message).toContain("nothing");
  expect(invalidResponse("[]", context)).toMatchObject({
    code: "INVALID_RESPONSE",
    recoverable: false,
  });
});

it("removes keys from texts, known ones and by form", () => {
  const text =
    "a secret-key-1234 b sk-proj-abcdefgh12 c Bearer abc.def-ghi d sk-short e task-1234567890";
  expect(redact(text, ["secret-key-1234"])).toBe(
    "a [REDACTED] b [REDACTED] c [REDACTED] d sk-short e task-1234567890",
  );
});

describe("a request without a response", () => {
  const failed = new TypeError("Failed to fetch");
  const page: PageFacts = { origin: "https://app.example", online: true };
  const says = (url: string, facts?: PageFacts, cause: unknown = failed): string => {
    const error = networkError({ provider: "test", url, cause, page: facts });
    expect(error.message).not.toContain("Failed to fetch");
    return `${error.message} | ${error.hint}`;
  };
  const coded = (code: string): Error =>
    new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

  it("in a page is attributed to the network, a mixed address, a local server or CORS", () => {
    expect(says("https://api.example/v1", { ...page, online: false })).toContain("offline");
    expect(says("http://api.example/v1", page)).toContain("may not call http://api.example");
    expect(says("http://localhost:11434/v1", page)).toContain("OLLAMA_ORIGINS=https://app.example");
    expect(says("http://127.0.0.1:1234/v1", { ...page, online: false })).toContain(
      "likely nothing runs",
    );
    expect(says("http://localhost:11434/v1", { ...page, localAccess: "denied" })).toContain(
      "may not reach programs on this machine | Allow it in the browser's settings",
    );
    expect(says("http://192.168.1.7:8000/v1", { ...page, localAccess: "denied" })).toContain(
      "may not reach the local network",
    );
    expect(says("https://api.example/v1", page)).toContain(
      "likely api.example does not answer pages of https://app.example (CORS)",
    );
  });

  it("elsewhere is attributed to the system's error", () => {
    expect(says("https://api.example/v1", undefined, coded("ENOTFOUND"))).toContain(
      "its name does not resolve (ENOTFOUND)",
    );
    expect(says("http://localhost:1/v1", undefined, coded("ECONNREFUSED"))).toContain(
      "nothing listens there",
    );
    expect(says("https://api.example", undefined, coded("DEPTH_ZERO_SELF_SIGNED_CERT"))).toContain(
      "certificate",
    );
    expect(says("https://api.example", undefined, coded("UND_ERR_CONNECT_TIMEOUT"))).toContain(
      "timed out",
    );
    const both = new AggregateError([Object.assign(new Error("x"), { code: "ECONNREFUSED" })]);
    expect(
      says("https://api.example", undefined, new TypeError("fetch failed", { cause: both })),
    ).toContain("ECONNREFUSED");
    expect(says("https://api.example", undefined, "odd")).toContain("no answer from api.example");
  });
});
