import { withHost } from "#host";
import { type HookEvent, type HookInput, runHooks } from "@robota/runtime";
import { HOOK_EVENTS } from "@robota/runtime/hooks";
import type { Shell } from "@robota/runtime/ports";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { beforeTool, command, guards } from "../../support/hook-inputs.ts";
import { turnClock } from "../../support/time/own-time.ts";

// The promise is 250 ms; the rest is for a machine that does other things at the same time.
const SETTLED_MS = 450;

/** An input of each event, as a session gives it. */
const tool = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "call-1" };
const base = { session_id: "s-1", cwd: "/code" };
const inputs: HookInput[] = [
  { ...base, hook_event_name: "SessionStart", source: "startup" },
  { ...base, hook_event_name: "UserPromptSubmit", prompt: "Hello" },
  { ...base, hook_event_name: "PreToolUse", ...tool },
  { ...base, hook_event_name: "PermissionRequest", ...tool },
  { ...base, hook_event_name: "PermissionDenied", ...tool, reason: "No" },
  { ...base, hook_event_name: "PostToolUse", ...tool, tool_response: "file" },
  { ...base, hook_event_name: "PostToolUseFailure", ...tool, error: "ENOENT" },
  { ...base, hook_event_name: "SubagentStart", agent_id: "a-1", agent_type: "general" },
  {
    ...base,
    hook_event_name: "SubagentStop",
    agent_id: "a-1",
    agent_type: "general",
    stop_hook_active: false,
  },
  { ...base, hook_event_name: "Notification", message: "Waiting" },
  { ...base, hook_event_name: "PreCompact", trigger: "auto" },
  { ...base, hook_event_name: "PostCompact", trigger: "manual", compact_summary: "Short" },
  {
    ...base,
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: "Done",
    response: "Done",
  },
  { ...base, hook_event_name: "StopFailure", reason: "overloaded" },
  { ...base, hook_event_name: "SessionEnd", reason: "other" },
];
const inputOf = (event: HookEvent): HookInput | undefined =>
  inputs.find((input) => input.hook_event_name === event);

