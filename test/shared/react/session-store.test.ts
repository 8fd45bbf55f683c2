import { InteractiveSession, type Platform, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { lastTurn, sessionStore, type SessionView } from "@robota/react/store";
import { memoryPlatform } from "@robota/shell/testing";
import { withHost } from "#host";
import { describe, expect, it, vi } from "vitest";
import { echo, echoCall } from "../../support/support.ts";

const platforms: Record<
  string,
  (run: (platform: Platform, cwd: string) => Promise<void>) => Promise<void>
> = {
  "this host": (run) => withHost(({ platform, cwd }) => run(platform, cwd)),
  memory: (run) => run(memoryPlatform(), "/workspace"),
};

type Script = ConstructorParameters<typeof ScriptedProvider>[0];

const open = (
  platform: Platform,
  cwd: string,
  script: Script,
  sessionId = "s",
): InteractiveSession =>
  new InteractiveSession({
    platform,
    cwd,
    sessionId,
    queueLimit: 5,
    provider: new ScriptedProvider(script),
    tools: [echo],
  });

const texts = (view: SessionView): string[] =>
  view.timeline.flatMap((entry) =>
    entry.kind === "turn"
      ? entry.items.map((item) => ("text" in item ? item.text : `${item.tool} ${item.phase}`))
      : [],
  );

describe.each(Object.entries(platforms))("the store of a session on %s", (_name, onPlatform) => {
  it("shows a turn with its approval, from the prompt to the answer", () =>
    onPlatform(async (platform, cwd) => {
      const session = open(platform, cwd, [
        { text: "Let me see.", toolCalls: [echoCall("x")] },
        { text: "Done" },
      ]);
      const store = sessionStore(session);
      expect(sessionStore(session)).toBe(store);
      const leave = store.subscribe(() => undefined);
      const ended = session.submit("go", "Go on");
      await expect.poll(() => store.get().requests.map(({ tool }) => tool)).toEqual(["echo"]);
      expect(lastTurn(store.get())).toMatchObject({ prompt: "Go on", state: "running" });
      const [request] = store.get().requests;
      await session.resolvePermission(request?.id ?? "", true);
      await ended;
      await expect.poll(() => lastTurn(store.get())?.state).toBe("complete");
      expect(texts(store.get())).toEqual(["Let me see.", "echo done", "Done"]);
      expect(store.get().requests).toEqual([]);
      leave();
      await session.shutdown();
    }));

  it("continues with its former state when it is resubscribed", () =>
    onPlatform(async (platform, cwd) => {
      const session = open(platform, cwd, [{ text: "one" }, { text: "two" }, { text: "three" }]);
      const store = sessionStore(session);
      const leave = store.subscribe(() => undefined);
      await session.submit("1");
      await expect.poll(() => texts(store.get())).toEqual(["one"]);
      leave();
      await session.submit("2");
      expect(texts(store.get())).toEqual(["one"]);
      const leaveAgain = store.subscribe(() => undefined);
      await session.submit("3");
      await expect.poll(() => texts(store.get())).toEqual(["one", "two", "three"]);
      leaveAgain();
      await session.shutdown();
    }));

  it("shows the history of a long session in one change, and follows it then", () =>
    onPlatform(async (platform, cwd) => {
      const turns = 20;
      const before = open(
        platform,
        cwd,
        Array.from({ length: turns }, () => ({ text: "Answer" })),
      );
      for (let turn = 0; turn < turns; turn++) await before.submit("Question");
      await before.shutdown();
      const session = new InteractiveSession({
        platform,
        cwd,
        provider: new ScriptedProvider([{ text: "Last" }]),
        resumeSessionId: "s",
      });
      await session.ready;
      const store = sessionStore(session);
      const lengths: number[] = [];
      const leave = store.subscribe(() => lengths.push(store.get().timeline.length));
      await expect.poll(() => store.get().timeline.length).toBe(turns);
      expect(lengths.filter((length) => length > 0)).toEqual([turns]);
      await session.submit("One more");
      await expect.poll(() => texts(store.get()).at(-1)).toBe("Last");
      leave();
      await session.shutdown();
    }));

  it("shows the history of a stored session", () =>
    onPlatform(async (platform, cwd) => {
      const before = open(platform, cwd, [{ text: "Answer" }]);
      await before.submit("Question");
      await before.setName("Kept");
      await before.shutdown();
      const session = new InteractiveSession({
        platform,
        cwd,
        provider: new ScriptedProvider([]),
        resumeSessionId: "s",
      });
      const store = sessionStore(session);
      const leave = store.subscribe(() => undefined);
      await expect.poll(() => store.get().name).toBe("Kept");
      expect(texts(store.get())).toEqual(["Answer"]);
      leave();
      await session.shutdown();
    }));
});

it("follows only while subscribed, and not twice", async () => {
  const session = open(memoryPlatform(), "/workspace", [{ text: "one" }]);
  await session.ready;
  let open_ = 0;
  let opened = 0;
  const events = session.events.bind(session);
  session.events = (options) => {
    opened += 1;
    open_ += 1;
    options?.signal?.addEventListener("abort", () => (open_ -= 1));
    return events(options);
  };
  const store = sessionStore(session);
  const leaves = [
    store.subscribe(() => undefined),
    store.rows.subscribe(() => undefined),
    store.onEvents(() => undefined),
  ];
  expect([opened, open_]).toEqual([1, 1]);
  // A framework that draws anew leaves and returns at once.
  leaves.splice(0).forEach((leave) => leave());
  const leave = store.subscribe(() => undefined);
  await session.submit("1");
  expect([opened, open_]).toEqual([1, 1]);
  leave();
  leave();
  await Promise.resolve();
  expect([opened, open_]).toEqual([1, 0]);
  await session.shutdown();
});

it("batches deltas, and passes every event on once", async () => {
  const deltas = Array.from({ length: 2_000 }, (_, index) => `${index} `);
  const session = open(memoryPlatform(), "/workspace", [{ deltas }]);
  const store = sessionStore(session);
  let changes = 0;
  const seen: SessionEvent[] = [];
  const leaves = [
    store.subscribe(() => (changes += 1)),
    store.onEvents((events) => seen.push(...events)),
  ];
  await session.submit("count");
  await expect.poll(() => lastTurn(store.get())?.state).toBe("complete");
  expect(texts(store.get())).toEqual([deltas.join("")]);
  expect(seen.filter(({ type }) => type === "text_delta").length).toBeGreaterThanOrEqual(2_000);
  expect(changes).toBeLessThan(200);
  const streamed = store.rows.get().filter(({ event }) => event.type === "text_delta");
  expect(streamed).toHaveLength(1);
  leaves.forEach((leave) => leave());
  await session.shutdown();
});

it("follows the session past a listener that throws", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const session = open(memoryPlatform(), "/workspace", [{ text: "One" }, { text: "Two" }]);
  const store = sessionStore(session);
  const seen: SessionEvent[] = [];
  const failure = new Error("not mine");
  const leaves = [
    store.onEvents(() => {
      throw failure;
    }),
    store.onEvents((events) => seen.push(...events)),
  ];
  await session.submit("1");
  await session.submit("2");
  await expect.poll(() => texts(store.get())).toEqual(["One", "Two"]);
  expect(seen.filter(({ type }) => type === "turn_end")).toHaveLength(2);
  expect(store.failure.get()).toBeUndefined();
  expect(logged).toHaveBeenCalledWith(failure);
  leaves.forEach((leave) => leave());
  await session.shutdown();
  logged.mockRestore();
});

