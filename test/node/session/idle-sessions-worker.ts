// Prints the bytes of heap that an idle session of ten turns holds.
import { setImmediate } from "node:timers/promises";
import { nodePlatform } from "@robota/adapters-node";
import {
  type AssistantMessage,
  chat,
  type Message,
  type Provider,
  type ProviderEvent,
  Session,
} from "@robota/runtime";
import { MemoryStorage } from "@robota/runtime/virtual";
import { liveHeap } from "../house/live-heap.ts";

const SESSIONS = 1_000;
/** What all sessions share is loaded and compiled after so many. */
const FIRST_SESSIONS = 200;
const TURNS = 10;
const ANSWER = "It is three degrees, and it rains.";

const provider: Provider = {
  name: "instant",
  model: "instant-1",
  chat(messages: readonly Message[]): Promise<AssistantMessage> {
    return chat(provider, messages);
  },
  async *chatStream(): AsyncGenerator<ProviderEvent> {
    yield { type: "text_delta", delta: ANSWER };
    yield {
      type: "message",
      message: {
        role: "assistant",
        id: crypto.randomUUID(),
        timestamp: new Date(),
        state: "complete",
        content: ANSWER,
        usage: { inputTokens: 900, outputTokens: 80, cacheReadTokens: 0, cacheWriteTokens: 0 },
      },
    };
  },
};

/** Keeps no log, as a disk does not keep it in the heap. */
class ForgetfulStorage extends MemoryStorage {
  readonly #lengths = new Map<string, number>();

  override async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    const length = (this.#lengths.get(log) ?? 0) + entries.length;
    this.#lengths.set(log, length);
    return length;
  }

  override async set(): Promise<string> {
    return "";
  }
}

const platform = { ...nodePlatform(), storage: new ForgetfulStorage() };

async function idleSession(): Promise<Session> {
  const session = new Session({ platform, provider, contextWindow: 1e9 });
  for (let turn = 0; turn < TURNS; turn++) await session.run(`And on day ${turn}?`);
  return session;
}

for (let count = 0; count < FIRST_SESSIONS; count++) await (await idleSession()).shutdown();
await setImmediate();
const before = liveHeap();
const sessions: Session[] = [];
for (let count = 0; count < SESSIONS; count++) sessions.push(await idleSession());
await setImmediate();
process.stdout.write(String((liveHeap() - before) / SESSIONS));
for (const session of sessions) await session.shutdown();
await platform.dispose();
