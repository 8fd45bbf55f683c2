import { describe, expect, it } from "vitest";
import { memoryPlatform } from "@robota/shell/testing";
import type { HookDefinition, HooksConfig } from "./definition.ts";
import type { HookInput } from "./events.ts";
import { HookRunner, type HookRunnerOptions } from "./hook-runner.ts";
import { openHooks } from "./open-hooks.ts";
import { NO_OUTCOME } from "./outcome.ts";
import { turnClock } from "../../../../test/support/time/own-time.ts";

function runner(config: HooksConfig, options: Partial<HookRunnerOptions> = {}): HookRunner {
  const platform = memoryPlatform({ files: { "/code/": "" } });
  return new HookRunner(config, { platform, sessionId: "s-1", cwd: () => "/code", ...options });
}

const before = (hook: HookDefinition, matcher = ""): HooksConfig => ({
  PreToolUse: [{ matcher, hooks: [hook] }],
});

const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "call-1" };

describe("the hooks of a session", () => {
  it("receive the session's present state", async () => {
    const reported: HookInput[] = [];
    let cwd = "/code";
    let mode = "default";
    const hooks = runner(before({ type: "function", run: (input) => void reported.push(input) }), {
      cwd: () => cwd,
      permissionMode: () => mode,
      transcriptPath: "/home/user/log",
      agent: { id: "a-1", type: "general" },
    });
    await hooks.run("PreToolUse", call);
    cwd = "/code/inner";
    mode = "plan";
    await hooks.run("PreToolUse", call);
    const common = {
      session_id: "s-1",
      transcript_path: "/home/user/log",
      agent_id: "a-1",
      agent_type: "general",
      hook_event_name: "PreToolUse",
      ...call,
    };
    expect(reported).toEqual([
      { ...common, cwd: "/code", permission_mode: "default" },
      { ...common, cwd: "/code/inner", permission_mode: "plan" },
    ]);
  });

  it("keep the project's directory when the session changes its own", async () => {
    let cwd = "/code";
    const hooks = runner(
      before({ type: "command", command: 'echo "$CLAUDE_PROJECT_DIR" >&2; exit 2' }),
      { cwd: () => cwd },
    );
    cwd = "/home/user";
    expect((await hooks.run("PreToolUse", call)).reason).toBe("/code");
  });

  it("cost nothing when there are none", async () => {
    const hooks = runner(before({ type: "command", command: "true" }, "Edit|Write"), {
      permissionMode: () => expect.fail("Nobody has to ask"),
    });
    expect(hooks.has("Stop")).toBe(false);
    expect(hooks.has("PreToolUse")).toBe(true);
    expect(hooks.has("PreToolUse", "Edit")).toBe(true);
    expect(hooks.has("PreToolUse", "Bash")).toBe(false);
    const stop = { stop_hook_active: false };
    expect(await hooks.run("Stop", stop)).toBe(NO_OUTCOME);
    expect(hooks.run("Stop", stop)).toBe(hooks.run("Stop", stop));
  });

  it("are loaded only when there are some", async () => {
    const options = { sessionId: "s-1", cwd: () => "/code" };
    const config = before({ type: "function", run: () => {} });
    expect(await openHooks(undefined, options)).toBeUndefined();
    expect(await openHooks({}, options)).toBeUndefined();
    expect(await openHooks(config, { ...options, hookDepth: 1 })).toBeUndefined();
    expect((await openHooks(config, options))?.has("PreToolUse")).toBe(true);
  });

  it("may match until a pattern was compiled, and then are certain", async () => {
    const hooks = runner(before({ type: "function", run: () => {} }, "mcp__.*"));
    expect(hooks.has("PreToolUse", "Bash")).toBe(true);
    expect(await hooks.run("PreToolUse", call)).toBe(NO_OUTCOME);
    expect(hooks.has("PreToolUse", "Bash")).toBe(false);
    expect(hooks.has("PreToolUse", "mcp__files__read")).toBe(true);
  });

  it("do not run inside a hook's agent", async () => {
    const config = before({ type: "function", run: () => expect.fail("It must not run") });
    const hooks = runner(config, { hookDepth: 1 });
    expect(hooks.has("PreToolUse")).toBe(false);
    expect(await hooks.run("PreToolUse", call)).toBe(NO_OUTCOME);
  });

  it("end with the turn's abort or the session's end, and later output is dropped", async () => {
    const late = Promise.withResolvers<void>();
    const runs: unknown[] = [];
    let began = 0;
    let answered = 0;
    const hooks = runner(
      before({
        type: "function",
        name: "slow",
        async run() {
          began += 1;
          await late.promise;
          answered += 1;
          throw new Error("Nobody listens");
        },
      }),
      { onRun: ({ hook, exitCode, outcome }) => runs.push([hook, exitCode, outcome]) },
    );
    const controller = new AbortController();
    const settled = async (end: () => void, running: Promise<unknown>): Promise<number> => {
      using clock = turnClock();
      end();
      await expect(running).rejects.toMatchObject({ name: "AbortError" });
      return clock.ms();
    };
    const { signal } = controller;
    const turn = hooks.run("PreToolUse", call, { signal });
    await expect.poll(() => began).toBe(1);
    expect(await settled(() => controller.abort(), turn)).toBeLessThan(450);
    const session = hooks.run("PreToolUse", call);
    await expect.poll(() => began).toBe(2);
    expect(await settled(() => hooks.close(), session)).toBeLessThan(450);
    late.resolve();
    // An unhandled rejection would fail the test run.
    await expect.poll(() => answered).toBe(2);
    const reported = ["function slow", 130, "aborted"];
    expect(runs).toEqual([reported, reported]);
    await expect(hooks.run("PreToolUse", call)).rejects.toMatchObject({ name: "AbortError" });
  });

  it("leave no listeners on their signals", async () => {
    const hooks = runner(before({ type: "function", run: () => {} }));
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    for (let round = 0; round < 20; round += 1) await hooks.run("PreToolUse", call, { signal });
    expect(listeners).toBe(0);
  });
});
