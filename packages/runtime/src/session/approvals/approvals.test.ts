import { describe, expect, it } from "vitest";
import type { PermissionLists } from "../../permissions/permission.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import { defineTool, type ToolContext } from "../../tools/tool.ts";
import type { PermissionRequest, SessionEvent } from "../log/events.ts";
import { type ApprovalOptions, Approvals, type PermissionHint } from "./approvals.ts";
import { SessionLog } from "../log/log.ts";
import { Session } from "../session.ts";
import { SessionState } from "../state/state.ts";

const bash = defineTool<{ command: string }>({
  name: "Bash",
  description: "",
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
  },
  access: "execute",
  execute: () => "done",
});
const write = createFunctionTool("Write", "", { type: "object" }, async () => "done");
const fetchTool = createFunctionTool("WebFetch", "", { type: "object" }, async () => "page");

interface SetUp extends Partial<Omit<ApprovalOptions, "lists">> {
  lists?: PermissionLists;
}

function setUp({ lists = {}, ...options }: SetUp = {}) {
  const platform = memoryPlatform({ files: { "/workspace/src/a.ts": "" } });
  const state = new SessionState();
  state.cwd = "/workspace";
  const events: SessionEvent[] = [];
  const log = new SessionLog({ sessionId: "s", storage: undefined, now: () => 0 });
  log.subscribe((event) => {
    state.apply(event);
    events.push(event);
  });
  let id = 0;
  const approvals = new Approvals({
    tools: new Map([bash, fetchTool].map((tool) => [tool.name, tool])),
    log,
    state,
    lists: () => lists,
    unanswered: "deny",
    randomUUID: () => `request-${++id}`,
    ...options,
  });
  const context: ToolContext = {
    platform,
    cwd: "/workspace",
    signal: new AbortController().signal,
    toolCallId: "c",
    ownerPath: [],
    emit: () => {},
    state: new Map(),
    memory: { get: () => undefined, set: () => {} },
  };
  let calls = 0;
  const run = (command: string, hint?: PermissionHint) =>
    approvals.authorize(
      { id: `c${++calls}`, name: "Bash", args: { command } },
      bash,
      { command },
      context,
      hint,
    );
  const writeTo = (filePath: string) =>
    approvals.authorize(
      { id: `c${++calls}`, name: "Write", args: { filePath } },
      write,
      { filePath },
      context,
    );
  const asked = (): PermissionRequest[] =>
    events.flatMap((event) => (event.type === "permission_request" ? [event.request] : []));
  return { platform, state, events, log, approvals, context, run, writeTo, asked };
}

describe("the scope of an answer", () => {
  const allow = (scope: "once" | "turn" | "session" | "workspace") => ({
    handler: async () => ({ allow: true, scope }),
  });

  it("once: this call only, also when the model reuses its id", async () => {
    const { run, asked } = setUp(allow("once"));
    await run("npm test");
    await run("npm test");
    expect(asked()).toHaveLength(2);
  });

  it("turn: the rest of the turn", async () => {
    const { run, asked, log } = setUp(allow("turn"));
    await log.commit({ type: "turn_start", input: "go" });
    await run("npm test");
    await run("npm test");
    expect(asked()).toHaveLength(1);
    await log.commit({ type: "turn_end", state: "complete", response: "" });
    await run("npm test");
    expect(asked()).toHaveLength(2);
  });

  it("H14: session: the derived rule, never the whole tool", async () => {
    const { run, asked, state, approvals, log } = setUp(allow("session"));
    await run("npm test");
    await log.commit({ type: "turn_end", state: "complete", response: "" });
    await run("npm test");
    expect(asked()).toHaveLength(1);
    expect(state.grants).toEqual([{ pattern: "Bash(npm test)", scope: "session" }]);
    await run("npm publish");
    expect(asked()).toHaveLength(2);
    await approvals.revoke("Bash(npm test)");
    await run("npm test");
    expect(asked()).toHaveLength(3);
  });

  it("workspace: also other sessions, until it is revoked", async () => {
    const kept = new Set<string>();
    const grants = {
      load: async () => [...kept],
      save: async (rule: string) => void kept.add(rule),
      remove: async (rule: string) => void kept.delete(rule),
    };
    const first = setUp({ ...allow("workspace"), grants });
    await first.run("npm test");
    expect([...kept]).toEqual(["Bash(npm test)"]);
    const second = setUp({ grants });
    expect(await second.run("npm test")).toMatchObject({ allow: true });
    expect(second.events).toContainEqual(
      expect.objectContaining({
        type: "permission_auto",
        rule: "Bash(npm test)",
        layer: "workspace",
      }),
    );
    await second.approvals.revoke("Bash(npm test)");
    expect([...kept]).toEqual([]);
    expect(await second.run("npm test")).toMatchObject({ allow: false });
  });

  it("is the session when the workspace's rule can't be stored, and is reported so", async () => {
    const grants = {
      load: async () => [],
      save: () => Promise.reject(new Error("full")),
      remove: async () => {},
    };
    const { run, asked, events } = setUp({ ...allow("workspace"), grants });
    await run("npm test");
    await run("npm test");
    expect(asked()).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "note", kind: "grant-not-kept" }),
    );
  });
});

