import {
  createFunctionTool,
  getMessagesForAPI,
  InteractiveSession,
  listSessions,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall, endless, roles, stuckProvider } from "../../support/support.ts";
import { turnClock } from "../../support/time/own-time.ts";

describe("a session", () => {
  it("answers, and is restored when it is opened again", async () => {
    const platform = memoryPlatform();
    const first = new Session({
      platform,
      provider: new ScriptedProvider([{ deltas: ["Hel", "lo"] }]),
    });
    expect(await first.run("Hi")).toBe("Hello");
    await first.shutdown();

    const provider = new ScriptedProvider([{ text: "Again" }]);
    const second = new Session({ platform, provider, sessionId: first.sessionId });
    expect(await second.run("Once more")).toBe("Again");
    expect(provider.requests[0]?.messages.map(({ content }) => content)).toEqual([
      "Hi",
      "Hello",
      "Once more",
    ]);
    expect(second.getMessageCount()).toBe(2);
    expect(await listSessions(platform.storage)).toMatchObject([
      { id: first.sessionId, preview: "Hi" },
    ]);
    await second.shutdown();
  });

  it("numbers its events without a gap and shows them in that order, durable ones only once stored", async () => {
    const platform = memoryPlatform();
    const provider = new ScriptedProvider([
      { deltas: ["a", "b"], toolCalls: [echoCall("x")] },
      { text: "done" },
    ]);
    const session = new Session({
      platform,
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    const kept: SessionEvent[] = [];
    session.subscribe((event) => {
      if (event.type !== "context_update") kept.push(event);
    });
    await session.run("go");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1));
    expect(kept.map(({ type }) => type)).toEqual([
      "session_init",
      "turn_start",
      "user_message",
      "text_delta",
      "text_delta",
      "assistant_message",
      "permission_auto",
      "tool_start",
      "tool_end",
      "text_delta",
      "text_delta",
      "assistant_message",
      "turn_end",
    ]);
    const replayed: SessionEvent[] = [];
    const stop = new AbortController();
    for await (const event of session.events({ signal: stop.signal })) {
      replayed.push(event);
      if (event.type === "turn_end") stop.abort();
    }
    expect(JSON.parse(JSON.stringify(replayed))).toEqual(JSON.parse(JSON.stringify(kept)));
    const tail = session.events({ after: 10 })[Symbol.asyncIterator]();
    expect((await tail.next()).value?.seq).toBe(11);
    await tail.return?.(undefined);
    await session.shutdown();
  });

  it("omits a tool round's text from the request and keeps it for the person", async () => {
    const provider = new ScriptedProvider([
      { text: "Let me see", toolCalls: [echoCall("x")] },
      { text: "done" },
    ]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    await session.run("go");
    expect(provider.requests[1]?.messages[1]?.content).toBe("");
    const shown = getMessagesForAPI(session.getFullHistory());
    expect(shown.map(({ content }) => content)).toEqual(["go", "Let me see", "said x", "done"]);
  });

  it("answers unknown tools and wrong arguments as failed results with instructions", async () => {
    const provider = new ScriptedProvider([
      {
        toolCalls: [
          { id: "1", name: "nope", args: {} },
          { id: "2", name: "echo", args: { text: 3 } as never },
          { id: "3", name: "echo", args: '{"text": "cut' },
          echoCall("fine"),
          echoCall("fine"),
        ],
      },
      { text: "done" },
    ]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    await session.run("go");
    const results = session.getHistory().filter((message) => message.role === "tool");
    expect(results.map(({ errorCode }) => errorCode)).toEqual([
      "unknown_tool",
      "invalid_arguments",
      "invalid_arguments",
      undefined,
    ]);
    expect(results[0]?.content).toContain("echo");
    expect(results[1]?.content).toContain("/text: must be of type string");
    expect(results[2]?.content).toContain("not valid JSON");
    expect(results[3]?.content).toBe("said fine");
  });

  it("records a provider's failure, rejects, and continues", async () => {
    const provider = new ScriptedProvider([{ error: "overloaded" }, { text: "Fine now" }]);
    const session = new Session({ platform: memoryPlatform(), provider });
    await expect(session.run("Hi")).rejects.toThrow("overloaded");
    expect(session.getFullHistory().some(({ type }) => type === "turn-failed")).toBe(true);
    expect(await session.run("And now?")).toBe("Fine now");
    expect(roles(provider.requests[1]?.messages ?? [])).toEqual(["user", "user"]);
  });

  it("keeps the text of a broken stream", async () => {
    const provider = new ScriptedProvider([{ deltas: ["Half an "], error: "cut" }]);
    const session = new Session({ platform: memoryPlatform(), provider });
    await expect(session.run("Hi")).rejects.toThrow("cut");
    expect(session.getHistory().at(-1)).toMatchObject({
      content: "Half an ",
      state: "interrupted",
    });
  });

  it("refuses ids that could be paths", () => {
    const provider = new ScriptedProvider([]);
    for (const sessionId of ["../x", "a/b", "", "x".repeat(65)]) {
      expect(() => new Session({ provider, sessionId })).toThrow(/session id/);
    }
  });

  it("refuses a turn while one runs, with an explanation", async () => {
    const provider = new ScriptedProvider([{ delayMs: Infinity, text: "x" }]);
    const session = new Session({ platform: memoryPlatform(), provider });
    const first = session.run("one").catch(() => "stopped");
    await expect(session.runTurn({ input: "two" })).rejects.toMatchObject({ code: "SESSION_BUSY" });
    session.abort();
    expect(await first).toBe("stopped");
  });
});

describe("an abort", () => {
  const settled = async (session: Session, work: Promise<unknown>): Promise<number> => {
    using clock = turnClock();
    session.abort();
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
    return clock.ms();
  };

  it("settles soon and keeps the text, in the middle of it", async () => {
    const provider = new ScriptedProvider([
      { deltas: ["one ", "two"], delayMs: 40 },
      { text: "fine" },
    ]);
    const session = new Session({ platform: memoryPlatform(), provider });
    const first = new Promise<void>((resolve) =>
      session.subscribe((event) => event.type === "text_delta" && resolve()),
    );
    const run = session.run("go");
    await first;
    expect(await settled(session, run)).toBeLessThan(250);
    expect(session.getHistory().at(-1)).toMatchObject({ state: "interrupted" });
    expect(await session.run("again")).toBe("fine");
  });

  it("settles soon before the first byte, also when the provider ignores it", async () => {
    const session = new Session({
      platform: memoryPlatform(),
      provider: stuckProvider(),
    });
    const begun = new Promise<void>((resolve) =>
      session.subscribe((event) => event.type === "user_message" && resolve()),
    );
    const run = session.run("go");
    await begun;
    expect(await settled(session, run)).toBeLessThan(250);
    expect(roles(session.getHistory())).toEqual(["user"]);
  });

  it("settles soon in a tool, and every call has its result", async () => {
    const { tool, began } = endless();
    const provider = new ScriptedProvider([
      { toolCalls: [{ id: "1", name: "endless", args: {} }, echoCall("x")] },
      { text: "fine" },
    ]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [tool, echo],
      permissionMode: "bypassPermissions",
    });
    const run = session.run("go");
    await began;
    expect(await settled(session, run)).toBeLessThan(300);
    const results = session.getHistory().filter((message) => message.role === "tool");
    expect(results.map(({ errorCode }) => errorCode)).toEqual(["aborted", undefined]);
    expect(await session.run("again")).toBe("fine");
    expect(roles(provider.requests[1]?.messages ?? [])).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
  });

  it("settles soon during an approval, which counts as denied", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "fine" }]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [echo],
      unanswered: "wait",
    });
    const asked = new Promise<void>((resolve) =>
      session.subscribe((event) => event.type === "permission_request" && resolve()),
    );
    const run = session.run("go");
    await asked;
    expect(await settled(session, run)).toBeLessThan(250);
    expect(session.pendingPermissions()).toEqual([]);
    expect(await session.run("again")).toBe("fine");
  });
});

describe("the queue", () => {
  it("runs a second prompt after the first, and refuses a third", async () => {
    const provider = new ScriptedProvider([{ delayMs: 30, text: "one" }, { text: "two" }]);
    const session = new InteractiveSession({ platform: memoryPlatform(), provider });
    await session.ready;
    const first = session.submit("1");
    const second = session.submit("2");
    await expect(session.submit("3")).rejects.toMatchObject({
      code: "QUEUE_FULL",
      message: "A prompt is waiting already",
    });
    expect(session.getPendingPrompt()).toBe("2");
    expect([(await first).response, (await second).response]).toEqual(["one", "two"]);
  });

  it("passes another message to a running turn at its next step", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "both" }]);
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider,
      tools: [
        createFunctionTool(
          "echo",
          "e",
          { type: "object" },
          async () => (await session.steer("also this"), "ok"),
        ),
      ],
      permissionMode: "bypassPermissions",
    });
    await session.submit("go");
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: "also this",
    });
  });
});
