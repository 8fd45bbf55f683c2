import {
  createFunctionTool,
  InteractiveSession,
  Session,
  SessionError,
  type Storage,
  StorageError,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryFileSystem, MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { afterCrash, endless, logText, roles, stuckProvider } from "../../../support/support.ts";

describe("a crash in the middle of a turn", () => {
  it("is shown as interrupted, with its text so far", async () => {
    const storage = new MemoryStorage();
    const before = new Session({ storage, provider: stuckProvider("so ", "far") });
    void before.run("go").catch(() => undefined);
    const seen: number[] = [];
    await new Promise<void>((resolve) =>
      before.subscribe((event) => {
        seen.push(event.seq);
        if (event.type === "text_delta" && event.delta === "far") setTimeout(resolve, 0);
      }),
    );
    // Streamed words are durable a moment after they were shown.
    await expect.poll(() => logText(storage, before.sessionId)).toContain("far");

    const provider = new ScriptedProvider([{ text: "on we go" }]);
    const after = new Session({
      storage: await afterCrash(storage, before.sessionId),
      provider,
      sessionId: before.sessionId,
    });
    await after.open();
    expect(after.getHistory().at(-1)).toMatchObject({
      role: "assistant",
      content: "so far",
      state: "interrupted",
    });
    const next: number[] = [];
    after.subscribe(({ seq }) => next.push(seq));
    expect(await after.run("and?")).toBe("on we go");
    expect(Math.min(...next)).toBeGreaterThan(Math.max(...seen));
  });

  it("never reruns a tool with an unknown outcome", async () => {
    const storage = new MemoryStorage();
    const { tool, began, runs } = endless();
    const options = { tools: [tool], permissionMode: "bypassPermissions" as const };
    const before = new Session({
      storage,
      provider: new ScriptedProvider([{ toolCalls: [{ id: "1", name: "endless", args: {} }] }]),
      ...options,
    });
    void before.run("go").catch(() => undefined);
    await began;

    const provider = new ScriptedProvider([{ text: "checking first" }]);
    const after = new Session({
      storage: await afterCrash(storage, before.sessionId),
      provider,
      sessionId: before.sessionId,
      ...options,
    });
    expect(await after.run("go on")).toBe("checking first");
    expect(runs()).toBe(1);
    expect(provider.requests[0]?.messages[2]).toMatchObject({
      role: "tool",
      errorCode: "unknown_outcome",
    });
  });
});

describe("one writer", () => {
  it("reports a busy session to a second one, and lets it take over", async () => {
    const storage = new MemoryStorage();
    const provider = new ScriptedProvider([{ text: "a" }, { text: "never stored" }]);
    const first = new Session({ storage, provider, sessionId: "s" });
    await first.run("one");
    const second = new Session({
      storage,
      provider: new ScriptedProvider([{ text: "b" }]),
      sessionId: "s",
      takeOver: true,
    });
    expect(await second.run("two")).toBe("b");
    await expect(first.run("three")).rejects.toMatchObject({ code: "FENCED" });
    const busy = new Session({ storage, provider, sessionId: "s" });
    await expect(busy.open()).rejects.toBeInstanceOf(SessionError);
    await expect(busy.open()).rejects.toMatchObject({ code: "SESSION_BUSY" });
    await second.shutdown();
  });
});

describe("a storage that fails", () => {
  it("ends the turn before the next effect, loses nothing, and continues when there is space again", async () => {
    const storage = new MemoryStorage();
    let isFull = false;
    const append = storage.append.bind(storage);
    storage.append = (log, entries) =>
      isFull ? Promise.reject(new StorageError("FULL", "No room")) : append(log, entries);
    let runs = 0;
    const count = createFunctionTool("count", "Counts", { type: "object" }, async () =>
      String(++runs),
    );
    const provider = new ScriptedProvider([
      () => {
        isFull = true;
        return { toolCalls: [{ id: "1", name: "count", args: {} }] };
      },
      { text: "room again" },
    ]);
    const session = new Session({
      storage,
      provider,
      tools: [count],
      permissionMode: "bypassPermissions",
      sessionId: "full",
    });
    await expect(session.run("go")).rejects.toMatchObject({ code: "FULL" });
    expect(runs).toBe(0);
    isFull = false;
    expect(await session.run("again")).toBe("room again");
    await session.shutdown();
    const loaded = new Session({ storage, provider, sessionId: "full" });
    await loaded.open();
    expect(roles(loaded.getHistory())).toEqual(["user", "user", "assistant"]);
  });
});

it("writes as many bytes in turn 2,000 as in turn 10", async () => {
  const storage = new MemoryStorage();
  let bytes = 0;
  const append = storage.append.bind(storage);
  storage.append = (log, entries) => {
    for (const entry of entries) bytes += entry.length;
    return append(log, entries);
  };
  const set = storage.set.bind(storage);
  storage.set = (key, value, options) => {
    bytes += value.length;
    return set(key, value, options);
  };
  let turn = 0;
  const answer = {
    name: "p",
    model: "m",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream() {
      turn += 1;
      yield { type: "text_delta" as const, delta: "answer" };
      yield {
        type: "message" as const,
        message: {
          role: "assistant" as const,
          id: "",
          timestamp: new Date(),
          content: "answer",
          state: "complete" as const,
        },
      };
    },
  };
  const session = new Session({ storage, provider: answer, contextWindow: 10_000_000 });
  const cost: number[] = [];
  for (let index = 0; index < 2_000; index++) {
    const before = bytes;
    await session.run("prompt");
    cost.push(bytes - before);
  }
  expect(turn).toBe(2_000);
  // Sequence numbers get a digit or two longer.
  expect(Math.abs((cost[1_999] ?? 0) - (cost[9] ?? 0))).toBeLessThan(40);
  await session.shutdown();
});

it("remembers the files that the model has read, also on another page", async () => {
  const storage = new MemoryStorage();
  const fs = new MemoryFileSystem({ files: { "/code/a.txt": "one" } });
  const open = (found: Storage, script: ScriptedProvider, id?: string): InteractiveSession =>
    new InteractiveSession({
      platform: memoryPlatform({ storage: found, fs }),
      provider: script,
      cwd: "/code",
      permissionMode: "acceptEdits",
      resumeSessionId: id,
    });
  const before = open(
    storage,
    new ScriptedProvider([
      { toolCalls: [{ name: "Read", args: { filePath: "a.txt" } }] },
      { text: "read" },
    ]),
  );
  await before.submit("look");
  const args = { filePath: "a.txt", oldString: "one", newString: "two" };
  const after = open(
    await afterCrash(storage, before.sessionId),
    new ScriptedProvider([{ toolCalls: [{ name: "Edit", args }] }, { text: "changed" }]),
    before.sessionId,
  );
  expect((await after.submit("change it")).toolSummaries).toMatchObject([
    { toolName: "Edit", result: "success" },
  ]);
  expect(new TextDecoder().decode(await fs.readFile("/code/a.txt"))).toBe("two");
});
