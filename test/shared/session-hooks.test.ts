import { withHost } from "#host";
import {
  createFunctionTool,
  type HookInput,
  type HooksConfig,
  InteractiveSession,
  Session,
  type SessionOptions,
} from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall, until } from "../support.ts";

type Script = ConstructorParameters<typeof ScriptedProvider>[0];

function sessionWith(
  script: Script,
  hooks: HooksConfig,
  options: Partial<SessionOptions> = {},
): { session: Session; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  const session = new Session({
    platform: memoryPlatform(),
    provider,
    tools: [echo],
    permissionMode: "bypassPermissions",
    hooks,
    ...options,
  });
  return { session, provider };
}

/** Hooks on every event that write down what they were told. */
function recording(): { hooks: HooksConfig; inputs: HookInput[] } {
  const inputs: HookInput[] = [];
  const group = [
    { hooks: [{ type: "function" as const, run: (input: HookInput) => void inputs.push(input) }] },
  ];
  const events = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
  ] as const;
  return { hooks: Object.fromEntries(events.map((event) => [event, group])), inputs };
}

function on(
  event: keyof HooksConfig,
  run: (input: HookInput) => object | void,
  matcher = "",
): HooksConfig {
  return { [event]: [{ matcher, hooks: [{ type: "function", run }] }] };
}

