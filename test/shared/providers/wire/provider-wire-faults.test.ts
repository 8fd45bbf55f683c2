import { type AssistantMessage, RateLimitError } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import {
  exchange,
  hello,
  KEY,
  providers,
  twoCalls,
  user,
} from "../../../support/wire/wire-providers.ts";

const errorOf = (message: AssistantMessage | undefined): string | undefined => message?.error?.code;

// Side by side, because most of their time is waiting.
describe.each(Object.keys(providers))("%s", { concurrent: true }, (wire) => {
  describe("a failure before any output", () => {
    it("reports a wrong key, without the key, and does not retry", async () => {
      const body = { error: { type: "authentication_error", message: `invalid key ${KEY}` } };
      const { error, requests } = await exchange(wire, [{ status: 401, body }]);
      expect(error).toMatchObject({ name: "AuthenticationError", status: 401, recoverable: false });
      expect(JSON.stringify(error)).toContain("[REDACTED]");
      expect(JSON.stringify(error)).not.toContain(KEY);
      expect(requests).toHaveLength(1);
    });

    it("waits as long as the service asks and retries", async () => {
      const { text, requests, durationMs } = await exchange(wire, [
        {
          status: 429,
          headers: { "retry-after-ms": "120" },
          body: { error: { message: "slow down" } },
        },
        {
          status: 529,
          headers: { "retry-after-ms": "40" },
          body: { error: { type: "overloaded_error" } },
        },
        { answer: hello },
      ]);
      expect(text).toBe("Hello wörld 👋🏽");
      expect(requests).toHaveLength(3);
      expect(durationMs).toBeGreaterThan(150);
    });

    it("leaves a long delay to the caller", async () => {
      const { error, requests } = await exchange(wire, [
        { status: 429, headers: { "retry-after": "120" } },
      ]);
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ retryAfterMs: 120_000, recoverable: true });
      expect(requests).toHaveLength(1);
    });

    it("gives up after the allowed number of retries", async () => {
      const { error, requests } = await exchange(
        wire,
        [{ status: 503, headers: { "retry-after-ms": "5" } }],
        {
          settings: { maxRetries: 2 },
        },
      );
      expect(error).toMatchObject({ code: "OVERLOADED", status: 503 });
      expect(requests).toHaveLength(3);
    });

    it("retries when the connection breaks, and finally names the network", async () => {
      const recovered = await exchange(wire, [{ drop: true }, { answer: hello }]);
      expect(recovered.text).toBe("Hello wörld 👋🏽");
      const { error } = await exchange(wire, [{ drop: true }], { settings: { maxRetries: 0 } });
      expect(error).toMatchObject({ name: "NetworkError", recoverable: true });
      expect((error as Error).message).toMatch(/could not be reached/);
      expect((error as Error).message).not.toMatch(/failed to fetch/i);
    });

    it("retries when an answer is cut before its first text", async () => {
      const { text, requests } = await exchange(wire, [
        { answer: hello, fault: { after: -1, kind: "cut" } },
        { answer: hello },
      ]);
      expect(text).toBe("Hello wörld 👋🏽");
      expect(requests).toHaveLength(2);
    });

    it("retries when the service is overloaded after status 200", async () => {
      const { text, requests } = await exchange(wire, [
        { answer: hello, fault: { after: 0, kind: "overloaded" } },
        { answer: hello },
      ]);
      expect(text).toBe("Hello wörld 👋🏽");
      expect(requests).toHaveLength(2);
    });

    it("reports silence at its limit, once", async () => {
      const { error, requests, turnMs } = await exchange(
        wire,
        [{ answer: hello, fault: { after: 0, kind: "stall" } }],
        {
          settings: { idleTimeoutMs: 1_000 },
        },
      );
      expect(error).toMatchObject({ code: "NETWORK_ERROR" });
      expect((error as Error).message).toContain("1 s");
      expect(requests).toHaveLength(1);
      expect(turnMs).toBeLessThan(2_000);
    });

    it("accepts a slow service as long as bytes arrive", async () => {
      const { text } = await exchange(
        wire,
        [{ answer: hello, pings: { count: 12, everyMs: 150 } }],
        {
          settings: { idleTimeoutMs: 1200 },
        },
      );
      expect(text).toBe("Hello wörld 👋🏽");
    });

    it("retries an empty answer once, then reports it", async () => {
      const { error, requests } = await exchange(wire, [{ answer: {} }]);
      expect(error).toMatchObject({ code: "EMPTY_RESPONSE" });
      expect(requests).toHaveLength(2);
    });

    it("accepts an empty answer to tool results", async () => {
      const call = { id: "call_a", name: "Read", args: {} };
      const base = { timestamp: new Date(0), content: "" };
      const { message } = await exchange(wire, [{ answer: {} }], {
        messages: [
          user("Hi"),
          { ...base, role: "assistant", id: "1", toolCalls: [call], state: "complete" },
          { ...base, role: "tool", id: "2", toolCallId: "call_a", name: "Read" },
        ],
      });
      expect(message).toMatchObject({ content: "", state: "complete", stopReason: "end_turn" });
    });

    it("reports a refusal of the model", async () => {
      const { error } = await exchange(wire, [{ answer: { stop: "refusal" } }]);
      expect(error).toMatchObject({ code: "REFUSED", recoverable: false });
    });

    it("distinguishes a web page from an answer", async () => {
      const { error } = await exchange(wire, [{ body: "<!doctype html><title>Sign in</title>" }]);
      expect(error).toMatchObject({ code: "INVALID_RESPONSE", recoverable: false });
      expect((error as Error).message).toContain("Sign in");
    });

    it("recognizes the error page of a proxy in front of the service", async () => {
      const body = "<html><head><title>502 Bad Gateway</title></head></html>";
      const { error } = await exchange(wire, [{ status: 502, body }], {
        settings: { maxRetries: 0 },
      });
      expect(error).toMatchObject({ code: "SERVER_ERROR", status: 502 });
      expect((error as Error).message).toContain("502 Bad Gateway");
      expect((error as Error).message).not.toContain("<html>");
    });

    it("distinguishes a full context window from other rejected requests", async () => {
      const long = {
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 250000 tokens > 200000 maximum",
        },
      };
      expect((await exchange(wire, [{ status: 400, body: long }])).error).toMatchObject({
        code: "CONTEXT_LENGTH",
      });
      const other = {
        error: { type: "invalid_request_error", message: "tools.0.name: too short" },
      };
      const { error, requests } = await exchange(wire, [{ status: 400, body: other }]);
      expect(error).toMatchObject({ code: "INVALID_REQUEST", status: 400 });
      expect(requests).toHaveLength(1);
    });

    it("names an unknown model", async () => {
      const body = { error: { type: "not_found_error", message: "model: wire-model" } };
      const { error } = await exchange(wire, [{ status: 404, body }]);
      expect(error).toMatchObject({ name: "ModelNotAvailableError" });
      expect((error as { hint: string }).hint).toContain("wire-model");
    });
  });

  describe("a failure after shown text", () => {
    it.each([
      ["cut", "NETWORK_ERROR"],
      ["end", "NETWORK_ERROR"],
      ["overloaded", undefined],
    ] as const)(
      "keeps the text of an answer that ends by %s, and does not retry",
      async (kind, code) => {
        const { text, message, requests } = await exchange(wire, [
          { answer: hello, fault: { after: 2, kind } },
        ]);
        expect(text).toBe("Hello ");
        expect(message).toMatchObject({
          content: "Hello ",
          state: "interrupted",
          stopReason: "error",
        });
        expect(errorOf(message)).toMatch(code ?? /OVERLOADED/);
        expect(requests).toHaveLength(1);
      },
    );

    it("keeps the text of an answer that falls silent", async () => {
      const silent = [{ answer: hello, fault: { after: 2, kind: "stall" as const } }];
      let message: AssistantMessage | undefined;
      // A busy machine may take longer than the shortest silence to bring the first words.
      for (const idleTimeoutMs of [1_000, 4_000, 16_000]) {
        ({ message } = await exchange(wire, silent, { settings: { idleTimeoutMs } }));
        if (message?.content === "Hello ") break;
      }
      expect(message).toMatchObject({
        content: "Hello ",
        state: "interrupted",
        error: { code: "NETWORK_ERROR" },
      });
    });

    it("drops a call that is cut off", async () => {
      const fault = { after: 1, of: "arguments", kind: "cut" } as const;
      const { message } = await exchange(wire, [{ answer: twoCalls, fault }]);
      expect(message).toMatchObject({ state: "interrupted" });
      expect(message?.toolCalls).toBeUndefined();
    });

    it("does not retry an answer with a truncated call", async () => {
      const fault = { after: 1, of: "arguments", kind: "cut" } as const;
      const { error, requests } = await exchange(wire, [
        { answer: { calls: twoCalls.calls ?? [] }, fault },
      ]);
      expect(error).toMatchObject({ code: "NETWORK_ERROR" });
      expect(requests).toHaveLength(1);
    });
  });

  describe("an abort", () => {
    it("rejects at once before the first text", async () => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 100);
      const { error, turnMs } = await exchange(
        wire,
        [{ answer: hello, fault: { after: 0, kind: "stall" } }],
        {
          options: { signal: abort.signal },
        },
      );
      expect(error).toMatchObject({ name: "AbortError" });
      expect(turnMs).toBeLessThan(1_000);
    });

    it("prevents the request when it comes first", async () => {
      const { error, requests } = await exchange(wire, [{ answer: hello }], {
        options: { signal: AbortSignal.abort() },
      });
      expect(error).toMatchObject({ name: "AbortError" });
      expect(requests).toHaveLength(0);
    });

    it("keeps the text so far", async () => {
      const abort = new AbortController();
      const { message, text } = await exchange(
        wire,
        [{ answer: hello, fault: { after: 2, kind: "stall" } }],
        {
          options: { signal: abort.signal },
          onEvent: () => setTimeout(() => abort.abort(), 20),
        },
      );
      expect(text).toBe("Hello ");
      expect(message).toMatchObject({
        content: "Hello ",
        state: "interrupted",
        stopReason: "aborted",
      });
      expect(message?.error).toBeUndefined();
    });

    it("emits nothing after the listener has aborted", async () => {
      const abort = new AbortController();
      const { text } = await exchange(wire, [{ answer: hello }], {
        options: { signal: abort.signal },
        onEvent: () => abort.abort(),
      });
      expect(text).toBe("Hel");
    });

    it("ends the delay of a retry at once", async () => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 150);
      const { error, turnMs } = await exchange(
        wire,
        [{ status: 429, headers: { "retry-after": "30" } }],
        {
          options: { signal: abort.signal },
        },
      );
      expect(error).toMatchObject({ name: "AbortError" });
      expect(turnMs).toBeLessThan(1_500);
    });
  });
});
