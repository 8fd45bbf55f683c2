import { withHost } from "#host";
import {
  contentText,
  exportSession,
  importSession,
  InteractiveSession,
  type Platform,
  replaySession,
  Session,
  SessionStore,
  type Storage,
} from "@robota/runtime";
import { watchSession } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";

/** The view of another tab or process on a session that is already open. */
describe("a session that is open elsewhere", () => {
  it("is reported so, and can be followed, forked and taken over", () =>
    withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider(
        ["One", "Two", "Three", "Four"].map((text) => ({ text })),
      );
      const options = { platform, cwd, provider };
      const first = new Session({ ...options, sessionId: "s" });
      await first.run("First");

      const second = new Session({ ...options, sessionId: "s" });
      await expect(second.open()).rejects.toMatchObject({
        code: "SESSION_BUSY",
        message: expect.stringMatching(/another tab or process, with scripted scripted; at 20/),
        hint: expect.stringMatching(/watchSession.*forkSession.*takeOver/),
      });

      const said: string[] = [];
      const reading = new AbortController();
      const reader = (async () => {
        for await (const event of watchSession(platform.storage, "s", {
          signal: reading.signal,
          every: 10,
        }))
          if (event.type === "assistant_message") said.push(contentText(event.message.content));
      })();
      await first.run("Second");
      await expect.poll(() => said).toEqual(["One", "Two"]);
      expect((await new SessionStore(platform.storage).load("s"))?.messages).toHaveLength(4);

      const fork = new InteractiveSession({ ...options, resumeSessionId: "s", forkSession: true });
      expect((await fork.submit("Third")).response).toBe("Three");
      expect(fork.getMessages()).toHaveLength(6);
      await fork.shutdown();
      expect(first.getHistory()).toHaveLength(4);

      const taker = new Session({ ...options, sessionId: "s", takeOver: true });
      expect(await taker.run("Fourth")).toBe("Four");
      await expect(first.run("Lost")).rejects.toMatchObject({ code: "FENCED" });
      await expect.poll(() => said).toEqual(["One", "Two", "Four"]);
      reading.abort();
      await reader;
      await first.shutdown();
      await taker.shutdown();
    }));
});

it("reports the take-over to the owner of a running turn, as distinct from an abort", () =>
  withHost(async ({ platform, cwd }) => {
    const waits = { text: "Too late", delayMs: 60_000 };
    const open = (step: { text: string; delayMs?: number }, takeOver = false): Session =>
      new Session({
        platform,
        cwd,
        sessionId: "s",
        provider: new ScriptedProvider([step]),
        takeOver,
      });
    const first = open(waits);
    const asked = new Promise((resolve) =>
      first.subscribe(({ type }) => type === "user_message" && resolve(type)),
    );
    const running = first.run("First");
    await asked;
    const taker = open({ text: "Mine" }, true);
    const [lost, answer] = await Promise.allSettled([running, taker.run("Second")]);
    expect(lost).toMatchObject({ status: "rejected", reason: { code: "FENCED" } });
    expect(answer).toMatchObject({ status: "fulfilled", value: "Mine" });
    await first.shutdown();
    await taker.shutdown();
  }));

it("ends silently when another one takes it over meanwhile", () =>
  withHost(async ({ cwd }) => {
    const storage = new MemoryStorage();
    const acquire = storage.acquire.bind(storage);
    /** It hears of a loss only when it is refused. */
    storage.acquire = async (...asked) => {
      const lease = await acquire(...asked);
      const release = (): Promise<void> => lease.release();
      return { lost: new AbortController().signal, release, [Symbol.asyncDispose]: release };
    };
    const platform = memoryPlatform({ storage, files: { [`${cwd}/`]: "" } });
    const other = memoryPlatform({ storage: new MemoryStorage({ sharedWith: storage }) });
    const provider = new ScriptedProvider([{ text: "One" }]);
    const first = new Session({ platform, cwd, sessionId: "s", provider });
    await first.run("First");
    const taker = new Session({ platform: other, cwd, sessionId: "s", provider, takeOver: true });
    await taker.open();
    await first.shutdown();
    expect(taker.getHistory()).toHaveLength(2);
    await taker.setQueue(["mine"]);
    await taker.shutdown();
  }));

