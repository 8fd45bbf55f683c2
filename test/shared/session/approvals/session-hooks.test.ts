import { withHost } from "#host";
import { type HooksConfig, InteractiveSession, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import {
  context,
  lastText,
  names,
  on,
  recording,
  sessionWith,
} from "../../../support/hook-support.ts";
import { echo, echoCall, until } from "../../../support/support.ts";
import { turnClock } from "../../../support/time/own-time.ts";

describe("hooks of a session", () => {
  it("receive each event of a turn with a tool once", async () => {
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

  it("receive the resumption of a session", async () => {
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

  it("add their session-start output to the first request, although the run follows at once", async () => {
    const start = on("SessionStart", () => context("SessionStart", "The branch is main."));
    const prompt = on("UserPromptSubmit", () => context("UserPromptSubmit", "It is Monday."));
    const { session, provider } = sessionWith([{ text: "ok" }, { text: "ok" }], {
      ...start,
      ...prompt,
    });
    await session.run("Which day is it?");
    const sent = lastText(provider.requests[0]);
    expect(sent).toMatch(/^Which day is it\?/);
    expect(sent).toContain("The branch is main.");
    expect(sent).toContain("It is Monday.");
    expect(session.getFullHistory()[0]?.data).toMatchObject({ content: "Which day is it?" });
    await session.run("And now?");
    expect(lastText(provider.requests[1])).not.toContain("branch");
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

  it("continue an agent at its end, but not for ever", async () => {
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

  it("receive a failed turn", async () => {
    const { hooks, inputs } = recording();
    const { session } = sessionWith([{ error: "down" }], hooks);
    await expect(session.run("go")).rejects.toThrow("down");
    await session.shutdown();
    expect(inputs.find((input) => input.hook_event_name === "StopFailure")).toMatchObject({
      reason: "PROVIDER_ERROR",
      error: "down",
    });
    expect(names(inputs)).not.toContain("Stop");
  });

  it("run around a compaction, can refuse it, and add text to keep", async () => {
    const { hooks, inputs } = recording();
    const instructed = on("PreCompact", (input) =>
      "custom_instructions" in input && input.custom_instructions === "never"
        ? { decision: "block", reason: "not now" }
        : context("PreCompact", "the names of files"),
    );
    const { session, provider } = sessionWith([{ text: "Hello" }, { text: "What matters" }], {
      ...hooks,
      PreCompact: [...(hooks.PreCompact ?? []), ...(instructed.PreCompact ?? [])],
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

  it("receive a notification when a person is waited for", async () => {
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

  it("end within 250 ms of an abort, and the call is not run", async () => {
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
    using clock = turnClock();
    session.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.ms()).toBeLessThan(250);
    expect(session.getHistory().at(-1)).toMatchObject({ role: "tool", errorCode: "aborted" });
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
