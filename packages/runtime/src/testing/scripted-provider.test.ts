import { expect, it } from "vitest";
import { isAbortError } from "../errors.ts";
import { contentText, type Message } from "../messages/message.ts";
import type { ProviderEvent } from "../providers/provider.ts";
import { collect } from "./contract.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

const hello: Message = { id: "1", role: "user", content: "hello", timestamp: new Date(0) };

function types(events: readonly ProviderEvent[]): string[] {
  return events.map((event) => event.type);
}

it("answers with text, deltas, thinking and tool calls in the order of the script", async () => {
  const provider = new ScriptedProvider([
    { text: "hi", usage: { inputTokens: 3 } },
    { deltas: ["a", "b"], thinking: "hm" },
    { toolCalls: [{ id: "x", name: "Read", args: { filePath: "/a" } }, { name: "Bash" }] },
  ]);

  const first = await provider.chat([hello]);
  expect(first).toMatchObject({
    role: "assistant",
    content: "hi",
    state: "complete",
    stopReason: "end_turn",
    usage: { inputTokens: 3, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  });

  const second = await collect(provider.chatStream([hello]));
  expect(types(second)).toEqual(["thinking_delta", "text_delta", "text_delta", "message"]);
  expect(second.at(-1)).toMatchObject({
    message: {
      content: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "ab" },
      ],
    },
  });

  const third = await collect(provider.chatStream([hello]));
  expect(types(third)).toEqual(["tool_call_delta", "tool_call_delta", "message"]);
  expect(third.at(-1)).toMatchObject({
    message: {
      content: "",
      stopReason: "tool_use",
      toolCalls: [
        { id: "x", name: "Read", args: { filePath: "/a" } },
        { name: "Bash", args: {} },
      ],
    },
  });
  expect(provider.remaining).toBe(0);
});

it("keeps arguments that are not a JSON object raw", async () => {
  const provider = new ScriptedProvider([{ toolCalls: [{ id: "x", name: "T", args: '{"a":' }] }]);
  const { toolCalls } = await provider.chat([hello]);
  expect(toolCalls).toEqual([{ id: "x", name: "T", args: {}, rawArgs: '{"a":' }]);
});

it("records each request as it was sent", async () => {
  const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
  const messages: Message[] = [{ ...hello }];
  const { signal } = new AbortController();
  const tools = [{ name: "T", description: "d", parameters: { type: "object" } }];
  await provider.chat(messages, { signal, tools, onTextDelta: () => {} });
  messages[0]!.content = "changed";
  messages.push(hello);
  tools[0]!.name = "changed";
  await provider.chat(messages);

  expect(provider.requests[0]).toEqual({
    messages: [hello],
    options: { signal, tools: [{ name: "T", description: "d", parameters: { type: "object" } }] },
  });
  expect(provider.requests[1]!.messages).toHaveLength(2);
});

it("lets a function answer from the request, with the caller's callbacks", async () => {
  const provider = new ScriptedProvider([
    ({ messages }) => ({ text: `you said ${contentText(messages.at(-1)!.content)}` }),
  ]);
  const deltas: string[] = [];
  await provider.chat([hello], { onTextDelta: (delta) => deltas.push(delta) });
  expect(deltas).toEqual(["you said hello"]);
});

it("reports the number of steps when it runs out of them", async () => {
  const provider = new ScriptedProvider([{ text: "only" }]);
  await provider.chat([hello]);
  await expect(provider.chat([hello])).rejects.toMatchObject({
    code: "SCRIPT_EXHAUSTED",
    recoverable: false,
    message: "The script of scripted has 1 step, and this is call 2",
  });
});

it("throws a step's error, and keeps the text before it", async () => {
  const failure = new TypeError("broken");
  const provider = new ScriptedProvider([
    { error: failure },
    { error: "overloaded" },
    { deltas: ["half ", "an"], error: "cut" },
  ]);
  await expect(provider.chat([hello])).rejects.toBe(failure);
  await expect(provider.chat([hello])).rejects.toMatchObject({
    code: "PROVIDER_ERROR",
    message: "overloaded",
  });
  expect(await provider.chat([hello])).toMatchObject({
    content: "half an",
    state: "interrupted",
    stopReason: "error",
    error: { code: "PROVIDER_ERROR", message: "cut" },
  });
});

it("ends an aborted answer with an AbortError when there is no text yet", async () => {
  const provider = new ScriptedProvider([{ text: "late", delayMs: Infinity }, { text: "next" }]);
  const controller = new AbortController();
  const answer = provider.chat([hello], { signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  const error = await answer.catch((reason: unknown) => reason);
  expect(isAbortError(error)).toBe(true);

  const early = provider.chat([hello], { signal: controller.signal });
  expect(isAbortError(await early.catch((reason: unknown) => reason))).toBe(true);
  expect((await provider.chat([hello])).content).toBe("next");
});

it("ends an aborted answer with the text so far, and without its tool calls", async () => {
  const provider = new ScriptedProvider([{ deltas: ["a", "b", "c"], toolCalls: [{ name: "T" }] }]);
  const controller = new AbortController();
  const events: ProviderEvent[] = [];
  for await (const event of provider.chatStream([hello], { signal: controller.signal })) {
    events.push(event);
    if (events.length === 2) controller.abort();
  }
  expect(types(events)).toEqual(["text_delta", "text_delta", "message"]);
  expect(events.at(-1)).toMatchObject({
    message: { content: "ab", state: "interrupted", stopReason: "aborted" },
  });
  expect(events.at(-1)).not.toHaveProperty("message.toolCalls");
});

it("fails as a silent service does when a delay exceeds the idle timeout", async () => {
  const provider = new ScriptedProvider([{ text: "late", delayMs: 60_000 }]);
  await expect(provider.chat([hello], { idleTimeoutMs: 5 })).rejects.toMatchObject({
    code: "NETWORK_ERROR",
  });
});

it("makes the same ids and times twice with given sources", async () => {
  const answer = () => {
    let count = 0;
    const options = { now: () => 1000, randomUUID: () => `id-${++count}` };
    return new ScriptedProvider([{ toolCalls: [{ name: "T" }] }], options).chat([hello]);
  };
  const [first, second] = [await answer(), await answer()];
  expect(first).toEqual(second);
  expect(first).toMatchObject({ id: "id-2", toolCalls: [{ id: "call_id-1" }] });
});
