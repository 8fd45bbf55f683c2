import { expect, it } from "vitest";
import type { AssistantMessage } from "../messages/message.ts";
import type { ChatOptions, ProviderEvent } from "./provider.ts";
import { streamEvents } from "./stream.ts";

const message: AssistantMessage = {
  role: "assistant",
  id: "a",
  timestamp: new Date(0),
  content: "",
  state: "complete",
};
const delta = (text: string): ProviderEvent => ({ type: "text_delta", delta: text });
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

it("yields the events in order, at once or over time, and the message last", async () => {
  const stream = streamEvents(async (_messages, _options, onEvent) => {
    onEvent(delta("a"));
    onEvent(delta("b"));
    await tick();
    onEvent(delta("c"));
    return message;
  }, []);
  const seen: ProviderEvent[] = [];
  for await (const event of stream) seen.push(event);
  expect(seen).toEqual([delta("a"), delta("b"), delta("c"), { type: "message", message }]);
});

it("fails after the events before the failure", async () => {
  const stream = streamEvents(async (_messages, _options, onEvent) => {
    onEvent(delta("a"));
    await tick();
    throw new TypeError("broken");
  }, []);
  expect((await stream.next()).value).toEqual(delta("a"));
  await expect(stream.next()).rejects.toThrow("broken");
});

it("starts with the first read, and aborts the call when its reader leaves", async () => {
  const calls: ChatOptions[] = [];
  const stream = streamEvents((_messages, options, onEvent) => {
    calls.push(options);
    onEvent(delta("a"));
    return new Promise((_, reject) => {
      options.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
  }, []);
  await tick();
  expect(calls).toHaveLength(0);
  for await (const event of stream) {
    expect(event).toEqual(delta("a"));
    break;
  }
  expect(calls[0]?.signal?.aborted).toBe(true);
});

it("passes the caller's abort on", async () => {
  const abort = new AbortController();
  const stream = streamEvents(
    (_messages, options) =>
      new Promise((_, reject) => {
        options.signal?.addEventListener("abort", () => reject(new Error("stopped")));
      }),
    [],
    { signal: abort.signal },
  );
  const next = stream.next();
  abort.abort();
  await expect(next).rejects.toThrow("stopped");
});
