import { InteractiveSession, type Platform, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

/** A platform on which a session opens only when it is let. */
function heldPlatform(): { platform: Platform; let: () => void } {
  const platform = memoryPlatform();
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const { storage } = platform;
  const slow: Platform["storage"] = new Proxy(storage, {
    get(target, name: keyof typeof storage) {
      if (name === "acquire")
        return async (...asked: Parameters<typeof storage.acquire>) => {
          await held;
          return storage.acquire(...asked);
        };
      const member: unknown = target[name];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { platform: { ...platform, storage: slow }, let: resolve };
}

const aborted = { name: "AbortError" };

describe("a turn is running from the call on", () => {
  it("in a session that opens for it, and in one that is open", async () => {
    const { platform, let: open } = heldPlatform();
    const session = new Session({
      platform,
      provider: new ScriptedProvider([{ text: "one" }, { text: "two" }]),
    });
    expect(session.isRunning()).toBe(false);
    const first = session.run("a");
    expect(session.isRunning()).toBe(true);
    expect(session.hasOpenTurn()).toBe(true);
    await expect(session.run("beside it")).rejects.toMatchObject({ code: "SESSION_BUSY" });
    open();
    expect(await first).toBe("one");
    expect(session.isRunning()).toBe(false);

    const second = session.run("b");
    expect(session.isRunning()).toBe(true);
    expect(await second).toBe("two");
    expect(session.isRunning()).toBe(false);
    await session.shutdown();
  });

  it("in an interactive session, also before it is ready", async () => {
    const { platform, let: open } = heldPlatform();
    const session = new InteractiveSession({
      platform,
      provider: new ScriptedProvider([{ text: "one" }, { text: "two" }, { text: "three" }]),
    });
    expect(session.isExecuting()).toBe(false);
    const first = session.submit("a");
    const queued = session.submit("b");
    expect(session.isExecuting()).toBe(true);
    open();
    expect(await first).toMatchObject({ state: "complete", response: "one" });
    expect(await queued).toMatchObject({ state: "complete", response: "two" });
    expect(session.isExecuting()).toBe(false);
    const third = session.submit("c");
    expect(session.isExecuting()).toBe(true);
    expect(await third).toMatchObject({ response: "three" });
    expect(session.isExecuting()).toBe(false);
    await session.shutdown();
  });

  it("and no longer after the session failed to open", async () => {
    const platform = memoryPlatform();
    const provider = new ScriptedProvider([]);
    const holder = new Session({ platform, provider });
    await holder.open();
    const { sessionId } = holder;
    const session = new Session({ platform, provider, sessionId });
    const failing = session.run("a");
    expect(session.isRunning()).toBe(true);
    await expect(failing).rejects.toMatchObject({ code: "SESSION_BUSY" });
    expect(session.isRunning()).toBe(false);
    const interactive = new InteractiveSession({ platform, provider, resumeSessionId: sessionId });
    const refused = interactive.submit("a");
    expect(interactive.isExecuting()).toBe(true);
    await expect(refused).rejects.toMatchObject({ code: "SESSION_BUSY" });
    expect(interactive.isExecuting()).toBe(false);
    await interactive.shutdown();
    await session.shutdown();
    await holder.shutdown();
  });
});

describe("an abort right after the call", () => {
  it("cancels a run before it has any effect, and only that one", async () => {
    const provider = new ScriptedProvider([{ text: "answered" }]);
    const session = new Session({ platform: memoryPlatform(), provider });
    for (const state of ["opening", "open"]) {
      const running = session.run(`never asked while ${state}`);
      session.abort();
      await expect(running).rejects.toMatchObject(aborted);
      expect(session.isRunning()).toBe(false);
    }
    expect(provider.requests).toEqual([]);
    expect(session.getHistory()).toEqual([]);
    expect(await session.run("asked")).toBe("answered");
    await session.shutdown();
  });

  it("does not wait for a session that takes long to open", async () => {
    const { platform, let: open } = heldPlatform();
    const provider = new ScriptedProvider([{ text: "answered" }]);
    const session = new Session({ platform, provider });
    const running = session.run("a");
    await Promise.resolve();
    session.abort();
    await expect(running).rejects.toMatchObject(aborted);
    open();
    expect(await session.run("b")).toBe("answered");
    expect(provider.requests).toHaveLength(1);
    await session.shutdown();
  });

  it("cancels a prompt, and the queue behind it", async () => {
    const provider = new ScriptedProvider([{ text: "answered" }]);
    const session = new InteractiveSession({ platform: memoryPlatform(), provider });
    for (const state of ["opening", "open"]) {
      const all = [session.submit(`a while ${state}`), session.submit("b")];
      session.abort();
      for (const result of await Promise.all(all))
        expect(result).toMatchObject({ state: "interrupted", response: "" });
      expect(session.isExecuting()).toBe(false);
    }
    expect(provider.requests).toEqual([]);
    expect(await session.submit("c")).toMatchObject({ response: "answered" });
    await session.shutdown();
  });

  it("cancels a compaction", async () => {
    const provider = new ScriptedProvider([{ text: "answered" }]);
    const session = new Session({ platform: memoryPlatform(), provider });
    await session.run("a");
    const compacting = session.compact();
    expect(session.isRunning()).toBe(true);
    session.abort();
    await expect(compacting).rejects.toMatchObject(aborted);
    expect(session.getHistory()).toHaveLength(2);
    await session.shutdown();
  });

  it("ends a run by a shutdown, too", async () => {
    const provider = new ScriptedProvider([{ text: "never" }]);
    const session = new Session({ platform: memoryPlatform(), provider });
    await session.open();
    const running = session.run("a");
    const closing = session.shutdown();
    await expect(running).rejects.toMatchObject(aborted);
    await closing;
    expect(provider.requests).toEqual([]);
  });
});
