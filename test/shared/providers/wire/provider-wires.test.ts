import { type AssistantMessage, type Message, type ProviderEvent } from "@robota/runtime";
import { type ProviderNativeRawPayload, type ToolSchema } from "@robota/runtime/providers";
import { describe, expect, it } from "vitest";
import {
  exchange,
  freshAddress,
  hello,
  KEY,
  providers,
  twoCalls,
  user,
  wirePaths,
} from "../../../support/wire/wire-providers.ts";

const read: ToolSchema = {
  name: "Read",
  description: "Reads a file",
  parameters: { type: "object", properties: { filePath: { type: "string" } } },
};

describe.each(Object.keys(providers))("%s", (wire) => {
  it("streams thinking, text and calls in the same events as the other wires", async () => {
    const { events, message } = await exchange(wire, [{ answer: twoCalls }], {
      options: { tools: [read] },
    });
    expect(events).toEqual([
      { type: "thinking_delta", delta: "Let me " },
      { type: "thinking_delta", delta: "see." },
      { type: "text_delta", delta: "Looking." },
      { type: "tool_call_delta", index: 0, id: "call_a", name: "Read", delta: "" },
      { type: "tool_call_delta", index: 0, delta: '{"filePath"' },
      { type: "tool_call_delta", index: 0, delta: ':"a.md"}' },
      { type: "tool_call_delta", index: 1, id: "call_b", name: "Read", delta: "" },
      { type: "tool_call_delta", index: 1, delta: '{"filePath":"b.md"}' },
    ]);
    expect(message).toMatchObject({
      role: "assistant",
      state: "complete",
      stopReason: "tool_use",
      model: "wire-model",
      toolCalls: [
        { id: "call_a", name: "Read", args: { filePath: "a.md" } },
        { id: "call_b", name: "Read", args: { filePath: "b.md" } },
      ],
      usage: {
        inputTokens: 10,
        cacheReadTokens: 20,
        cacheWriteTokens: 5,
        outputTokens: 7,
        reasoningTokens: 3,
      },
    });
  });

  it.each([1, 2, 3, 7, 64])("reads the same answer in chunks of %i bytes", async (chunk) => {
    const { text, message } = await exchange(wire, [{ answer: hello, chunk }]);
    expect(text).toBe("Hello wörld 👋🏽");
    expect(message).toMatchObject({ content: text, state: "complete", stopReason: "end_turn" });
  });

  it.each(["\r\n", "\r"] as const)("reads lines that end in %j", async (lineEnd) => {
    const { message } = await exchange(wire, [{ answer: hello, lineEnd, chunk: 5 }]);
    expect(message?.content).toBe("Hello wörld 👋🏽");
  });

  it("joins characters that are split over two deltas", async () => {
    const { events, message } = await exchange(wire, [
      { answer: { text: ["a\uD83D", "\uDE00b", "\uD83D"] } },
    ]);
    expect(events.map((event) => (event.type === "text_delta" ? event.delta : ""))).toEqual([
      "a",
      "😀b",
      "\uFFFD",
    ]);
    expect(message?.content).toBe("a😀b\uFFFD");
  });

  it("accepts an answer in one piece", async () => {
    const { events, message } = await exchange(wire, [{ answer: twoCalls, whole: true }]);
    expect(events.filter(({ type }) => type === "text_delta")).toEqual([
      { type: "text_delta", delta: "Looking." },
    ]);
    expect(message).toMatchObject({
      stopReason: "tool_use",
      toolCalls: [{ args: { filePath: "a.md" } }, { args: { filePath: "b.md" } }],
      usage: {
        inputTokens: 10,
        cacheReadTokens: 20,
        cacheWriteTokens: 5,
        outputTokens: 7,
        reasoningTokens: 3,
      },
    });
  });

  it("sends back thinking, calls and results in the service's format", async () => {
    const first = await exchange(wire, [{ answer: twoCalls }]);
    const answer = first.message as AssistantMessage;
    const result = (toolCallId: string, content: string): Message => ({
      role: "tool",
      id: toolCallId,
      timestamp: new Date(0),
      toolCallId,
      name: "Read",
      content,
    });
    const messages = [user("Hi"), answer, result("call_a", "A"), result("call_b", "")];
    const { requests } = await exchange(wire, [{ answer: hello }], {
      messages,
      options: { tools: [read] },
    });
    const sent = JSON.stringify(requests[0]?.body);
    for (const id of ["call_a", "call_b"]) expect(sent.split(`"${id}"`)).toHaveLength(3);
    // Each wire has its own proof of the thoughts.
    expect(sent).toMatch(
      /"signature":"sig"|"reasoning(_content)?":"Let me see\."|"encrypted_content":"opaque"/,
    );
    expect(sent).not.toContain('"text":""');
    const order = ["Let me see.", "Looking.", "call_a", "call_b"].map((piece) =>
      sent.indexOf(piece),
    );
    if (wirePaths[wire] !== "/chat/completions")
      expect(order.toSorted((a, b) => a - b)).toEqual(order);
  });

  it("keeps a call separate whose arguments the token limit truncated", async () => {
    const calls = [{ id: "call_a", name: "Write", args: ['{"filePath":"a.md","content":"half'] }];
    const { message } = await exchange(wire, [{ answer: { calls, stop: "length" } }]);
    expect(message?.stopReason).toBe("max_tokens");
    expect(message?.toolCalls).toEqual([
      { id: "call_a", name: "Write", args: {}, rawArgs: calls[0]?.args[0] },
    ]);
  });

  it("keeps a call separate whose arguments never arrived", async () => {
    const calls = [{ id: "call_a", name: "Bash", args: [] }];
    const { message } = await exchange(wire, [{ answer: { calls, stop: "length" } }]);
    expect(message?.toolCalls).toEqual([{ id: "call_a", name: "Bash", args: {}, rawArgs: "" }]);
  });

  it("gives a call without arguments an empty object", async () => {
    const { message } = await exchange(wire, [
      { answer: { calls: [{ id: "call_a", name: "Now", args: [] }] } },
    ]);
    expect(message?.toolCalls).toEqual([{ id: "call_a", name: "Now", args: {} }]);
  });

  it("passes on an error thrown by the listener", async () => {
    const { error } = await exchange(wire, [{ answer: hello }], {
      onEvent() {
        throw new TypeError("listener");
      },
    });
    expect(error).toBeInstanceOf(TypeError);
  });

  it("reports the native payloads in order, without the key", async () => {
    const payloads: ProviderNativeRawPayload[] = [];
    const body = { error: { message: "slow down", type: "rate_limit_error" } };
    await exchange(
      wire,
      [{ status: 429, headers: { "retry-after-ms": "5" }, body }, { answer: hello }],
      {
        messages: [user(`My key is ${KEY}.`)],
        options: { onProviderNativeRawPayload: (payload) => payloads.push(payload) },
      },
    );
    expect(payloads.map(({ sequence }) => sequence)).toEqual(payloads.map((_, index) => index));
    expect(payloads.map(({ payloadKind }) => payloadKind).slice(0, 4)).toEqual([
      "request",
      "response",
      "request",
      "stream_event",
    ]);
    expect(payloads[0]?.payload).toMatchObject({ model: "wire-model", stream: true });
    expect(JSON.stringify(payloads[1]?.payload)).toContain("slow down");
    expect(JSON.stringify(payloads[0])).toContain("My key is [REDACTED].");
    expect(JSON.stringify(payloads)).not.toContain(KEY);
  });

  it("sends no header about the SDK or the machine, and the given ones", async () => {
    const { requests } = await exchange(wire, [{ answer: hello }]);
    const names = Object.keys(requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith("x-") || name.startsWith("traceparent"))).toEqual(
      [],
    );
    expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(requests[0]?.headers["content-type"]).toBe("application/json");
  });

  it("gives the same through its three interfaces", async () => {
    const { message, events } = await exchange(wire, [{ answer: twoCalls }]);
    const { content, toolCalls, usage, stopReason } = message as AssistantMessage;
    const whole = { content, toolCalls, usage, stopReason };
    const address = freshAddress([{ answer: twoCalls }]);
    const provider = providers[wire]?.(address);
    if (!provider) throw new Error(wire);
    const streamed: ProviderEvent[] = [];
    for await (const event of provider.chatStream([user("Hi")])) streamed.push(event);
    expect(streamed.slice(0, -1)).toEqual(events);
    expect(streamed.at(-1)).toMatchObject({ type: "message", message: whole });
    let words = "";
    const chatted = await provider.chat([user("Hi")], { onTextDelta: (delta) => (words += delta) });
    expect(chatted).toMatchObject(whole);
    expect(words).toBe("Looking.");
  });

  it("aborts the call when the consumer of its stream leaves", async () => {
    const address = freshAddress([{ answer: hello, fault: { after: 2, kind: "stall" } }]);
    const provider = providers[wire]?.(address);
    if (!provider) throw new Error(wire);
    for await (const event of provider.chatStream([user("Hi")])) {
      expect(event).toEqual({ type: "text_delta", delta: "Hel" });
      break;
    }
  });
});
