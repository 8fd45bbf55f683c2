import {
  createFunctionTool,
  exportSession,
  type Plugin,
  readTool,
  replaySession,
  Session,
} from "@robota/runtime";
import { LimitsPlugin, UsagePlugin } from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { catchUncaught, echo, echoCall } from "../../support/support.ts";

const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe("plugins of a session", () => {
  it("are called at all points of a turn, in the order of their priorities", async () => {
    const seen: string[] = [];
    const watcher = (name: string, priority: "high" | "low"): Plugin => ({
      name,
      category: "custom",
      priority,
      beforeRun: ({ input }) => void seen.push(`${name} before ${JSON.stringify(input)}`),
      onStreamChunk: (_run, chunk) => void seen.push(`${name} chunk ${chunk}`),
      beforeToolExecution: (_run, { name: tool }) => void seen.push(`${name} tool ${tool}`),
      afterToolExecution: (_run, _call, { output }) =>
        void seen.push(`${name} result ${JSON.stringify(output)}`),
      afterRun: (_run, { text }) => void seen.push(`${name} after ${text}`),
    });
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { deltas: ["do", "ne"] }]),
      tools: [echo],
      permissionMode: "bypassPermissions",
      plugins: [watcher("low", "low"), watcher("high", "high")],
    });
    await session.run("go");
    await session.shutdown();
    const points = [
      'before "go"',
      "tool echo",
      'result "said x"',
      "chunk \n\n",
      "chunk do",
      "chunk ne",
      "after done",
    ];
    expect(seen).toEqual(points.flatMap((point) => [`high ${point}`, `low ${point}`]));
  });

  it("can change a turn's prompt, and refuse a turn before anything is sent", async () => {
    const provider = new ScriptedProvider([{ text: "ok" }]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      plugins: [
        {
          name: "polite",
          category: "custom",
          beforeRun: ({ input }) => ({ input: `${JSON.stringify(input)}, please` }),
        },
        new LimitsPlugin({ strategy: "fixed-window", requests: 1, windowMs: 60_000 }),
      ],
    });
    expect(await session.run("go")).toBe("ok");
    expect(provider.requests[0]?.messages.at(-1)?.content).toBe('"go", please');
    await expect(session.run("again")).rejects.toThrow();
    expect(provider.requests).toHaveLength(1);
    expect(session.getMessageCount()).toBe(1);
    expect(session.getFullHistory().map(({ type }) => type)).toContain("turn-refused");
    await session.shutdown();
  });

  it("retry a failed turn", async () => {
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ error: "down" }, { text: "up" }]),
      plugins: [
        {
          name: "again",
          category: "error_handling",
          onError: ({ attempt }) => (attempt === 1 ? { retryAfterMs: 1 } : undefined),
        },
      ],
    });
    expect(await session.run("go")).toBe("up");
    await session.shutdown();
  });

  it("that throw are reported and change nothing", async () => {
    const reported: string[] = [];
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "ok" }]),
      plugins: [
        { name: "broken", category: "custom", afterRun: () => Promise.reject(new Error("oops")) },
      ],
      onPluginError: ({ message }) => reported.push(message),
    });
    expect(await session.run("go")).toBe("ok");
    expect(reported).toHaveLength(1);
    expect(reported[0]).toContain("broken");
    await session.shutdown();
  });

  it("that throw change nothing either where their report throws", async () => {
    const platform = memoryPlatform();
    const failing = (): never => {
      throw new Error("oops");
    };
    const uncaught = catchUncaught();
    try {
      const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
      const session = new Session({
        platform,
        provider,
        plugins: [{ name: "broken", category: "custom", beforeRun: failing, dispose: failing }],
        onPluginError: failing,
      });
      expect(await session.run("go")).toBe("one");
      await session.shutdown();
      const { sessionId } = session;
      await using again = new Session({ platform, provider, sessionId });
      expect(await again.run("again")).toBe("two");
    } finally {
      uncaught.stop();
    }
  });

  it("store their records when the session is shut down", async () => {
    const usage = new UsagePlugin();
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "ok", usage: USAGE }]),
      plugins: [usage],
    });
    await session.run("go");
    await session.shutdown();
    expect(await usage.summary()).toMatchObject({ runs: 1 });
  });
});

