import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StorageError } from "../../errors.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { decodeRecord } from "./codec.ts";
import type { SessionEventBody } from "./events.ts";
import { SessionLog } from "./log.ts";
import { programNote } from "./notes.ts";
import type { SessionOptions } from "../options.ts";
import { Session } from "../session.ts";
import type { HooksConfig } from "../../hooks/definition.ts";

class CountedStorage extends MemoryStorage {
  /** The kinds of events that each append made durable. */
  readonly writes: string[][] = [];
  /** Tells which kinds of events there is no room for. */
  hasNoRoomFor: (types: readonly string[]) => boolean = () => false;

  override async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    const types = entries.flatMap((entry) => decodeRecord(entry, "s")).map(({ type }) => type);
    if (this.hasNoRoomFor(types)) throw new StorageError("FULL", "No space");
    this.writes.push(types);
    return super.append(log, entries);
  }

  /** The number of events that each append made durable. */
  get appends(): number[] {
    return this.writes.map(({ length }) => length);
  }
}

const named = (name: string): SessionEventBody => ({ type: "name_change", name });

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("makes streamed text durable in batches, at most 100 ms late", async () => {
  const storage = new CountedStorage();
  const log = new SessionLog({ sessionId: "s", storage, now: () => 0 });
  const say = (): void => log.stream({ type: "text_delta", messageId: "m", delta: "word " });
  say();
  await vi.advanceTimersByTimeAsync(99);
  say();
  expect(storage.appends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(storage.appends).toEqual([2]);
  // A thousand words within a second are ten writes, and no word is written twice.
  for (let word = 0; word < 1_000; word++) {
    say();
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(storage.appends.length).toBeLessThanOrEqual(12);
  expect(storage.appends.reduce((sum, words) => sum + words, 0)).toBe(1_002);
  // Silence writes nothing.
  const { length } = storage.appends;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(storage.appends).toHaveLength(length);
  log.close();
});

describe("an event committed with the next", () => {
  it("is written together with it, and shown when both are durable", async () => {
    const storage = new CountedStorage();
    const log = new SessionLog({ sessionId: "s", storage, now: () => 0 });
    const shown: number[] = [];
    log.subscribe(({ seq }) => shown.push(seq));
    const first = log.commitWithNext(named("a"));
    log.stream(programNote("between", {}));
    await Promise.resolve();
    expect(shown).toEqual([]);
    await Promise.all([first, log.commit(named("b"))]);
    expect(shown).toEqual([1, 2, 3]);
    expect(storage.appends).toEqual([3]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(storage.appends).toHaveLength(1);
    log.close();
  });

  it("is stored alone when none follows", async () => {
    const storage = new CountedStorage();
    const log = new SessionLog({ sessionId: "s", storage, now: () => 0 });
    const alone = log.commitWithNext(named("a"));
    await vi.advanceTimersByTimeAsync(5);
    await alone;
    expect(storage.appends).toEqual([1]);
    log.close();
  });

  it("is withdrawn when it can't be stored, and so is the next", async () => {
    const storage = new CountedStorage();
    const log = new SessionLog({ sessionId: "s", storage, now: () => 0 });
    storage.hasNoRoomFor = () => true;
    const both = [log.commitWithNext(named("a")), log.commit(named("b"))];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
    ]);
    storage.hasNoRoomFor = () => false;
    await log.commit(named("c"));
    expect(storage.appends).toEqual([1]);
    log.close();
  });
});

describe("a turn's steps", () => {
  const sessionOn = (storage: CountedStorage, hooks: HooksConfig = {}) => {
    const ran: string[] = [];
    const session = new Session({
      platform: { ...memoryPlatform(), storage },
      sessionId: "s",
      provider: new ScriptedProvider([
        { toolCalls: [{ id: "1", name: "note", args: {} }] },
        { text: "Done" },
      ]),
      tools: [
        createFunctionTool("note", "Takes a note", { type: "object", properties: {} }, () => {
          ran.push(storage.writes.at(-1)?.join() ?? "");
          return "noted";
        }),
      ],
      permissions: { allow: ["note"] },
      hooks,
    });
    return { session, ran };
  };
  const stepsOf = ({ writes }: CountedStorage): string[] =>
    writes
      .map((types) => types.filter((type) => /^(user|assistant|tool|turn)_/.test(type)).join())
      .filter((types) => types !== "");

  it("are durable before their consequences, an answer with its calls or with the turn's end", async () => {
    const storage = new CountedStorage();
    const { session, ran } = sessionOn(storage);
    await session.run("Take a note");
    await session.shutdown();
    expect(stepsOf(storage)).toEqual([
      "turn_start,user_message",
      "assistant_message,tool_start",
      "tool_end",
      "assistant_message,turn_end",
    ]);
    expect(ran).toEqual([expect.stringMatching(/assistant_message.*tool_start/)]);
  });

  it("are durable before a hook receives them", async () => {
    const storage = new CountedStorage();
    let heard: string[] = [];
    const run = (): void => void (heard = stepsOf(storage));
    const { session } = sessionOn(storage, {
      PreToolUse: [{ hooks: [{ type: "function", run }] }],
    });
    await session.run("Take a note");
    await session.shutdown();
    expect(heard).toEqual(["turn_start,user_message", "assistant_message"]);
  });

  it("are durable before a hook, a plugin or a listener receives the final answer", async () => {
    const heard: string[][] = [];
    const listens: Partial<SessionOptions>[] = [
      { hooks: { Stop: [{ hooks: [{ type: "function", run: () => note() }] }] } },
      { plugins: [{ name: "listener", category: "monitoring", afterRun: () => note() }] },
      { eventService: { emit: ({ name }) => void (name === "session.completion" && note()) } },
    ];
    let storage = new CountedStorage();
    const note = (): void => void heard.push(stepsOf(storage));
    for (const options of listens) {
      storage = new CountedStorage();
      const provider = new ScriptedProvider([{ text: "Done" }]);
      const platform = { ...memoryPlatform(), storage };
      const session = new Session({ platform, sessionId: "s", provider, ...options });
      await session.run("Go");
      await session.shutdown();
    }
    const before = ["turn_start,user_message", "assistant_message"];
    expect(heard).toEqual([before, before, before]);
  });

  it("show the use of the window behind the final answer, with its number", async () => {
    const { session } = sessionOn(new CountedStorage());
    const shown: string[] = [];
    const numbers: number[] = [];
    session.subscribe(({ type, seq }) => {
      shown.push(type);
      numbers.push(seq);
    });
    await session.run("Take a note");
    expect(shown.slice(-3)).toEqual(["assistant_message", "context_update", "turn_end"]);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    await session.shutdown();
  });

  it("fail together: of a final answer that is not in the log, the words stay that were shown", async () => {
    const storage = new CountedStorage();
    const { session } = sessionOn(storage);
    storage.hasNoRoomFor = (types) => types.includes("turn_end");
    await expect(session.run("Take a note")).rejects.toMatchObject({ code: "FULL" });
    expect(session.getHistory().at(-1)).toMatchObject({
      role: "assistant",
      content: "Done",
      state: "interrupted",
    });
    storage.hasNoRoomFor = () => false;
    await session.shutdown();
    expect(stepsOf(storage).at(-1)).toBe("assistant_message,turn_end");
  });

  it("fail together: a call whose answer is not in the log does not run", async () => {
    const storage = new CountedStorage();
    const { session, ran } = sessionOn(storage);
    storage.hasNoRoomFor = (types) => types.includes("assistant_message");
    await expect(session.run("Take a note")).rejects.toMatchObject({ code: "FULL" });
    expect(ran).toEqual([]);
    expect(session.getHistory().map(({ role }) => role)).toEqual(["user"]);
    await session.shutdown();
    expect(storage.writes.flat()).not.toContain("assistant_message");
    expect(storage.writes.flat()).not.toContain("tool_end");
  });
});
