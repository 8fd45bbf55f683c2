import {
  createQuery,
  InteractiveSession,
  type PermissionRequest,
  Session,
  StorageError,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { afterCrash, catchUncaught, echo, echoCall, endless } from "../../../support/support.ts";

const asked = (session: InteractiveSession): Promise<PermissionRequest> =>
  new Promise((resolve) => session.on("permission_request", resolve));

describe("an approval", () => {
  it("is requested anew when a model reuses an id for another call", async () => {
    const calls = [echoCall("ls", "call_0"), echoCall("rm", "call_0")];
    const provider = new ScriptedProvider([
      ...calls.map((call) => ({ toolCalls: [call] })),
      { text: "done" },
    ]);
    const session = new InteractiveSession({ platform: memoryPlatform(), provider, tools: [echo] });
    const seen: unknown[] = [];
    session.on("permission_request", ({ id, args }) => {
      seen.push(args.text);
      void session.resolvePermission(id, { allow: true });
    });
    await session.submit("go");
    expect(seen).toEqual(["ls", "rm"]);
  });

  it("is applied once, also when two answers come at the same time", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]);
    const session = new InteractiveSession({ platform: memoryPlatform(), provider, tools: [echo] });
    const turn = session.submit("go");
    const { id } = await asked(session);
    const answers = await Promise.allSettled([
      session.resolvePermission(id, { allow: false }),
      session.resolvePermission(id, { allow: true, scope: "session" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(session.getSessionAllowedTools()).toEqual([]);
    expect((await turn).toolSummaries).toMatchObject([{ result: "denied" }]);
  });

  it("allows no change in plan mode, whoever answers", async () => {
    const provider = new ScriptedProvider([
      { toolCalls: [{ id: "1", name: "Bash", args: { command: "git push" } }] },
      { text: "done" },
    ]);
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider,
      permissionMode: "plan",
      permissions: { ask: ["Bash(git push *)"] },
      permissionHandler: () => true,
    });
    expect((await session.submit("go")).toolSummaries).toMatchObject([{ result: "denied" }]);
  });

  it("goes to the handler of the session's next opener", async () => {
    const storage = new MemoryStorage();
    const before = new InteractiveSession({
      platform: memoryPlatform({ storage }),
      provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }]),
      tools: [echo],
    });
    void before.submit("go");
    await asked(before);
    const after = new InteractiveSession({
      platform: memoryPlatform({ storage: await afterCrash(storage, before.sessionId) }),
      provider: new ScriptedProvider([{ text: "done" }]),
      tools: [echo],
      resumeSessionId: before.sessionId,
      permissionHandler: () => true,
    });
    expect(await new Promise((resolve) => after.on("complete", resolve))).toMatchObject({
      response: "done",
    });
  });
});

describe("an abort", () => {
  it("ends a turn that has not begun yet", async () => {
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "never" }, { text: "next" }]),
    });
    await session.ready;
    const turn = session.submit("go");
    session.abort();
    expect(await turn).toMatchObject({ state: "interrupted" });
    expect((await session.submit("again")).state).toBe("complete");
  });

  it("cancels a prompt that waits for the session to open", async () => {
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "answer" }]),
    });
    const turn = session.submit("go");
    session.abort();
    expect((await turn).state).toBe("interrupted");
  });

  it("ends a query at once", async () => {
    const query = createQuery({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "never" }]),
    });
    const stop = new AbortController();
    const answer = query("go", { signal: stop.signal });
    stop.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });

  it("drops steering messages of the aborted turn", async () => {
    const { tool, began } = endless();
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ toolCalls: [{ id: "1", name: "endless", args: {} }] }]),
      tools: [tool],
      permissionMode: "bypassPermissions",
    });
    const turn = session.submit("go");
    await began;
    await session.steer("also this");
    session.abort();
    expect(await turn).toMatchObject({ state: "interrupted" });
    expect(session.isExecuting()).toBe(false);
  });
});