/** Storage of a process that has passed its look at the lease when it is stopped: its write arrives whenever it goes on. */
function stopped(storage: MemoryStorage): {
  storage: Storage;
  stop: () => void;
  goOn: () => Promise<void>;
} {
  const unguarded = new MemoryStorage({ sharedWith: storage });
  const late: (() => Promise<void>)[] = [];
  let isStopped = false;
  const slow = new MemoryStorage({ sharedWith: storage });
  slow.append = (log, entries) => {
    if (!isStopped) return unguarded.append(log, entries);
    return new Promise((resolve, reject) => {
      late.push(() => unguarded.append(log, entries).then(resolve, reject));
    });
  };
  return {
    storage: slow,
    stop: () => (isStopped = true),
    async goOn() {
      for (const write of late) await write();
    },
  };
}

describe("a pending write during a take-over", () => {
  for (const arrives of ["before the new holder writes", "after that"]) {
    it(`is not part of the session when it arrives ${arrives}`, async () => {
      const storage = new MemoryStorage();
      const one = stopped(storage);
      let time = 1_000;
      const on = (each: Storage): Platform => ({
        ...memoryPlatform(),
        storage: each,
        now: () => (time += 1),
      });
      const provider = new ScriptedProvider([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
      const first = new Session({ platform: on(one.storage), provider, sessionId: "s" });
      await first.run("First");
      one.stop();
      const renamed = first.setName("Written too late");
      // It has its number, and is on its way.
      await new Promise((resolve) => setTimeout(resolve, 0));

      const second = new Session({
        platform: on(storage),
        provider,
        sessionId: "s",
        takeOver: true,
      });
      await second.open();
      if (arrives.startsWith("before")) await one.goOn();
      expect(await second.run("Second")).toBe("Two");
      if (arrives.startsWith("after")) await one.goOn();
      await renamed.catch(() => undefined);
      await second.shutdown();

      const bytes = exportSession(storage, "s");
      const exported = await new Response(bytes).text();
      expect(exported).not.toContain("Written too late");
      const imported = memoryPlatform();
      await importSession(imported, new Response(exported).body!);
      const { events } = await replaySession({ storage, sessionId: "s" }, memoryPlatform());
      expect(events.map(({ type }) => type)).not.toContain("name_change");
      const resumed = { resumeSessionId: "s", forkSession: true, provider };
      const fork = new InteractiveSession({ platform: on(storage), cwd: "/", ...resumed });
      await fork.ready;
      expect(fork.getName()).toBeUndefined();
      expect(fork.getMessages()).toHaveLength(4);
      await fork.shutdown();

      const third = new Session({ platform: on(storage), provider, sessionId: "s" });
      await third.open();
      expect(third.getName()).toBeUndefined();
      expect(third.getHistory().map(({ content }) => content)).toEqual([
        "First",
        "One",
        "Second",
        "Two",
      ]);
      expect(third.getFullHistory().at(-1)).toMatchObject({
        type: "log-damaged",
        data: { foreignRecords: 1, doubledRecords: 0, damagedRecords: 0, missingEvents: 0 },
      });
      expect(await third.run("Third")).toBe("Three");
      for await (const event of third.events()) {
        expect(event.type).not.toBe("name_change");
        if (event.type === "turn_end" && event.response === "Three") break;
      }
      await third.shutdown();
      const again = await replaySession({ storage, sessionId: "s" }, memoryPlatform());
      expect(again).toMatchObject({ replayedFrom: 1 });
      expect(again.events.filter(({ type }) => type === "session_resume")).toHaveLength(2);
    });
  }
});
