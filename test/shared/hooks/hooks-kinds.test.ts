import { runHooks } from "@robota/runtime";
import {
  type AskModel,
  checkHooks,
  type HookTypeExecutor,
  type HttpHook,
  type RunHookAgent,
} from "@robota/runtime/hooks";
import {
  AgentExecutor,
  CommandExecutor,
  HttpExecutor,
  PromptExecutor,
} from "@robota/runtime/compat";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { beforeTool, guards } from "../../support/hook-inputs.ts";
import { turnClock } from "../../support/time/own-time.ts";

const url = "https://hooks.example.com/services/T0KEN5ECRET/B12345678?sig=s1gnatur3";
const http = (fields: Partial<HttpHook> = {}): HttpHook => ({
  type: "http",
  url,
  headers: { authorization: "Bearer h3aderSecret" },
  ...fields,
});

/** Runs one http hook against a network that answers so, and gives what was sent. */
async function send(answer: () => Response | Promise<Response>, fields: Partial<HttpHook> = {}) {
  const sent: Request[] = [];
  const platform = memoryPlatform({
    fetch: async (input, init) => {
      sent.push(new Request(input, { ...init, redirect: "manual" }));
      return answer();
    },
  });
  const outcome = await runHooks(guards(http(fields)), "PreToolUse", beforeTool(), { platform });
  return { outcome, sent };
}

describe("an http hook", () => {
  it("gets the input as JSON, with its headers", async () => {
    const { outcome, sent } = await send(() => new Response(null, { status: 204 }));
    expect(outcome).toMatchObject({ blocked: false, warnings: [] });
    const [request] = sent;
    expect(request?.method).toBe("POST");
    expect(request?.headers.get("authorization")).toBe("Bearer h3aderSecret");
    expect(request?.headers.get("content-type")).toBe("application/json");
    expect(await request?.json()).toEqual(beforeTool());
    const asked = await send(() => new Response("ok"), { method: "GET" });
    expect(asked.sent[0]?.method).toBe("GET");
  });

  it.each([
    { status: 200, body: "fine", blocked: false, warned: false },
    {
      status: 403,
      body: '{"reason": "Not on a Friday"}',
      blocked: true,
      reason: "Not on a Friday",
    },
    { status: 422, body: "Not like this", blocked: true, reason: "Not like this" },
    { status: 403, body: "<html>Forbidden</html>", blocked: true, reason: /^Blocked by http/ },
    { status: 403, body: '{"decision": "approve"}', blocked: true, reason: /^Blocked by http/ },
    { status: 200, body: '{"decision": "block", "reason": "No"}', blocked: true, reason: "No" },
    { status: 404, body: "", blocked: false, warned: true },
    { status: 429, body: "", blocked: false, warned: true },
    { status: 500, body: '{"decision": "approve"}', blocked: false, warned: true },
    { status: 302, body: "", blocked: false, warned: true },
  ])("decides by its status: $status $body", async ({ status, body, blocked, reason, warned }) => {
    const headers = status === 302 ? { location: "https://elsewhere.example.com/" } : {};
    const { outcome, sent } = await send(() => new Response(body, { status, headers }));
    expect(outcome.blocked).toBe(blocked);
    if (reason !== undefined) expect(outcome.reason).toMatch(reason);
    expect(outcome.warnings).toHaveLength(warned ? 1 : 0);
    // No redirect is followed.
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["answers 500", () => new Response("", { status: 500 })],
    ["can't be reached", () => Promise.reject(new TypeError(`fetch failed: ${url}`))],
    ["redirects", () => new Response("", { status: 307, headers: { location: url } })],
    ["says too much to be read", () => new Response(`{"a": "${"x".repeat(100_000)}"}`)],
  ])("blocks when it %s, if failures block", async (_way, answer) => {
    const { outcome } = await send(answer, { onFailure: "block" });
    expect(outcome).toMatchObject({ blocked: true, permissionDecision: "deny" });
    const { outcome: warned } = await send(answer);
    expect(warned).toMatchObject({ blocked: false, warnings: [expect.any(String)] });
  });

  it("is limited by its timeout", async () => {
    using clock = turnClock();
    const { outcome } = await send(() => new Promise(() => {}), { timeout: 0.1 });
    expect(clock.ms()).toBeLessThan(2500);
    expect(outcome.warnings).toEqual(["http https://hooks.example.com took over 0.1 s"]);
  });

  it("keeps secrets of its address and headers out of reports", async () => {
    const answers = [
      () => new Response(`No: ${url} Bearer h3aderSecret`, { status: 403 }),
      () => new Response("", { status: 500 }),
      () => Promise.reject(new TypeError(`failed ${url} h3aderSecret`)),
      () => new Response("", { status: 302, headers: { location: url } }),
      () => new Response(JSON.stringify({ systemMessage: `T0KEN5ECRET s1gnatur3 h3aderSecret` })),
    ];
    for (const answer of answers) {
      const { outcome } = await send(answer, { onFailure: "block" });
      // Results are as the hook wrote them, for the program only.
      const { results: _, ...reported } = outcome;
      const text = JSON.stringify(reported);
      expect(reported.blocked || reported.warnings.length > 0).toBe(true);
      for (const secret of ["T0KEN5ECRET", "s1gnatur3", "h3aderSecret"]) {
        expect(text).not.toContain(secret);
      }
    }
  });

  it("reaches no private address, unless a person's settings allow it", async () => {
    const platform = memoryPlatform({ fetch: async () => new Response("", { status: 403 }) });
    const local = guards(http({ url: "http://127.0.0.1:9999/hook" }));
    const refused = await runHooks(local, "PreToolUse", beforeTool(), { platform });
    expect(refused).toMatchObject({ blocked: false, warnings: [expect.any(String)] });
    const allowed = await runHooks(local, "PreToolUse", beforeTool(), {
      platform,
      egress: { allowPrivateOrigins: ["http://127.0.0.1:9999"] },
    });
    expect(allowed.blocked).toBe(true);
  });
});