describe("a decision without a request", () => {
  it("is an event with its rule, its layer and the part of the command", async () => {
    const lists = {
      allow: ["Bash(npm test)"],
      layers: [{ name: "project", lists: { deny: ["Bash(rm *)"] } }],
    };
    const { run, events } = setUp({ lists });
    expect(await run("npm test")).toMatchObject({ allow: true });
    expect(await run("ls && sudo rm x")).toMatchObject({ allow: false });
    expect(await run("ls src")).toMatchObject({ allow: true });
    expect(events.filter(({ type }) => type === "permission_auto")).toMatchObject([
      { decision: "auto", step: "allow", by: "rule", rule: "Bash(npm test)" },
      {
        decision: "deny",
        step: "deny",
        by: "rule",
        rule: "Bash(rm *)",
        layer: "project",
        command: expect.stringContaining("rm x"),
      },
      { decision: "auto", step: "mode", by: "mode" },
    ]);
  });

  it("S-142: calls onPermissionDenied when it denies, whose failures have no effect", async () => {
    const denied: string[] = [];
    const { run } = setUp({
      lists: { deny: ["Bash(rm *)"] },
      onDenied: ({ name }, reason) => void denied.push(`${name}: ${reason}`),
    });
    expect(await run("rm x")).toMatchObject({
      allow: false,
      content: expect.stringContaining("Permission denied"),
      errorCode: "permission_denied",
    });
    expect(denied).toEqual(["Bash: The rule Bash(rm *) forbids it."]);
  });
});

describe("a hook's decision", () => {
  const by = (decision: PermissionHint["decision"]): PermissionHint => ({
    decision,
    by: "guard",
    reason: "because",
  });

  it("answers a question of the mode when it allows", async () => {
    const { run, events, asked } = setUp();
    expect(await run("npm test", by("allow"))).toMatchObject({ allow: true });
    expect(asked()).toEqual([]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "permission_auto",
        by: "hook",
        hook: "guard",
        decision: "auto",
      }),
    );
  });

  it.each([
    ["a rule that denies", "rm x", { deny: ["Bash(rm *)"] }],
    ["a rule that asks", "git push", { ask: ["Bash(git push *)"] }],
    ["a protected name", "echo x > .git/config", {}],
    ["a destructive command", "rm -rf /", { allow: ["Bash"] }],
    ["a file outside", "npm test > /etc/x", { allow: ["Bash(npm test)"], ask: ["Write"] }],
  ])("2.1.77, T-25: never overrides %s", async (_, command, lists) => {
    expect(await setUp({ lists }).run(command, by("allow"))).toMatchObject({ allow: false });
  });

  it("2.1.222: never allows a call that plan mode denies", async () => {
    const { run, state } = setUp();
    state.mode = "plan";
    expect(await run("npm test", by("allow"))).toMatchObject({ allow: false });
  });

  it("asks or denies where a rule would allow", async () => {
    const { run, asked } = setUp({ lists: { allow: ["Bash(npm test)"] } });
    await run("npm test", by("ask"));
    expect(asked()).toMatchObject([{ reason: "because" }]);
    expect(await run("npm test", by("deny"))).toMatchObject({
      allow: false,
      content: expect.stringContaining("because"),
    });
    expect(asked()).toHaveLength(1);
  });
});

