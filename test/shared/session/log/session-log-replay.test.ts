import {
  type Provider,
  replaySessionLogEntries,
  Session,
  SilentSessionLogger,
  StorageSessionLogger,
} from "@robota/runtime";
import {
  expandSessionLogEntry,
  readSessionLog,
  type SessionLogger,
  validateSessionLog,
} from "@robota/runtime/log";
import { ScriptedProvider, type ScriptedReply } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { dataOf, logged, remembering, withWire } from "../../../support/log-support.ts";
import { echo, echoCall, until } from "../../../support/support.ts";

describe("a session restored from its trace", () => {
  it("has the session's messages, after everything that changes them", async () => {
    const { session, entries } = logged(
      [
        { text: "Looking.", toolCalls: [echoCall("a")] },
        { text: "one" },
        { text: "two" },
        { text: "SUMMARY" },
        { text: "three" },
        { text: "four" },
        { text: "five" },
      ],
      { tools: [echo] },
    );
    const check = async (): Promise<void> => {
      const record = replaySessionLogEntries(await entries());
      expect(record.messages).toEqual(session.getHistory());
    };
    await session.run("first");
    await check();
    await session.run("second");
    await session.compact();
    await check();
    await session.run("third");
    await session.run("fourth");
    const [, , , fourth] = session.checkpoints();
    const { undoId } = await session.rewind(fourth?.id ?? "", "conversation");
    await check();
    await session.rewind(undoId, "conversation");
    await check();
    await session.injectMessage("user", "by the way");
    await session.run("fifth");
    await check();
    await session.clearHistory();
    await check();
    const record = replaySessionLogEntries(await entries());
    expect(record.history.map(({ type }) => type).slice(0, 4)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(record.history[1]?.data).toMatchObject({ content: "Looking." });
  });

  it("resolves the references of each request", async () => {
    const { session, entries } = logged([{ text: "one" }, { text: "two" }]);
    await session.run("first");
    await session.run("second");
    const log = await entries();
    const record = replaySessionLogEntries(log);
    const expanded = log.map((entry) => expandSessionLogEntry(entry, record));
    const contents = (value: unknown): unknown[] =>
      (value as { content: string }[]).map(({ content }) => content);
    expect(dataOf(expanded, "provider_request").map(({ messages }) => contents(messages))).toEqual([
      ["first"],
      ["first", "one", "second"],
    ]);
    expect(dataOf(expanded, "pre_run").map(({ history }) => contents(history))).toEqual([
      [],
      ["first", "one"],
    ]);
    const [, last] = dataOf(expanded, "assistant");
    expect(contents(last?.["history"])).toEqual(["first", "one", "second", "two"]);
    expect(last?.["historyStructure"]).toHaveLength(4);
  });

  it("continues in the same trace after a restart, and repeats only missing entries", async () => {
    const platform = memoryPlatform();
    const storage = new MemoryStorage();
    const open = (script: ScriptedReply[], logger?: SessionLogger): Session =>
      new Session({
        platform,
        provider: new ScriptedProvider(script),
        sessionId: "s",
        logger,
      });
    const live = async (script: ScriptedReply[], logger?: SessionLogger): Promise<void> => {
      const session = open(script, logger);
      await session.run("hello");
      await session.shutdown();
    };
    await live([{ text: "one" }], new StorageSessionLogger(storage));
    await live([{ text: "two" }], new StorageSessionLogger(storage));
    const log = await readSessionLog(storage, "s");
    const operations = dataOf(log.entries, "history_mutation").map(({ operation }) => operation);
    expect(operations).toEqual(["append", "append", "append", "append"]);
    // A life without a logger leaves a gap, which the next one fills.
    await live([{ text: "three" }]);
    await live([{ text: "four" }], new StorageSessionLogger(storage));
    const last = await readSessionLog(storage, "s");
    const session = open([]);
    await session.open();
    expect(replaySessionLogEntries(last.entries).messages).toEqual(session.getHistory());
    expect(session.getHistory()).toHaveLength(8);
    await session.shutdown();
    expect(await validateSessionLog(storage, "s")).toEqual([]);
  });
});

describe("a logger", () => {
  it("is optional, and one that drops everything does no harm", async () => {
    const { session } = logged([{ text: "fine" }], { logger: new SilentSessionLogger() });
    expect(await session.run("Hi")).toBe("fine");
    await session.shutdown();
  });

  it("that fails does not fail the session, which reports it once", async () => {
    const logger: SessionLogger = {
      log: () => Promise.reject(new Error("disk gone")),
      flush: () => Promise.reject(new Error("disk gone")),
    };
    const { session } = logged([{ text: "fine" }], { logger });
    const notes: string[] = [];
    session.subscribe((event) => {
      if (event.type === "note") notes.push(event.kind);
    });
    expect(await session.run("Hi")).toBe("fine");
    await until(() => notes.length > 0);
    await session.shutdown();
    expect(notes).toEqual(["logger-failed"]);
  });

  it("that is slow gets everything in order", async () => {
    const given: string[] = [];
    const logger: SessionLogger = {
      async log(_id, event) {
        await new Promise((resolve) => setTimeout(resolve, given.length % 3));
        given.push(event);
      },
      flush: async () => {},
    };
    const fast = remembering();
    const script = [{ text: "x", toolCalls: [echoCall("a")] }, { text: "done" }];
    const options = { tools: [echo], permissionMode: "bypassPermissions" as const };
    const one = logged(script, { ...options, logger });
    const two = logged(script, { ...options, logger: fast });
    await one.session.run("Hi");
    await one.session.shutdown();
    await two.session.run("Hi");
    await two.session.shutdown();
    expect(given).toEqual(fast.given.map(({ event }) => event));
  });

  it("holds nothing of a session without a trace", async () => {
    let reads = 0;
    const provider: Provider = {
      ...withWire(["x"]),
      async *chatStream(_messages, options) {
        reads += options?.onProviderNativeRawPayload ? 1 : 0;
        yield { type: "text_delta", delta: "x" };
        yield {
          type: "message",
          message: {
            role: "assistant",
            id: "m",
            timestamp: new Date(),
            content: "x",
            state: "complete",
          },
        };
      },
    };
    const session = new Session({ platform: memoryPlatform(), provider });
    await session.run("Hi");
    expect(reads).toBe(0);
    await session.shutdown();
  });
});