it("reports why a session can't be followed", async () => {
  const platform = memoryPlatform();
  const holder = open(platform, "/workspace", [{ text: "mine" }]);
  await holder.submit("hold");
  const second = open(platform, "/workspace", []);
  const store = sessionStore(second);
  const leave = store.subscribe(() => undefined);
  await expect.poll(() => store.failure.get()).toMatchObject({ code: "SESSION_BUSY" });
  leave();
  await holder.shutdown();
});

it("removes one prompt from the queue, and keeps the others", async () => {
  const session = open(memoryPlatform(), "/workspace", [
    { toolCalls: [echoCall("x")] },
    { text: "end" },
    { text: "for c" },
  ]);
  const store = sessionStore(session);
  const leave = store.subscribe(() => undefined);
  const first = session.submit("a");
  await expect.poll(() => store.get().requests).toHaveLength(1);
  const dropped = session.submit("b");
  const kept = session.submit("c", "C, as shown");
  await expect.poll(() => store.get().queue.map(({ text }) => text)).toEqual(["b", "c"]);
  session.cancelQueue("b");
  expect((await dropped).state).toBe("interrupted");
  await expect.poll(() => store.get().queue.map(({ text }) => text)).toEqual(["c"]);
  session.cancelQueue("gone");
  await session.resolvePermission(store.get().requests[0]?.id ?? "", true);
  await first;
  expect((await kept).response).toBe("for c");
  await expect.poll(() => lastTurn(store.get())).toMatchObject({ prompt: "C, as shown" });
  leave();
  await session.shutdown();
});
