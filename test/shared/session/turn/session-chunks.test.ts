import {
  type AssistantMessage,
  type Provider,
  type ProviderEvent,
  replaySession,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { MemoryStorage } from "@robota/runtime/virtual";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";

/** Says the words of each chunk in one job, as a response's bytes are decoded. */
class ChunkedProvider implements Provider {
  readonly name = "chunked";
  readonly model = "chunked-1";
  readonly #chunks: readonly (readonly ProviderEvent[])[];

  constructor(chunks: readonly (readonly ProviderEvent[])[]) {
    this.#chunks = chunks;
  }

  chat = (): Promise<AssistantMessage> => Promise.reject(new Error("not used"));

  chatStream(): AsyncIterable<ProviderEvent> {
    throw new Error("not used");
  }

  async generate(
    _messages: unknown,
    { signal }: { signal?: AbortSignal | undefined },
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    let content = "";
    for (const chunk of this.#chunks) {
      for (const event of chunk) {
        if (signal?.aborted) break;
        if (event.type === "text_delta") content += event.delta;
        onEvent(event);
      }
      await Promise.resolve();
    }
    return {
      role: "assistant",
      id: "answer",
      timestamp: new Date(),
      content,
      state: "complete",
    };
  }
}

const say = (delta: string): ProviderEvent => ({ type: "text_delta", delta });
const think = (delta: string): ProviderEvent => ({ type: "thinking_delta", delta });

const CHUNKS = [
  [think("Let "), think("me "), think("see. "), say("One "), say("two ")],
  [say("three "), think("Hm. "), say("four "), say("five")],
];
const EVENTS = [
  "thinking_delta: Let me see. ",
  "text_delta: One two ",
  "text_delta: three ",
  "thinking_delta: Hm. ",
  "text_delta: four five",
];

const words = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => ("delta" in event ? [`${event.type}: ${event.delta}`] : []));

it("makes one event of the words of a chunk, calls back for each, and replays to the byte", async () => {
  const storage = new MemoryStorage();
  const deltas: string[] = [];
  const session = new Session({
    platform: memoryPlatform({ storage }),
    provider: new ChunkedProvider(CHUNKS),
    sessionId: "s",
    trackFiles: false,
    onTextDelta: (delta) => deltas.push(delta),
  });
  const shown: SessionEvent[] = [];
  session.subscribe((event) => shown.push(event));
  expect(await session.run("Count")).toBe("One two three four five");
  await session.shutdown();

  expect(deltas).toEqual(["One ", "two ", "three ", "four ", "five"]);
  expect(words(shown)).toEqual(EVENTS);
  expect(shown.map(({ seq }) => seq)).toEqual(
    shown.map(({ seq }) => seq).toSorted((one, other) => one - other),
  );

  const recorded: Uint8Array[] = [];
  for await (const { value } of storage.read("sessions/s")) recorded.push(value);
  const replayed = await replaySession({ storage, sessionId: "s" }, memoryPlatform());
  expect(words(replayed.events)).toEqual(EVENTS);
  expect(replayed.records).toEqual(recorded);
});

it("keeps every word that was called back when the turn is stopped within a chunk", async () => {
  const storage = new MemoryStorage();
  let told = "";
  const session = new Session({
    platform: memoryPlatform({ storage }),
    provider: new ChunkedProvider(CHUNKS),
    sessionId: "s",
    onTextDelta: (delta) => {
      told += delta;
      if (delta === "three ") session.abort();
    },
  });
  const shown: SessionEvent[] = [];
  session.subscribe((event) => shown.push(event));
  await expect(session.run("Count")).rejects.toMatchObject({ name: "AbortError" });
  await session.shutdown();
  expect(told).toBe("One two three ");
  expect(words(shown)).toEqual(EVENTS.slice(0, 3));
  expect(session.getHistory().at(-1)).toMatchObject({ content: told, state: "interrupted" });
});