describe("the answer to a request", () => {
  it("S-141: comes from the hook first, then the handler, and is no without both", async () => {
    const order: string[] = [];
    const silent = setUp({
      onRequest: async () => void order.push("hook") as undefined,
      handler: async () => (order.push("handler"), true),
    });
    expect(await silent.run("npm test")).toMatchObject({ allow: true });
    expect(order).toEqual(["hook", "handler"]);
    const deciding = setUp({
      onRequest: async () => ({ allow: true }),
      handler: async () => false,
    });
    expect(await deciding.run("npm test")).toMatchObject({ allow: true });
    expect(await setUp().run("npm test")).toMatchObject({ allow: false });
  });

  it("S-140: may be true, false, allow-session or a record; a failure is a no", async () => {
    const run = (handler: ApprovalOptions["handler"]) => setUp({ handler }).run("npm test");
    expect(await run(async () => true)).toMatchObject({ allow: true });
    expect(await run(async () => "allow-session" as const)).toMatchObject({ allow: true });
    expect(await run(async () => ({ allow: true, reason: "fine" }))).toMatchObject({
      allow: true,
      note: "fine",
    });
    expect(await run(async () => false)).toMatchObject({ allow: false });
    expect(await run(() => Promise.reject(new Error("broken")))).toMatchObject({ allow: false });
    expect(await run(async () => ({ allow: "yes" }) as never)).toMatchObject({ allow: false });
  });

  it("is a person's when a hook allows a call that a rule asks about, or fails", async () => {
    const lists = { ask: ["Bash(git push *)"] };
    const eager = setUp({
      lists,
      onRequest: async () => ({ allow: true }),
      handler: async () => false,
    });
    expect(await eager.run("git push")).toMatchObject({ allow: false });
    const broken = setUp({
      onRequest: () => Promise.reject(new Error("x")),
      handler: async () => true,
    });
    expect(await broken.run("npm test")).toMatchObject({ allow: true });
  });

  it("2.1.110: is judged again when a hook or a person has changed the call", async () => {
    const lists = { deny: ["Bash(rm *)"] };
    const updated = { allow: true, updatedArgs: { command: "rm x" } };
    expect(await setUp({ lists, handler: async () => updated }).run("npm test")).toMatchObject({
      allow: false,
    });
    const hooked = setUp({ lists, onRequest: async () => updated, handler: async () => true });
    expect(await hooked.run("npm test")).toMatchObject({
      allow: true,
      args: { command: "npm test" },
    });
    const wrong = { allow: true, updatedArgs: { command: 5 } };
    expect(await setUp({ handler: async () => wrong }).run("npm test")).toMatchObject({
      allow: false,
      content: expect.stringContaining("/command"),
    });
  });

  it("may not store an invalid rule", async () => {
    const { run, approvals, asked } = setUp({ unanswered: "wait" });
    const waiting = run("npm test");
    while (asked().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const answer = { allow: true, scope: "session" as const };
    await expect(approvals.resolve("request-1", { ...answer, pattern: "Bash(" })).rejects.toThrow(
      "not a permission rule",
    );
    await approvals.resolve("request-1", { ...answer, pattern: "Bash(npm *)" });
    expect(await waiting).toMatchObject({ allow: true });
  });
});

describe("an approved call", () => {
  it("T-11: is a frozen copy, unaffected by later changes of the arguments", async () => {
    const { approvals, context } = setUp({
      handler: async (_tool, shown) => {
        expect(Object.isFrozen(shown)).toBe(true);
        args.command = "rm x";
        args.list[0] = "y";
        return true;
      },
    });
    const args = { command: "npm test", list: ["x"] };
    const answer = await approvals.authorize({ id: "c", name: "Bash", args }, bash, args, context);
    expect(answer).toMatchObject({ allow: true, args: { command: "npm test", list: ["x"] } });
    expect(answer.allow && Object.isFrozen(answer.args.list)).toBe(true);
  });

  it("T-11: does not run when its path resolves elsewhere than approved", async () => {
    const { writeTo, platform } = setUp({
      handler: async () => {
        await platform.fs.symlink("/etc", "/workspace/new");
        return true;
      },
    });
    expect(await writeTo("new/file")).toMatchObject({
      allow: false,
      content: expect.stringContaining("elsewhere"),
    });
  });

  it("T-24: was shown with its resolved paths, the rule that asked and the rule to be stored", async () => {
    const { writeTo, run, platform, asked } = setUp({ lists: { ask: ["Bash(git push *)"] } });
    await platform.fs.symlink("/workspace/src", "/workspace/link");
    await writeTo("link/a.ts");
    await run("npm test && git -C . push");
    await run("npm test");
    await run("rm -rf /");
    const [linked, pushed, tested, destroyed] = asked();
    expect(linked).toMatchObject({ paths: ["/workspace/link/a.ts", "/workspace/src/a.ts"] });
    expect(pushed).toMatchObject({ rule: "Bash(git push *)", command: "git push" });
    expect(pushed).not.toHaveProperty("suggestedPattern");
    expect(tested).toMatchObject({ suggestedPattern: "Bash(npm test)" });
    expect(destroyed).not.toHaveProperty("suggestedPattern");
  });
});

it("has rules in its tool that know the files judged with it", async () => {
  const { approvals, context, platform } = setUp({ handler: async () => true });
  await platform.fs.writeFile("/workspace/.env", "");
  await platform.fs.symlink(".env", "/workspace/link");
  const read = createFunctionTool("Read", "", { type: "object" }, async () => "");
  const call = { id: "r", name: "Read", args: { filePath: "link" } };
  await approvals.rules.prepare();
  expect(
    approvals.rules.accessRules(call, context).refusesFile("/workspace/.env", "read"),
  ).toContain("keys");
  expect(await approvals.authorize(call, read, call.args, context)).toMatchObject({ allow: true });
  const rules = approvals.rules.accessRules(call, context);
  expect(rules.refusesFile("/workspace/.env", "read")).toBeUndefined();
  expect(rules.refusesFile("/workspace/id_rsa", "read")).toContain("keys");
  expect(rules.refusesFile("/workspace/.git/config", "write")).toContain("protected");
});

describe("after a result from the network", () => {
  const lists = {
    allow: ["Bash(curl *)", "Bash(git push *)", "WebFetch", "Bash(npm test)", "Read"],
  };

  it("T-23: outgoing calls and reads outside need approval again under broad rules, by option", async () => {
    for (const guardUntrustedReads of [true, false]) {
      const { run, log, approvals, context, asked } = setUp({ lists, guardUntrustedReads });
      const fetchPage = () =>
        approvals.authorize(
          { id: "f", name: "WebFetch", args: {} },
          fetchTool,
          { url: "https://a.test" },
          context,
        );
      expect(await run("curl https://a.test")).toMatchObject({ allow: true });
      expect(await fetchPage()).toMatchObject({ allow: true });
      const message = {
        role: "tool" as const,
        id: "m",
        timestamp: new Date(0),
        toolCallId: "f",
        name: "WebFetch",
        content: "evil",
      };
      const outcome = { success: true, durationMs: 0 };
      await log.commit({ type: "tool_end", toolCallId: "f", tool: "WebFetch", message, outcome });
      const allow = !guardUntrustedReads;
      expect(await run("curl https://a.test?k=1")).toMatchObject({ allow });
      expect(await run("git push origin main")).toMatchObject({ allow });
      expect(await fetchPage()).toMatchObject({ allow });
      expect(await run("npm test")).toMatchObject({ allow: true });
      expect(asked()).toHaveLength(allow ? 0 : 3);
    }
  });
});

it("opens no session whose rules contradict their examples, and emits no event before that", async () => {
  const platform = memoryPlatform();
  const open = async (match: string): Promise<Session> => {
    const session = new Session({
      sessionId: "rules",
      platform,
      provider: new ScriptedProvider([]),
      tools: [bash],
      permissions: { allow: ["Bash(rm *)"], examples: { "Bash(rm *)": { match: [match] } } },
    });
    expect(() => session.explain("Bash", { command: "rm x" })).toThrow("not loaded its rules yet");
    await session.open();
    return session;
  };
  await expect(open("ls")).rejects.toThrow('does not match its example "ls"');
  // The failed opening left no lease behind.
  const session = await open("rm x");
  expect(session.explain("Bash", { command: "rm x" }).rule).toBe("Bash(rm *)");
  await session.shutdown();
});

it("S-139: are required for every tool of a session", async () => {
  const provider = new ScriptedProvider([
    { toolCalls: [{ id: "1", name: "Bash", args: { command: "rm x" } }] },
    { text: "ok" },
  ]);
  const session = new Session({
    platform: memoryPlatform(),
    provider,
    tools: [bash],
    permissions: { deny: ["Bash(rm *)"] },
    permissionMode: "bypassPermissions",
  });
  await session.run("go");
  expect(provider.requests[1]?.messages.at(-1)?.content).toContain("Permission denied");
  await session.shutdown();
});
