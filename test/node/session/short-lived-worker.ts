// Prints the bytes of heap that a closed session of one turn leaves to a full garbage collection.
import { setImmediate } from "node:timers/promises";
import { type AssistantMessage, chat, type Message, type Provider, Session } from "@robota/runtime";
import { memoryPlatform } from "@robota/runtime/testing";
import { liveHeap, oldHeap } from "../house/live-heap.ts";

const SESSIONS = 500;
/** Sessions after which all that they share is loaded and compiled. */
const FIRST_SESSIONS = 600;
const ANSWER = "It is three degrees, and it rains.";

const provider: Provider = {
  name: "instant",
  model: "instant-1",
  chat(messages: readonly Message[]): Promise<AssistantMessage> {
    return chat(provider, messages);
  },
  chatStream() {
    throw new Error("The session prefers `generate`");
  },
  async generate(_, __, onEvent): Promise<AssistantMessage> {
    onEvent({ type: "text_delta", delta: ANSWER });
    return {
      role: "assistant",
      id: crypto.randomUUID(),
      timestamp: new Date(),
      state: "complete",
      content: ANSWER,
    };
  },
};

const platform = memoryPlatform();

async function runSessions(sessions: number): Promise<void> {
  for (let count = 0; count < sessions; count++) {
    const session = new Session({ platform, provider, contextWindow: 1e9, keep: false });
    await session.run("And on day 2?");
    await session.shutdown();
  }
}

await runSessions(FIRST_SESSIONS);
await setImmediate();
const before = liveHeap();
await runSessions(SESSIONS);
await setImmediate();
process.stdout.write(String((oldHeap() - before) / SESSIONS));
await platform.dispose();