describe("a prompt hook", () => {
  it("adds context for the model", async () => {
    const config = guards({ type: "prompt", prompt: "Prefer small commits" });
    const outcome = await runHooks(config, "PreToolUse", beforeTool());
    expect(outcome).toMatchObject({
      blocked: false,
      additionalContext: "Prefer small commits",
      warnings: [],
    });
  });

  const judge = async (answer: string, onFailure: "block" | "warn" = "warn", prompt = "Safe?") => {
    const asked: string[] = [];
    const ask: AskModel = async (text) => {
      asked.push(text);
      return answer;
    };
    const config = guards({ type: "prompt", prompt, judge: true, onFailure });
    const outcome = await runHooks(config, "PreToolUse", beforeTool(), { ask });
    return { outcome, asked };
  };

  it("asks a model for a verdict when it judges", async () => {
    const { outcome, asked } = await judge('{"ok": false, "reason": "It deletes files"}');
    expect(outcome).toMatchObject({ blocked: true, reason: "It deletes files" });
    expect(asked[0]).toContain(JSON.stringify(beforeTool()));
    expect((await judge('```json\n{"ok": true}\n```')).outcome).toMatchObject({
      blocked: false,
      warnings: [],
    });
    const placed = await judge('{"ok": true}', "warn", "Is $ARGUMENTS safe?");
    expect(placed.asked[0]).toContain(`Is ${JSON.stringify(beforeTool())} safe?`);
    const noted = await judge('{"ok": true, "additionalContext": "Mind the tests"}');
    expect(noted.outcome.additionalContext).toBe("Mind the tests");
  });

  it.each(["Sure, go on!", '{"ok": "yes"}', 'It said {"ok": true}', "[true]", ""])(
    "accepts no other answer as a yes: %s",
    async (answer) => {
      expect((await judge(answer)).outcome.warnings).toHaveLength(1);
      expect((await judge(answer, "block")).outcome.blocked).toBe(true);
    },
  );

  it("has failed without a model", async () => {
    const config = guards({ type: "prompt", prompt: "Safe?", judge: true, onFailure: "block" });
    const outcome = await runHooks(config, "PreToolUse", beforeTool());
    expect(outcome.reason).toContain("There is no model to ask");
  });
});