describe("a turn", () => {
  it("makes a late steering message a prompt of its own", async () => {
    const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
    const session = new InteractiveSession({ platform: memoryPlatform(), provider });
    const second = new Promise((resolve) => {
      session.on("event", ({ type }) => {
        if (type === "turn_end" && provider.requests.length === 1) void session.steer("also this");
      });
      session.on("complete", (result) => result.response === "two" && resolve(result));
    });
    await session.submit("go");
    await second;
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe("also this");
  });

  it("is over when its end is reported", async () => {
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "x" }]),
    });
    const executing: boolean[] = [];
    session.on("complete", () => executing.push(session.isExecuting()));
    session.on("thinking", () => executing.push(session.isExecuting()));
    await session.submit("go");
    expect(executing).toEqual([true, false, false]);
  });

  it("keeps its conversation while it runs", async () => {
    const { tool, began } = endless();
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ toolCalls: [{ id: "1", name: "endless", args: {} }] }]),
      tools: [tool],
      permissionMode: "bypassPermissions",
    });
    const run = session.run("go").catch(() => undefined);
    await began;
    await expect(session.clearHistory()).rejects.toMatchObject({ code: "SESSION_BUSY" });
    await expect(session.injectMessage("user", "x")).rejects.toMatchObject({
      code: "SESSION_BUSY",
    });
    session.abort();
    await run;
    await session.clearHistory();
    expect(session.getHistory()).toEqual([]);
  });

  it("answers after repeated calls of unknown tools", async () => {
    const nowhere = { toolCalls: [{ name: "nope", args: {} }] };
    const provider = new ScriptedProvider([nowhere, nowhere, nowhere, { text: "I give up" }]);
    const session = new Session({ platform: memoryPlatform(), provider, tools: [echo] });
    expect(await session.run("go")).toBe("I give up");
  });

  it("is not affected by entries that a program inserts", async () => {
    const failing = (): never => {
      throw new Error("a mistake of the program");
    };
    const uncaught = catchUncaught();
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "a", toolCalls: [echoCall("x")] }, { text: "fine" }]),
      tools: [echo],
      permissionMode: "bypassPermissions",
      onTextDelta: failing,
      onToolExecution: failing,
    });
    try {
      expect(await session.run("go")).toBe("fine");
    } finally {
      uncaught.stop();
    }
  });
});

describe("a storage that fails for a moment", () => {
  it("leaves every call with a result, and the session usable", async () => {
    const storage = new MemoryStorage();
    let failures = 0;
    const append = storage.append.bind(storage);
    storage.append = (log, entries) => {
      const isResult = entries.some((entry) =>
        new TextDecoder().decode(entry).includes('"type":"tool_end"'),
      );
      return isResult && failures++ === 0
        ? Promise.reject(new StorageError("IO", "once"))
        : append(log, entries);
    };
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "fine" }]);
    const session = new Session({
      storage,
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    await expect(session.run("go")).rejects.toMatchObject({ code: "IO" });
    expect(session.getHistory().map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(await session.run("again")).toBe("fine");
  });

  it("refuses a prompt that it can't record in the queue, and does not run it later", async () => {
    const storage = new MemoryStorage();
    const append = storage.append.bind(storage);
    let isFull = false;
    storage.append = (log, entries) =>
      isFull ? Promise.reject(new StorageError("FULL", "No room")) : append(log, entries);
    const provider = new ScriptedProvider([{ delayMs: 40, text: "one" }, { text: "two" }]);
    const session = new InteractiveSession({ platform: memoryPlatform({ storage }), provider });
    const first = session.submit("1");
    await new Promise((resolve) => session.on("context_update", resolve));
    isFull = true;
    await expect(session.submit("2")).rejects.toMatchObject({ code: "FULL" });
    isFull = false;
    await first;
    expect(session.isExecuting()).toBe(false);
    expect(session.getQueue()).toEqual([]);
    expect((await session.submit("3")).response).toBe("two");
  });
});