describe("a session's budget", () => {
  it("is counted in tokens and money, across reloads", async () => {
    const platform = memoryPlatform();
    const options = {
      platform,
      models: [
        {
          id: "scripted",
          name: "Scripted",
          contextWindow: 1000,
          maxOutput: 100,
          prices: { input: 1, output: 10 },
        },
      ],
    };
    const first = new Session({
      ...options,
      provider: new ScriptedProvider([{ text: "ok", usage: USAGE }]),
    });
    await first.run("go");
    expect(first.getUsage()).toEqual(USAGE);
    expect(first.getCost()).toBeCloseTo(0.0002, 10);
    await first.shutdown();
    const again = new Session({
      ...options,
      provider: new ScriptedProvider([{ text: "ok", usage: USAGE }]),
      sessionId: first.sessionId,
    });
    await again.run("again");
    expect(again.getUsage().inputTokens).toBe(200);
    expect(again.getCost()).toBeCloseTo(0.0004, 10);
    await again.shutdown();
  });

  it("ends a turn with a typed result when it is spent", async () => {
    const count = createFunctionTool("count", "Counts", { type: "object" }, () => "1");
    const calls = Array.from({ length: 5 }, (_, index) => ({
      toolCalls: [{ id: `c${index}`, name: "count", args: {} }],
      usage: USAGE,
    }));
    const provider = new ScriptedProvider([...calls, { text: "done" }]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [count],
      permissionMode: "bypassPermissions",
      budget: { tokens: 250 },
    });
    await expect(session.run("go")).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(provider.requests).toHaveLength(3);
    await expect(session.run("more")).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(provider.requests).toHaveLength(3);
    await session.shutdown();
  });

  it("is refused at once when prices are unknown", () => {
    const provider = new ScriptedProvider([]);
    const platform = memoryPlatform();
    expect(() => new Session({ platform, provider, budget: { tokens: 0 } })).toThrow(/budget/);
    expect(() => new Session({ platform, provider, turnBudget: { dollars: 1 } })).toThrow(/prices/);
  });
});

describe("a session's plugins and its tools", () => {
  const scripted = () =>
    new ScriptedProvider([
      { toolCalls: [echoCall("change", "a"), echoCall("refuse", "b"), echoCall("x", "c")] },
      { text: "done" },
    ]);
  const guard: Plugin = {
    name: "guard",
    category: "custom",
    beforeToolExecution: (_run, { args: { text } }) => {
      if (text === "refuse") return { refuse: "not that" };
      return text === "change" ? { args: { text: "changed" } } : undefined;
    },
    afterToolExecution: (_run, _call, { output }) =>
      output === "said changed" ? { output: "processed" } : undefined,
    afterRun: (_run, { text }) => ({ text: `${text}.` }),
  };

  it("change input before hooks, rules and people judge it, and output before it is recorded", async () => {
    const provider = scripted();
    const asked: unknown[] = [];
    const hooked: unknown[] = [];
    const platform = memoryPlatform();
    const session = new Session({
      platform,
      provider,
      tools: [echo],
      plugins: [guard],
      hooks: {
        PreToolUse: [
          { hooks: [{ type: "function", run: ({ tool_input }) => void hooked.push(tool_input) }] },
        ],
      },
      permissionHandler: (_tool, args) => {
        asked.push(args);
        return args["text"] === "changed";
      },
    });
    expect(await session.run("go")).toBe("done.");
    expect(asked).toEqual([{ text: "changed" }, { text: "x" }]);
    expect(hooked).toEqual([{ text: "changed" }, { text: "x" }]);
    const results = provider.requests[1]?.messages.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([
      { content: "processed" },
      { content: "Refused by a plugin: not that", errorCode: "plugin_refused" },
      { errorCode: "permission_denied" },
    ]);
    const stream = exportSession(platform, session.sessionId);
    await session.shutdown();
    await replaySession(stream, memoryPlatform());
  });

  it("do not get changed input past a rule", async () => {
    const platform = memoryPlatform({ files: { "/secret/key": "sesame", "/work/open": "hello" } });
    const provider = new ScriptedProvider([
      { toolCalls: [{ id: "r", name: "Read", args: { filePath: "/work/open" } }] },
      { text: "done" },
    ]);
    const redirecting: Plugin = {
      name: "redirecting",
      category: "custom",
      beforeToolExecution: () => ({ args: { filePath: "/secret/key" } }),
    };
    const session = new Session({
      platform,
      provider,
      cwd: "/work",
      tools: [readTool],
      plugins: [redirecting],
      permissionMode: "bypassPermissions",
      permissions: { deny: ["Read(/secret/**)"] },
    });
    await session.run("go");
    const results = provider.requests[1]?.messages.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([{ errorCode: "permission_denied" }]);
    expect(JSON.stringify(results)).not.toContain("sesame");
    await session.shutdown();
  });
});
