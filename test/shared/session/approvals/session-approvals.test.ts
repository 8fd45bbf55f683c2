import {
  InteractiveSession,
  Session,
  type PermissionRequest,
  type Platform,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { afterCrash, echo, echoCall } from "../../../support/support.ts";

describe("approvals", () => {
  const ask = async (session: InteractiveSession): Promise<PermissionRequest> =>
    new Promise((resolve) => session.on("permission_request", resolve));
  const open = (platform: Platform, provider: ScriptedProvider, id?: string): InteractiveSession =>
    new InteractiveSession({
      platform,
      provider,
      tools: [echo],
      resumeSessionId: id,
    });

  it("does not run a denied call, and reports the reason to the model", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "I see" }]);
    const session = open(memoryPlatform(), provider);
    const turn = session.submit("go");
    const request = await ask(session);
    expect(request).toMatchObject({ tool: "echo", args: { text: "x" } });
    await session.resolvePermission(request.id, { allow: false, reason: "not today" });
    expect((await turn).toolSummaries).toMatchObject([{ result: "denied" }]);
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain("not today");
    expect(provider.requests[1]?.messages.at(-1)?.content).not.toContain("said");
  });

  it("runs exactly the approved call, including changed arguments", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]);
    const session = open(memoryPlatform(), provider);
    const turn = session.submit("go");
    const request = await ask(session);
    await session.resolvePermission(request.id, { allow: true, updatedArgs: { text: "y" } });
    await turn;
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe("said y");
  });

  it("passes the note of a person who allowed a call to the model", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]);
    const session = open(memoryPlatform(), provider);
    const turn = session.submit("go");
    const request = await ask(session);
    await session.resolvePermission(request.id, { allow: true, reason: "only this once" });
    await turn;
    const result = provider.requests[1]?.messages.at(-1)?.content;
    expect(result).toMatch(/^said x\n\n.*only this once$/);
  });

  it("accepts an answer once", async () => {
    const session = open(
      memoryPlatform(),
      new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]),
    );
    const turn = session.submit("go");
    const request = await ask(session);
    await session.resolvePermission(request.id, { allow: true });
    await expect(session.resolvePermission(request.id, { allow: false })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    await expect(session.resolvePermission("other", { allow: true })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await turn;
  });

  it.each([
    [true, "said x"],
    ["allow", "said x"],
    ["allow-session", "said x"],
    [{ decision: "allow" }, "said x"],
    [{ decision: "deny", reason: "not today" }, "not today"],
    ["deny", "denied"],
    [false, "denied"],
  ] as const)("accepts %j as an answer", async (answer, result) => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]);
    const session = open(memoryPlatform(), provider);
    const turn = session.submit("go");
    await session.resolvePermission((await ask(session)).id, answer);
    await turn;
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain(result);
    expect(session.getSessionAllowedTools()).toEqual(answer === "allow-session" ? ["echo"] : []);
  });

  it("refuses an invalid answer, and keeps the request open", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]);
    const session = open(memoryPlatform(), provider);
    const turn = session.submit("go");
    const { id } = await ask(session);
    for (const answer of [
      "yes",
      1,
      null,
      undefined,
      {},
      { allow: "true" },
      { decision: "maybe" },
    ]) {
      const asked: unknown = Reflect.apply(session.resolvePermission.bind(session), undefined, [
        id,
        answer,
      ]);
      await expect(asked).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    }
    await session.resolvePermission(id, true);
    await turn;
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe("said x");
  });

  it("requests approval once for a grant of the session", async () => {
    const provider = new ScriptedProvider([
      { toolCalls: [echoCall("x")] },
      { toolCalls: [echoCall("y")] },
      { text: "ok" },
    ]);
    const session = open(memoryPlatform(), provider);
    let asked = 0;
    session.on("permission_request", ({ id }) => {
      asked += 1;
      void session.resolvePermission(id, { allow: true, scope: "session" });
    });
    await session.submit("go");
    expect(asked).toBe(1);
    expect(session.getSessionAllowedTools()).toEqual(["echo"]);
  });

  it("denies when a handler fails or nobody answers", async () => {
    for (const options of [
      { permissionHandler: () => Promise.reject(new Error("broken")) },
      { unanswered: "deny" as const },
    ]) {
      const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]);
      const session = new Session({
        platform: memoryPlatform(),
        provider,
        tools: [echo],
        ...options,
      });
      await session.run("go");
      expect(session.getHistory()[2]).toMatchObject({ errorCode: "permission_denied" });
    }
  });

  it("survives a crash while pending, and the turn continues with the answer", async () => {
    const storage = new MemoryStorage();
    const before = open(
      memoryPlatform({ storage }),
      new ScriptedProvider([{ toolCalls: [echoCall("x"), echoCall("y")] }]),
    );
    void before.submit("go");
    await ask(before);

    const provider = new ScriptedProvider([{ text: "both done" }]);
    const after = open(
      memoryPlatform({ storage: await afterCrash(storage, before.sessionId) }),
      provider,
      before.sessionId,
    );
    await after.ready;
    const [pending] = after.pendingPermissions();
    expect(pending).toMatchObject({ tool: "echo", args: { text: "x" } });
    expect(after.isExecuting()).toBe(true);
    const second = ask(after);
    const complete = new Promise((resolve) => after.on("complete", resolve));
    await after.resolvePermission(pending?.id ?? "", { allow: true });
    await after.resolvePermission((await second).id, { allow: false, reason: "one is enough" });
    expect(await complete).toMatchObject({ state: "complete", response: "both done" });
    expect(provider.requests[0]?.messages.map(({ content }) => content)).toEqual([
      expect.stringContaining("agent"),
      "go",
      "",
      "said x",
      expect.stringContaining("one is enough"),
    ]);
  });
});

it("can abort a turn that has been waiting since before a reload", async () => {
  const storage = new MemoryStorage();
  const options = { tools: [echo] };
  const before = new InteractiveSession({
    platform: memoryPlatform({ storage }),
    provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }]),
    ...options,
  });
  void before.submit("go");
  await new Promise((resolve) => before.on("permission_request", resolve));

  const provider = new ScriptedProvider([{ text: "fresh" }]);
  const platform = memoryPlatform({ storage: await afterCrash(storage, before.sessionId) });
  const after = new InteractiveSession({
    platform,
    provider,
    resumeSessionId: before.sessionId,
    ...options,
  });
  await after.ready;
  const interrupted = new Promise((resolve) => after.on("interrupted", resolve));
  after.abort();
  expect(await interrupted).toMatchObject({ state: "interrupted" });
  expect(after.isExecuting()).toBe(false);
  expect((await after.submit("new")).response).toBe("fresh");
});