const context = (hookEventName: string, additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

const names = (inputs: readonly HookInput[]): string[] =>
  inputs.map((input) => input.hook_event_name);

describe("hooks of a session", () => {
  it("are told of a turn with a tool from beginning to end, each event once", async () => {
    const { hooks, inputs } = recording();
    const { session } = sessionWith([{ toolCalls: [echoCall("x")] }, { text: "done" }], hooks);
    await session.run("go");
    await session.shutdown({ reason: "logout" });
    await session.shutdown();
    expect(names(inputs)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "SessionEnd",
    ]);
    expect(inputs).toMatchObject([
      { session_id: session.sessionId, source: "startup", permission_mode: "bypassPermissions" },
      { prompt: "go" },
      { tool_name: "echo", tool_input: { text: "x" }, tool_use_id: "x" },
      { tool_name: "echo", tool_response: "said x" },
      { last_assistant_message: "done", response: "done", stop_hook_active: false },
      { reason: "logout" },
    ]);
  });

  it("are told that a session goes on", async () => {
    const platform = memoryPlatform();
    const first = sessionWith([{ text: "Hello" }], {}, { platform });
    await first.session.run("Hi");
    await first.session.shutdown();
    const { hooks, inputs } = recording();
    const again = sessionWith([{ text: "Again" }], hooks, {
      platform,
      sessionId: first.session.sessionId,
    });
    await again.session.run("Go on");
    await again.session.shutdown();
    expect(inputs[0]).toMatchObject({ hook_event_name: "SessionStart", source: "resume" });
  });

  it("reach the first request with what they say at the start, although the run follows at once", async () => {
    const start = on("SessionStart", () => context("SessionStart", "The branch is main."));
    const prompt = on("UserPromptSubmit", () => context("UserPromptSubmit", "It is Monday."));
    const { session, provider } = sessionWith([{ text: "ok" }, { text: "ok" }], {
      ...start,
      ...prompt,
    });
    await session.run("Which day is it?");
    const sent = String(provider.requests[0]?.messages.at(-1)?.content);
    expect(sent).toMatch(/^Which day is it\?/);
    expect(sent).toContain("The branch is main.");
    expect(sent).toContain("It is Monday.");
    expect(session.getFullHistory()[0]?.data).toMatchObject({ content: "Which day is it?" });
    await session.run("And now?");
    expect(String(provider.requests[1]?.messages.at(-1)?.content)).not.toContain("branch");
    await session.shutdown();
  });

  it("block a prompt before anything is sent, and the session stays usable", async () => {
    const hooks = on("UserPromptSubmit", (input) =>
      "prompt" in input && input.prompt.includes("secret")
        ? { decision: "block", reason: "no secrets" }
        : undefined,
    );
    const { session, provider } = sessionWith([{ text: "ok" }], hooks);
    await expect(session.run("my secret")).rejects.toMatchObject({ code: "HOOK_BLOCKED" });
    expect(provider.requests).toHaveLength(0);
    expect(session.getHistory()).toEqual([]);
    expect(session.getFullHistory().map(({ type }) => type)).toContain("turn-refused");
    expect(await session.run("hello")).toBe("ok");
    await session.shutdown();
  });

  it("block a tool with a reason that the model reads, and nothing runs", async () => {
    let runs = 0;
    const tool = createFunctionTool("count", "Counts", { type: "object" }, () => `${++runs}`);
    const hooks = on("PreToolUse", () => ({ decision: "block", reason: "not today" }), "count");
    const { session, provider } = sessionWith(
      [{ toolCalls: [{ id: "c", name: "count", args: {} }] }, { text: "ok" }],
      hooks,
      { tools: [tool] },
    );
    await session.run("go");
    expect(runs).toBe(0);
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      isError: true,
      errorCode: "hook_blocked",
      content: "Blocked by hook: not today",
    });
    const events = [];
    for await (const event of session.events({ signal: AbortSignal.timeout(50) }))
      events.push(event);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "permission_auto",
        decision: "deny",
        by: "hook",
        reason: "not today",
      }),
    );
    await session.shutdown();
  });

  it("never open what a rule forbids or asks for, also after they changed the input", async () => {
    const allow = on("PreToolUse", () => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { text: "forbidden" },
      },
    }));
    const { session, provider } = sessionWith(
      [{ toolCalls: [echoCall("harmless")] }, { text: "ok" }],
      allow,
      {
        tools: [
          {
            ...echo,
            patternArgument: "text",
            execute: (args, toolContext) => echo.execute(args, toolContext),
          },
        ],
        permissions: { deny: ["echo(forbidden)"], allow: ["echo(harmless)"] },
        permissionMode: "default",
      },
    );
    await session.run("go");
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ errorCode: "permission_denied" });
    await session.shutdown();
  });

  it("save the question that only the mode would ask, and can ask one that it would not", async () => {
    const asked: string[] = [];
    const decide = (permissionDecision: string): HooksConfig =>
      on("PreToolUse", () => ({
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision },
      }));
    for (const [decision, permissionMode] of [
      ["allow", "default"],
      ["ask", "bypassPermissions"],
    ] as const) {
      const { session } = sessionWith(
        [{ toolCalls: [echoCall(decision)] }, { text: "ok" }],
        decide(decision),
        {
          permissionMode,
          permissionHandler: (tool) => asked.push(`${decision} ${tool}`) > 0,
        },
      );
      await session.run("go");
      expect(session.getHistory().find(({ role }) => role === "tool")?.content).toBe(
        `said ${decision}`,
      );
      await session.shutdown();
    }
    expect(asked).toEqual(["ask echo"]);
  });

  it("change the input, and what ran is what is on record", async () => {
    const hooks = on("PreToolUse", () => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { text: "changed" } },
    }));
    const { session, provider } = sessionWith(
      [{ toolCalls: [echoCall("as called")] }, { text: "ok" }],
      hooks,
    );
    const started: unknown[] = [];
    session.subscribe((event) => {
      if (event.type === "tool_start") started.push(event.args);
    });
    await session.run("go");
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe("said changed");
    expect(started).toEqual([{ text: "changed" }]);
    await session.shutdown();
  });

  it("add to a result, object to it, and hear of failures", async () => {
    const failing = createFunctionTool("fail", "Fails", { type: "object" }, () => {
      throw new Error("broken");
    });
    const failures: HookInput[] = [];
    const hooks: HooksConfig = {
      ...on("PostToolUse", () => ({
        decision: "block",
        reason: "run the tests",
        ...context("PostToolUse", "3 files changed"),
      })),
      ...on("PostToolUseFailure", (input) => void failures.push(input)),
    };
    const { session, provider } = sessionWith(
      [{ toolCalls: [echoCall("x"), { id: "f", name: "fail", args: {} }] }, { text: "ok" }],
      hooks,
      { tools: [echo, failing] },
    );
    await session.run("go");
    const [result] = provider.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(result?.content).toBe("said x\n\n3 files changed\n\nA hook objects: run the tests");
    expect(failures).toMatchObject([{ tool_name: "fail", error: "broken", is_interrupt: false }]);
    await session.shutdown();
  });

  it("answer requests in the place of a person, and hear of denials", async () => {
    const denied: HookInput[] = [];
    const hooks: HooksConfig = {
      ...on("PermissionRequest", (input) => ({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision:
            "tool_input" in input && input.tool_input.text === "yes"
              ? { behavior: "allow" }
              : { behavior: "deny", message: "not that one" },
        },
      })),
      ...on("PermissionDenied", (input) => void denied.push(input)),
    };
    const { session } = sessionWith(
      [{ toolCalls: [echoCall("yes"), echoCall("no")] }, { text: "ok" }],
      hooks,
      {
        permissionMode: "default",
      },
    );
    await session.run("go");
    const results = session.getHistory().filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual([
      "said yes",
      expect.stringContaining("not that one"),
    ]);
    await until(() => denied.length > 0);
    expect(denied).toMatchObject([{ tool_input: { text: "no" } }]);
    await session.shutdown();
  });

  it("make an agent go on at its end, and not for ever", async () => {
    const seen: boolean[] = [];
    const hooks = on("Stop", (input) => {
      seen.push("stop_hook_active" in input && input.stop_hook_active);
      return { decision: "block", reason: "The tests fail still." };
    });
    const script = Array.from({ length: 20 }, (_, index) => ({ text: `try ${index}` }));
    const { session, provider } = sessionWith(script, hooks);
    expect(await session.run("Fix it")).toBe("try 8");
    expect(seen).toEqual([false, ...Array.from({ length: 7 }, () => true)]);
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe("The tests fail still.");
    await session.shutdown();
  });

  it("hear of a turn that failed", async () => {
    const { hooks, inputs } = recording();
    const { session } = sessionWith([{ error: "down" }], hooks);
    await expect(session.run("go")).rejects.toThrow("down");
    await session.shutdown();
    expect(names(inputs)).toContain("StopFailure");
    expect(names(inputs)).not.toContain("Stop");
  });

  it("surround a compaction, can refuse it, and add what it keeps in view", async () => {
    const { hooks, inputs } = recording();
    const told = on("PreCompact", (input) =>
      "custom_instructions" in input && input.custom_instructions === "never"
        ? { decision: "block", reason: "not now" }
        : context("PreCompact", "the names of files"),
    );
    const { session, provider } = sessionWith([{ text: "Hello" }, { text: "What matters" }], {
      ...hooks,
      PreCompact: [...(hooks.PreCompact ?? []), ...(told.PreCompact ?? [])],
    });
    await session.run("Hi");
    await expect(session.compact("never")).rejects.toMatchObject({ code: "HOOK_BLOCKED" });
    expect(session.getHistory()).toHaveLength(2);
    await session.compact("decisions");
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain(
      "decisions\n\nthe names of files",
    );
    expect(
      inputs.filter(({ hook_event_name }) => hook_event_name.endsWith("Compact")),
    ).toMatchObject([
      { trigger: "manual", custom_instructions: "never" },
      { trigger: "manual", custom_instructions: "decisions" },
      { trigger: "manual", compact_summary: "What matters" },
    ]);
    await session.shutdown();
  });

  it("say when a person is waited for", async () => {
    const { hooks, inputs } = recording();
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "ok" }]),
      tools: [echo],
      hooks,
    });
    const turn = session.submit("go", undefined, "/go");
    await until(
      () => session.pendingPermissions().length > 0 && names(inputs).includes("Notification"),
    );
    expect(inputs.find((input) => input.hook_event_name === "UserPromptSubmit")).toMatchObject({
      prompt: "/go",
    });
    await session.resolvePermission(session.pendingPermissions()[0]?.id ?? "", { allow: true });
    await turn;
    await session.shutdown();
  });

  it("end a turn", async () => {
    const hooks = on("PostToolUse", () => ({ continue: false, stopReason: "enough" }));
    const { session } = sessionWith([{ toolCalls: [echoCall("x")] }, { text: "never" }], hooks);
    await expect(session.run("go")).rejects.toMatchObject({ name: "AbortError" });
    const note = session.getFullHistory().find(({ type }) => type === "hook-stopped");
    expect(note?.data).toEqual({ reason: "enough" });
    await session.shutdown();
  });

  it("are let go of within 250 ms of an abort, and the call is not run", async () => {
    let called = false;
    const hooks: HooksConfig = {
      PreToolUse: [
        {
          hooks: [
            {
              type: "function",
              run: () => {
                called = true;
                return new Promise(() => {});
              },
            },
          ],
        },
      ],
    };
    const { session } = sessionWith([{ toolCalls: [echoCall("x")] }, { text: "never" }], hooks);
    const running = session.run("go");
    await until(() => called);
    const begun = performance.now();
    session.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(performance.now() - begun).toBeLessThan(250);
    expect(session.getHistory().at(-1)).toMatchObject({ role: "tool", errorCode: "aborted" });
    await session.shutdown();
  });

  it("ask a model and an agent, in which no hook runs", async () => {
    const asked: string[] = [];
    const provider = new ScriptedProvider([
      { toolCalls: [echoCall("x")] },
      ({ messages }) => {
        asked.push(String(messages.at(-1)?.content));
        return { text: '{"ok": false, "reason": "the model says no"}' };
      },
      { text: "ok" },
    ]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
      hooks: {
        PreToolUse: [{ matcher: "echo", hooks: [{ type: "agent", agent: "reviewer" }] }],
      },
    });
    await session.run("go");
    expect(asked[0]).toContain('"tool_name":"echo"');
    expect(session.getHistory().find(({ role }) => role === "tool")?.content).toBe(
      "Blocked by hook: the model says no",
    );
    await session.shutdown();
  });
});

it("a command hook guards a session on this host", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([
      { toolCalls: [echoCall("good", "a"), echoCall("bad", "b")] },
      { text: "ok" },
    ]);
    const session = new Session({
      platform,
      cwd,
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
      hooks: {
        PreToolUse: [
          {
            matcher: "echo",
            hooks: [
              {
                type: "command",
                command: "if grep -q '\"bad\"'; then echo 'bad word' >&2; exit 2; fi",
              },
            ],
          },
        ],
      },
    });
    await session.run("go");
    const results = session.getHistory().filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual([
      "said good",
      "Blocked by hook: bad word",
    ]);
    expect(session.getFullHistory().find(({ type }) => type === "hook-run")?.data).toMatchObject({
      event: "PreToolUse",
      outcome: "blocked",
    });
    await session.shutdown();
  }));