describe("an agent hook", () => {
  const config = guards({ type: "agent", agent: "reviewer", config: { maxTurns: 3 } });

  it("judges by an agent in which no hooks run", async () => {
    let inner = 0;
    const calls: unknown[] = [];
    const runAgent: RunHookAgent = async (agent, input, settings, { hookDepth, signal }) => {
      calls.push([agent, settings, hookDepth]);
      expect(input).toContain(JSON.stringify(beforeTool()));
      // The session of such an agent runs its own hooks.
      const counting = guards({ type: "function", run: () => void inner++ });
      await runHooks(counting, "PreToolUse", beforeTool(), { hookDepth, signal });
      return '{"ok": false, "reason": "It has no test"}';
    };
    const outcome = await runHooks(config, "PreToolUse", beforeTool(), { runAgent });
    expect(outcome).toMatchObject({ blocked: true, reason: "It has no test" });
    expect(calls).toEqual([["reviewer", { maxTurns: 3 }, 1]]);
    expect(inner).toBe(0);
  });

  it("has failed without an agent runner", async () => {
    const outcome = await runHooks(config, "PreToolUse", beforeTool());
    expect(outcome.warnings).toEqual([expect.stringContaining("No agent runner")]);
  });
});

describe("a hook of a custom type", () => {
  const acme = { type: "acme:chat", room: "ops" } as const;

  it("goes to the executor for it", async () => {
    const reported: unknown[] = [];
    const chat: HookTypeExecutor = {
      type: "acme:chat",
      execute: async (hook, input) => {
        reported.push([hook, input]);
        return { exitCode: 2, stdout: "", stderr: "Nobody agreed" };
      },
    };
    const outcome = await runHooks(guards(acme), "PreToolUse", beforeTool(), { executors: [chat] });
    expect(outcome).toMatchObject({ blocked: true, reason: "Nobody agreed" });
    expect(reported).toEqual([[acme, beforeTool()]]);
  });

  it("may be in a map or a record, and needs no colon then", async () => {
    const says = (reason: string): HookTypeExecutor => ({
      type: "custom",
      execute: async () => ({ exitCode: 2, stdout: "", stderr: reason }),
    });
    const config = checkHooks(
      { PreToolUse: [{ hooks: [{ type: "custom", room: "ops" }] }] },
      { types: ["custom"] },
    );
    for (const executors of [
      new Map([["custom", says("No")]]),
      { custom: says("No") },
      [says("No")],
      new Set([says("No")]),
    ]) {
      const outcome = await runHooks(config, "PreToolUse", beforeTool(), { executors });
      expect(outcome).toMatchObject({ blocked: true, reason: "No", warnings: [] });
    }
    await expect(runHooks(config, "PreToolUse", beforeTool())).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("type must be one of command"),
    });
  });

  it("refuses an executor without an execute function", async () => {
    const none: object = { "acme:chat": { type: "acme:chat" } };
    const executors = none as Record<string, HookTypeExecutor>;
    await expect(
      runHooks(guards(acme), "PreToolUse", beforeTool(), { executors }),
    ).rejects.toMatchObject({ code: "VALIDATION_ERROR", hint: expect.stringContaining("execute") });
  });

  it.each([undefined, null, 2, {}, { exitCode: "2", stdout: "", stderr: "" }, { exitCode: 2 }])(
    "has failed when its executor gives no valid result: %j",
    async (result) => {
      const text = JSON.stringify(result) ?? "null";
      const odd: HookTypeExecutor = { type: "acme:chat", execute: async () => JSON.parse(text) };
      const config = guards({ ...acme, onFailure: "block" });
      const outcome = await runHooks(config, "PreToolUse", beforeTool(), { executors: [odd] });
      expect(outcome).toMatchObject({
        blocked: true,
        warnings: ["acme:chat failed: It gave no result"],
      });
    },
  );

  it("has failed without an executor", async () => {
    const outcome = await runHooks(guards(acme), "PreToolUse", beforeTool());
    expect(outcome.warnings).toEqual(["acme:chat can't run here: its type has no executor"]);
  });
});

it("has the specification's executors as classes", async () => {
  const platform = memoryPlatform({
    files: { "/code/": "" },
    fetch: async () => new Response("", { status: 403 }),
  });
  const input = beforeTool();
  const command = await new CommandExecutor(platform).execute(
    { type: "command", command: "cat; exit 2" },
    input,
  );
  expect(JSON.parse(command.stdout)).toEqual(input);
  expect(command.exitCode).toBe(2);
  expect((await new HttpExecutor(platform).execute(http(), input)).exitCode).toBe(2);
  const prompt = await new PromptExecutor().execute({ type: "prompt", prompt: "Hi" }, input);
  expect(prompt.stdout).toContain("Hi");
  const runAgent: RunHookAgent = async () => '{"ok": false}';
  const agent = new AgentExecutor({ runAgent });
  expect((await agent.execute({ type: "agent", agent: "x" }, input)).exitCode).toBe(2);
});
