import {
  createFunctionTool,
  type HookInput,
  type HooksConfig,
  Session,
  type Tool,
} from "@robota/runtime";
import { ExecutionAnalyticsPlugin } from "@robota/runtime/plugins";
import { SILENT_TERMINAL } from "@robota/runtime/ports";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { context, lastText, on, sessionWith } from "../../../support/hook-support.ts";
import { echo, echoCall, until } from "../../../support/support.ts";

/** Rules can tell one text from another. */
const ruledEcho: Tool = {
  name: "echo",
  description: "Says it again",
  parameters: echo.parameters,
  patternArgument: "text",
  execute: (args, context) => echo.execute(args, context),
};

describe("hooks at a tool", () => {
  it("block a tool with a reason for the model, and nothing runs", async () => {
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

  it("that block a call make it a refused one in a plugin's counts, not a failure of the tool", async () => {
    const analytics = new ExecutionAnalyticsPlugin();
    const { session } = sessionWith(
      [{ toolCalls: [echoCall("anything")] }, { text: "ok" }],
      on("PreToolUse", () => ({ decision: "block", reason: "not today" })),
      { tools: [echo], plugins: [analytics] },
    );
    await session.run("go");
    expect((await analytics.summary()).byTool["echo"]).toMatchObject({
      outcomes: { refused: 1, error: 0 },
      errorCodes: { hook_blocked: 1 },
    });
    await session.shutdown();
  });

  it.each([true, false])(
    "deny a request, and end the turn with interrupt: %s",
    async (interrupt) => {
      const errors: string[] = [];
      const hooks = on("PermissionRequest", () => ({
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision: { behavior: "deny", message: "not on Fridays", interrupt },
        },
      }));
      const { session, provider } = sessionWith(
        [{ toolCalls: [echoCall("one"), echoCall("two")] }, { text: "ok" }],
        hooks,
        {
          permissionMode: "default",
          terminal: { ...SILENT_TERMINAL, writeError: (text) => void errors.push(text) },
        },
      );
      const running = session.run("go");
      if (interrupt) await expect(running).rejects.toMatchObject({ name: "AbortError" });
      else expect(await running).toBe("ok");
      expect(provider.requests).toHaveLength(interrupt ? 1 : 2);
      const [one, two] = session.getHistory().filter(({ role }) => role === "tool");
      const denied = {
        errorCode: "permission_denied",
        content: expect.stringContaining("not on Fridays"),
      };
      expect(one).toMatchObject(denied);
      expect(two).toMatchObject(interrupt ? { errorCode: "aborted" } : denied);
      const history = session.getFullHistory();
      const note = history.find(({ type }) => type === "hook-stopped");
      expect(note?.data).toEqual(interrupt ? { reason: "not on Fridays" } : undefined);
      expect(errors).toEqual(interrupt ? ["A hook ended the turn: not on Fridays"] : []);
      // The session goes on with the next prompt.
      if (interrupt) expect(await session.run("again")).toBe("ok");
      await session.shutdown();
    },
  );

  it("never allow a call that a rule denies or asks about, also after they changed the input", async () => {
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
        tools: [ruledEcho],
        permissions: { deny: ["echo(forbidden)"], allow: ["echo(harmless)"] },
        permissionMode: "default",
      },
    );
    await session.run("go");
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ errorCode: "permission_denied" });
    await session.shutdown();
  });

  it("answer a request of the mode, and can make one", async () => {
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

  it("change the input, and the log has the input that ran", async () => {
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

  it("add to a result, object to it, and receive failures", async () => {
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

  it("answer requests in place of a person, and receive denials", async () => {
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

  it("ask a model and an agent, in which no hook runs", async () => {
    const asked: string[] = [];
    const provider = new ScriptedProvider([
      { toolCalls: [echoCall("x")] },
      (request) => {
        asked.push(lastText(request));
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
        PreToolUse: [
          {
            matcher: "echo",
            hooks: [{ type: "agent", agent: "reviewer", config: { systemPrompt: "Review." } }],
          },
        ],
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
