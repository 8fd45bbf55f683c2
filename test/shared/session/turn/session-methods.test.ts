import { contentText, Session, type SessionOptions, writeTool } from "@robota/runtime";
import { ScriptedProvider, type ScriptedReply } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it, vi } from "vitest";
import { echo, echoCall, roles, stuckProvider } from "../../../support/support.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function open(
  script: readonly ScriptedReply[],
  options: Partial<SessionOptions> = {},
): { session: Session; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  return { session: new Session({ platform: memoryPlatform(), provider, ...options }), provider };
}

it("has the given id, or a UUID, and keeps it", async () => {
  const { session } = open([{ text: "x" }], { sessionId: "mine" });
  expect(session.sessionId).toBe("mine");
  await session.run("Hi");
  expect(session.getSessionId()).toBe("mine");
  const fresh = open([], {
    platform: { ...memoryPlatform(), randomUUID: () => crypto.randomUUID() },
  });
  expect(fresh.session.sessionId).toMatch(UUID);
  expect(() => open([], { sessionId: "../x" })).toThrow();
});

it("counts finished turns, and separates messages from the full history", async () => {
  const { session } = open([{ toolCalls: [echoCall("a")] }, { text: "one" }, { error: "no" }], {
    tools: [echo],
    permissionMode: "bypassPermissions",
  });
  expect(session.getMessageCount()).toBe(0);
  expect(await session.run("Hi")).toBe("one");
  expect(session.getMessageCount()).toBe(1);
  await expect(session.run("Again")).rejects.toThrow();
  expect(session.getMessageCount()).toBe(1);
  expect(roles(session.getHistory()).slice(0, 4)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  const kinds = session.getFullHistory().map(({ category, type }) => `${category} ${type}`);
  expect(kinds).toContain("chat tool");
  expect(kinds).toContain("event tool-start");
});

it("answers within its limit of rounds, and without one in any number", async () => {
  const calls = Array.from({ length: 12 }, (_, index) => ({ toolCalls: [echoCall(`c${index}`)] }));
  const options = { tools: [echo], permissionMode: "bypassPermissions" as const };
  const unbounded = open([...calls, { text: "done" }], options);
  expect(await unbounded.session.run("Hi")).toBe("done");
  expect(unbounded.provider.requests).toHaveLength(13);
  const bounded = open([...calls.slice(0, 2), { text: "enough" }], { ...options, maxTurns: 2 });
  expect(await bounded.session.run("Hi")).toBe("enough");
});

it("fails a call that exceeds the provider's timeout", async () => {
  const provider = stuckProvider("some words");
  const session = new Session({ platform: memoryPlatform(), provider, providerTimeout: 50 });
  await expect(session.run("Hi")).rejects.toMatchObject({ code: "NETWORK_ERROR" });
  expect(session.getHistory().at(-1)).toMatchObject({ content: "some words" });
});

it("reports the window before the call by estimate, and exactly after it", async () => {
  const seen: string[] = [];
  const { session } = open(
    [
      () => {
        seen.push("call");
        return { text: "x", usage: { inputTokens: 1000, outputTokens: 10 } };
      },
    ],
    { contextWindow: 10_000, onContextUpdate: ({ usedTokens }) => seen.push(String(usedTokens)) },
  );
  await session.run("Hi there");
  expect(seen.indexOf("call")).toBeGreaterThan(0);
  expect(Number(seen[0])).toBeLessThan(1000);
  expect(seen.at(-1)).toBe("1010");
  expect(session.getContextState()).toMatchObject({ usedTokens: 1010, maxTokens: 10_000 });
});

it("accepts a threshold up to 1 or none, also later", () => {
  expect(open([]).session.getAutoCompactThreshold()).toBe(0.835);
  const { session } = open([], { autoCompactThreshold: false });
  expect(session.getAutoCompactThreshold()).toBe(false);
  session.setAutoCompactThreshold(0.5);
  expect(session.getAutoCompactThreshold()).toBe(0.5);
  for (const wrong of [0, -1, 1.1, Number.NaN]) {
    expect(() => session.setAutoCompactThreshold(wrong)).toThrow();
    expect(() => open([], { autoCompactThreshold: wrong })).toThrow();
  }
});

it("changes its mode for later calls", async () => {
  const script = [{ toolCalls: [echoCall("a")] }, { text: "1" }];
  const { session } = open([...script, ...script], { tools: [echo] });
  await session.run("Hi");
  expect(session.getHistory().at(2)).toMatchObject({ isError: true });
  await session.setPermissionMode("bypassPermissions");
  expect(session.getPermissionMode()).toBe("bypassPermissions");
  await session.run("Again");
  expect(session.getHistory().at(6)).toMatchObject({ content: "said a" });
});

it("revokes grants on request", async () => {
  let asked = 0;
  const turn = [{ toolCalls: [echoCall("a")] }, { text: "ok" }];
  const { session } = open([...turn, ...turn, ...turn], {
    tools: [echo],
    permissionHandler: () => {
      asked += 1;
      return Promise.resolve("allow-session" as const);
    },
  });
  await session.run("1");
  await session.run("2");
  expect(asked).toBe(1);
  expect(session.getSessionAllowedTools()).toHaveLength(1);
  await session.clearSessionAllowedTools();
  expect(session.getSessionAllowedTools()).toEqual([]);
  await session.run("3");
  expect(asked).toBe(2);
});

it("adds messages of each role without calling the model, which has them in the next request", async () => {
  const { session, provider } = open([{ text: "ok" }]);
  await session.injectMessage("user", "by the way");
  await session.injectMessage("assistant", "noted");
  await session.injectMessage("system", "The clock says noon.");
  expect(provider.requests).toHaveLength(0);
  expect(roles(session.getHistory())).toEqual(["user", "assistant", "system"]);
  await session.run("What time is it?");
  const sent = provider.requests[0]?.messages.map(
    ({ role, content }) => `${role}: ${contentText(content)}`,
  );
  expect(sent).toContain("system: The clock says noon.");
});

it("adds an entry to its history: a message, or one that the model never sees", async () => {
  const platform = memoryPlatform();
  const { session } = open([{ text: "ok" }], { platform, sessionId: "s" });
  const timestamp = new Date(5);
  const message = { role: "user" as const, id: "m", timestamp, content: "said before" };
  const base = { id: "e", seq: 1, timestamp };
  await session.addHistoryEntry({ ...base, category: "chat", type: "user", data: message });
  await session.addHistoryEntry({ ...base, category: "event", type: "remark", data: { a: 1 } });
  await session.shutdown();
  const { session: again } = open([], { platform, sessionId: "s" });
  await again.open();
  expect(again.getHistory()).toEqual([message]);
  expect(again.getFullHistory().map(({ type, data }) => [type, data])).toEqual([
    ["user", message],
    ["remark", { a: 1 }],
  ]);
  await again.shutdown();
});

it("is empty after a clear, and keeps its system message", async () => {
  const { session, provider } = open([{ text: "one" }, { text: "two" }], {
    systemMessage: "Be brief.",
  });
  await session.run("Hi");
  await session.clearHistory();
  expect(session.getHistory()).toEqual([]);
  await session.run("Again");
  expect(roles(provider.requests[1]?.messages ?? [])).toEqual(["system", "user"]);
});

it("reports whether it runs, ends on abort, and ignores an abort when idle", async () => {
  const { session, provider } = open([
    { deltas: ["a", "b"], delayMs: Infinity },
    { text: "later" },
  ]);
  session.abort();
  expect(session.isRunning()).toBe(false);
  const running = session.run("Hi");
  expect(session.isRunning()).toBe(true);
  await expect.poll(() => provider.requests.length).toBe(1);
  session.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
  expect(session.isRunning()).toBe(false);
  expect(await session.run("Again")).toBe("later");
});

it("offers the provider's own web search only while it needs no approval", async () => {
  const configured: object[] = [];
  const offered: unknown[] = [];
  const provider = (): ScriptedProvider => {
    const scripted = new ScriptedProvider(
      Array.from(
        { length: 3 },
        () =>
          ({ options }: { options: { nativeWebSearch?: boolean | undefined } }) => {
            offered.push(options.nativeWebSearch ?? false);
            return { text: "ok" };
          },
      ),
    );
    return Object.assign(scripted, {
      configureNativeWebTools: (config: { webSearch: boolean }) => {
        configured.push(config);
        return { webSearch: true, chatOptions: { nativeWebSearch: true } };
      },
    });
  };
  const platform = memoryPlatform();
  const session = new Session({ platform, provider: provider() });
  expect(configured).toEqual([{ webSearch: true }]);
  await session.run("1");
  await session.setPermissionMode("bypassPermissions");
  await session.run("2");
  expect(offered).toEqual([false, true]);
  const allowed = { permissions: { allow: ["WebSearch"] } };
  await new Session({ platform, provider: provider(), ...allowed }).run("3");
  await new Session({ platform, provider: provider(), ...allowed, nativeWebTools: false }).run("4");
  expect(offered).toEqual([false, true, true, false]);
  expect(configured).toHaveLength(2);
});

it("names the work that is to be waited for when it refuses other work", async () => {
  const fs = new MemoryFileSystem();
  const write = { toolCalls: [{ id: "w", name: "Write", args: { filePath: "/a", content: "a" } }] };
  const { session } = open([write, { text: "Written" }, { text: "Again" }, { text: "Summary" }], {
    platform: memoryPlatform({ fs }),
    tools: [writeTool],
    permissionMode: "bypassPermissions",
  });
  await session.run("Write");
  const refusalDuring = async (work: Promise<unknown>): Promise<unknown> => {
    const refusal: unknown = await session.run("beside it").catch((error: unknown) => error);
    await work;
    return refusal;
  };
  const busy = (message: string, hint: string) => ({ code: "SESSION_BUSY", message, hint });

  expect(await refusalDuring(session.run("Go on"))).toMatchObject(
    busy(
      "A turn is open in this session",
      "Wait for it, stop it with abort(), or answer its pending approval.",
    ),
  );
  expect(await refusalDuring(session.compact())).toMatchObject(
    busy("The conversation is being compacted", "Wait for it, or stop it with abort()."),
  );

  const removing = Promise.withResolvers<void>();
  const remove = vi.spyOn(fs, "remove").mockImplementation(() => removing.promise);
  const rewinding = session.rewind(session.checkpoints()[0]?.id ?? "");
  await vi.waitFor(() => expect(remove).toHaveBeenCalled());
  removing.resolve();
  expect(await refusalDuring(rewinding)).toMatchObject(
    busy("The session is being rewound", "Wait for it."),
  );
});