describe("a command hook", () => {
  it("receives each of the fifteen events on stdin", () =>
    withHost(async ({ platform, cwd }) => {
      expect(inputs.map((input) => input.hook_event_name)).toEqual(HOOK_EVENTS);
      for (const input of inputs) {
        const event = input.hook_event_name;
        const config = { [event]: [{ hooks: [command("cat > told.json")] }] };
        const outcome = await runHooks(config, event, { ...input, cwd }, { platform });
        expect(outcome, event).toMatchObject({ blocked: false, warnings: [] });
        const reported = new TextDecoder().decode(await platform.fs.readFile(`${cwd}/told.json`));
        expect(JSON.parse(reported)).toEqual({ ...input, cwd });
      }
    }));

  it("decides by its exit code", () =>
    withHost(async ({ platform, cwd }) => {
      const cases = [
        { says: "exit 0", blocked: false, warnings: [] },
        { says: "echo no >&2; exit 2", blocked: true, reason: "no", warnings: [] },
        { says: "exit 2", blocked: true, reason: "Blocked by command exit 2", warnings: [] },
        { says: "echo hm >&2; exit 1", blocked: false, warnings: [/ended with code 1: hm/] },
        { says: "no-such-guard", blocked: false, warnings: [/ended with code 127/] },
        { says: "echo '{broken'", blocked: false, warnings: [/wrote malformed JSON/] },
      ];
      for (const { says, ...expected } of cases) {
        const config = guards(command(says));
        const outcome = await runHooks(config, "PreToolUse", beforeTool(cwd), { platform });
        const warnings = expected.warnings.map((text) => expect.stringMatching(text));
        expect(outcome, says).toMatchObject({ ...expected, warnings, results: [{}] });
      }
    }));

  it("blocks on failure when configured to", () =>
    withHost(async ({ platform, cwd }) => {
      const failing = [
        "exit 1",
        "no-such-guard",
        "echo '{broken'",
        'echo \'{"decision": "deny"}\'',
      ];
      for (const says of failing) {
        const config = guards(command(says, { onFailure: "block" }));
        const outcome = await runHooks(config, "PreToolUse", beforeTool(cwd), { platform });
        expect(outcome, says).toMatchObject({ blocked: true, permissionDecision: "deny" });
        expect(outcome.reason).toContain("blocks what it guards");
        expect(outcome.warnings).toHaveLength(1);
      }
    }));

  it("ends at its timeout, with a warning or a block", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.shell.load?.();
      for (const onFailure of ["warn", "block"] as const) {
        const config = guards(command("sleep 30", { timeout: 0.2, onFailure }));
        using clock = turnClock();
        const outcome = await runHooks(config, "PreToolUse", beforeTool(cwd), { platform });
        expect(clock.ms()).toBeLessThan(200 + SETTLED_MS);
        expect(outcome.blocked).toBe(onFailure === "block");
        expect(outcome.warnings).toEqual(["command sleep 30 took over 0.2 s"]);
        expect(outcome.results).toEqual([
          { exitCode: 124, stdout: "", stderr: "Hook took over 0.2 s" },
        ]);
      }
    }));

  it("has its whole timeout also where the shell has to be loaded first, unless it is aborted", () =>
    withHost(async ({ platform, cwd }) => {
      const loaded = Promise.withResolvers<void>();
      const { shell } = platform;
      const slow: Shell = {
        kind: shell.kind,
        load: () => loaded.promise,
        exec: async (line, options) => loaded.promise.then(() => shell.exec(line, options)),
      };
      await shell.load?.();
      const run = (signal?: AbortSignal) =>
        runHooks(
          guards(command("echo no >&2; exit 2", { timeout: 2 })),
          "PreToolUse",
          beforeTool(cwd),
          {
            platform: { ...platform, shell: slow },
            signal,
          },
        );
      const running = run();
      const abort = new AbortController();
      const stopped = run(abort.signal);
      abort.abort();
      await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
      using clock = turnClock();
      await expect.poll(() => clock.ms()).toBeGreaterThan(2_500);
      loaded.resolve();
      expect(await running).toMatchObject({ blocked: true, reason: "no", warnings: [] });
    }));

  it("settles soon after an abort, and reports nothing", () =>
    withHost(async ({ platform, cwd }) => {
      const controller = new AbortController();
      const { signal } = controller;
      const running = runHooks(guards(command("sleep 30")), "PreToolUse", beforeTool(cwd), {
        platform,
        signal,
      });
      setTimeout(() => controller.abort(), 100);
      using clock = turnClock();
      await expect(running).rejects.toMatchObject({ name: "AbortError" });
      expect(clock.ms()).toBeLessThan(100 + SETTLED_MS);
      await expect(
        runHooks(guards(command("exit 0")), "PreToolUse", beforeTool(cwd), { platform, signal }),
      ).rejects.toMatchObject({ name: "AbortError" });
    }));

  it("can say more in JSON than by its exit code", () =>
    withHost(async ({ platform, cwd }) => {
      const answer = {
        systemMessage: "Rewritten",
        suppressOutput: true,
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          permissionDecisionReason: "harmless",
          updatedInput: { command: "ls -a" },
          additionalContext: "Hidden files count",
        },
      };
      await platform.fs.writeFile(`${cwd}/answer.json`, JSON.stringify(answer));
      const config = guards(command("cat answer.json"));
      const outcome = await runHooks(config, "PreToolUse", beforeTool(cwd), { platform });
      expect(outcome).toMatchObject({
        blocked: false,
        stopped: false,
        warnings: ["Rewritten"],
        permissionDecision: "allow",
        permissionDecisionReason: "harmless",
        updatedInput: { command: "ls -a" },
        additionalContext: "Hidden files count",
        suppressOutput: true,
      });
    }));

  it("adds its output as text for a prompt and a session's start, and for no other event", () =>
    withHost(async ({ platform, cwd }) => {
      const context = async (event: HookEvent): Promise<string | undefined> => {
        const input = inputOf(event);
        if (!input) throw new Error(`There is no input of ${event}`);
        const config = { [event]: [{ hooks: [command("echo The build is red")] }] };
        return (await runHooks(config, event, { ...input, cwd }, { platform })).additionalContext;
      };
      expect(await context("UserPromptSubmit")).toBe("The build is red");
      expect(await context("SessionStart")).toBe("The build is red");
      expect(await context("PreToolUse")).toBeUndefined();
    }));

  it("has the project's directory, and starts in the session's", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.fs.mkdir(`${cwd}/inner`);
      const says = 'echo "$PWD $CLAUDE_PROJECT_DIR $ROBOTA_PROJECT_DIR" >&2; exit 2';
      const outcome = await runHooks(
        guards(command(says)),
        "PreToolUse",
        beforeTool(`${cwd}/inner`),
        { platform, projectDir: cwd },
      );
      expect(outcome.reason).toBe(`${cwd}/inner ${cwd} ${cwd}`);
    }));

  it("may print 64 KB", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.fs.writeFile(`${cwd}/long.txt`, "x".repeat(100_000));
      const config = guards(command("cat long.txt"));
      const outcome = await runHooks(config, "PreToolUse", beforeTool(cwd), { platform });
      expect(outcome.results[0]?.stdout.length).toBe(64 * 1024);
    }));

  it("runs once, however often it is listed, with the strictest of its options", () =>
    withHost(async ({ platform, cwd }) => {
      const config = {
        PreToolUse: [
          { matcher: "Bash", hooks: [command("echo x >> runs; exit 1")] },
          { matcher: "*", hooks: [command("echo x >> runs; exit 1", { onFailure: "block" })] },
          { matcher: "Edit", hooks: [command("echo y >> runs")] },
        ],
      };
      const outcome = await runHooks(config, "PreToolUse", beforeTool(cwd), { platform });
      expect(outcome.blocked).toBe(true);
      const runs = new TextDecoder().decode(await platform.fs.readFile(`${cwd}/runs`));
      expect(runs).toBe("x\n");
    }));
});

it("keeps keys of commands out of warnings", async () => {
  const config = guards(command("no-such-command --token=x sk-ant-0123456789abcdef"));
  const platform = memoryPlatform({ files: { "/code/": "" } });
  const outcome = await runHooks(config, "PreToolUse", beforeTool(), { platform });
  expect(outcome.warnings).toHaveLength(1);
  expect(JSON.stringify(outcome.warnings)).not.toContain("0123456789abcdef");
});
