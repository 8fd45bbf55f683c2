import { type HookOutput, type HooksConfig, runHooks } from "@robota/runtime";
import { type HookDefinition, type HookFunctionAnswer, type HookRun } from "@robota/runtime/hooks";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { beforeTool, guards } from "../../support/hook-inputs.ts";
import { turnClock } from "../../support/time/own-time.ts";

function answering(answer: HookFunctionAnswer): HookDefinition {
  return { type: "function", run: () => answer };
}

const decides = (permissionDecision: "allow" | "ask" | "deny", reason?: string): HookOutput => ({
  hookSpecificOutput: {
    permissionDecision,
    ...(reason !== undefined && { permissionDecisionReason: reason }),
  },
});

const before = (config: HooksConfig) => runHooks(config, "PreToolUse", beforeTool());

describe("hooks of one event", () => {
  it("run concurrently, and their results are combined in order", async () => {
    const changes = (value: number): HookOutput => ({
      hookSpecificOutput: { updatedInput: { value }, additionalContext: `context ${value}` },
    });
    // The last one answers first, and none before all of them run.
    let running = 0;
    const all = Promise.withResolvers<void>();
    const changing = (value: number): HookDefinition => ({
      type: "function",
      async run() {
        if (++running === 3) all.resolve();
        await all.promise;
        await new Promise((resolve) => setTimeout(resolve, 40 - value * 10));
        return changes(value);
      },
    });
    const outcome = await before(guards(changing(1), changing(2), changing(3)));
    expect(outcome.warnings).toEqual([]);
    expect(outcome.updatedInput).toEqual({ value: 3 });
    expect(outcome.additionalContext).toBe("context 1\n\ncontext 2\n\ncontext 3");
    expect(outcome.results.map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual([
      changes(1),
      changes(2),
      changes(3),
    ]);
  });

  it.each([
    { said: ["allow", "ask", "allow"], decision: "ask", blocked: false },
    { said: ["deny", "allow"], decision: "deny", blocked: true },
    { said: ["ask", "deny", "allow"], decision: "deny", blocked: true },
    { said: ["allow", "allow"], decision: "allow", blocked: false },
  ] as const)("combine to the strictest of $said", async ({ said, decision, blocked }) => {
    const hooks = said.map((word, index) => answering(decides(word, `${word} ${index}`)));
    const outcome = await before(guards(...hooks));
    expect(outcome).toMatchObject({ permissionDecision: decision, blocked });
    const first = `${decision} ${said.findIndex((word) => word === decision)}`;
    expect(blocked ? outcome.reason : outcome.permissionDecisionReason).toBe(first);
  });

  it("deny when one blocks in any way, whatever others allow", async () => {
    const ways: HookFunctionAnswer[] = [
      { exitCode: 2, stdout: "", stderr: "No" },
      { exitCode: 2, stderr: "No" },
      { decision: "block", reason: "No" },
      { ...decides("deny", "No") },
      { continue: false, stopReason: "No" },
      { hookSpecificOutput: { decision: { behavior: "deny", message: "No" } } },
    ];
    for (const way of ways) {
      const outcome = await before(guards(answering(decides("allow")), answering(way)));
      expect(outcome).toMatchObject({ blocked: true, permissionDecision: "deny", reason: "No" });
    }
  });

  it("may use the legacy word for an allowance", async () => {
    const approve = answering({ decision: "approve", reason: "Known" });
    expect(await before(guards(approve))).toMatchObject({
      permissionDecision: "allow",
      permissionDecisionReason: "Known",
    });
  });

  it("may set the fields of hookSpecificOutput beside it", async () => {
    const misplaced = { exitCode: 0, stdout: '{"permissionDecision": "deny"}', stderr: "" };
    expect(await before(guards(answering(misplaced)))).toMatchObject({ blocked: true });
  });

  it.each([
    ['{"hookSpecificOutput": {"permissionDecision": "block"}}', /permissionDecision must be/],
    ['{"hookSpecificOutput": {"updatedInput": "ls"}}', /updatedInput must be an object/],
    ['{"hookSpecificOutput": {"hookEventName": "Stop"}}', /answered Stop where PreToolUse/],
    ['{"hookSpecificOutput": {"decision": "deny"}}', /decision must be an object/],
    ['{"continue": "no"}', /continue must be true or false/],
  ])("warn of a malformed answer: %s", async (stdout, problem) => {
    const outcome = await before(guards(answering({ exitCode: 0, stdout, stderr: "" })));
    expect(outcome.blocked).toBe(false);
    expect(outcome.warnings).toEqual([expect.stringMatching(problem)]);
  });

  it("allow nothing by a partly unreadable answer", async () => {
    const said = (permissionDecision: string) => ({
      exitCode: 0,
      stdout: `{"hookSpecificOutput": {"permissionDecision": "${permissionDecision}", "updatedInput": "ls"}}`,
      stderr: "",
    });
    expect(await before(guards(answering(said("allow"))))).not.toHaveProperty("permissionDecision");
    expect(await before(guards(answering(said("ask"))))).toMatchObject({
      permissionDecision: "ask",
    });
    expect(await before(guards(answering(said("deny"))))).toMatchObject({ blocked: true });
  });

  it("pass at most as much text to a model as a tool may", async () => {
    const additionalContext = "x".repeat(50_000);
    const long = answering({ hookSpecificOutput: { additionalContext } });
    const loud = answering({ exitCode: 2, stdout: "", stderr: "y".repeat(100_000) });
    const outcome = await before(guards(long, loud));
    expect(outcome.additionalContext?.length).toBeLessThan(30_200);
    expect(outcome.reason?.length).toBeLessThan(30_200);
    expect(outcome.results[1]?.stderr.length).toBe(64 * 1024);
  });

  it("pollute no prototype", async () => {
    const stdout =
      '{"hookSpecificOutput": {"updatedInput": {"__proto__": {"polluted": 1}, "a": 1}}}';
    const { updatedInput } = await before(guards(answering({ exitCode: 0, stdout, stderr: "" })));
    expect(Object.keys(updatedInput ?? {})).toEqual(["a"]);
    expect(Object.assign({}, updatedInput)).not.toHaveProperty("polluted");
  });

  it("cannot change each other's input", async () => {
    const seen: unknown[] = [];
    const input = beforeTool();
    const meddling = (): HookDefinition => ({
      type: "function",
      run(input) {
        seen.push(structuredClone(input));
        if (input.hook_event_name === "PreToolUse") input.tool_input.command = "rm -rf /";
      },
    });
    await runHooks(guards(meddling(), meddling()), "PreToolUse", input);
    expect(seen).toEqual([beforeTool(), beforeTool()]);
    expect(input).toEqual(beforeTool());
  });
});

it("end the agent when one asks to, over others that continue it", async () => {
  const input = {
    session_id: "s-1",
    cwd: "/code",
    hook_event_name: "Stop",
    stop_hook_active: false,
  } as const;
  const goOn = answering({ decision: "block", reason: "Run the tests first" });
  const end = answering({ continue: false, stopReason: "Out of budget" });
  const run = (...hooks: HookDefinition[]) => runHooks({ Stop: [{ hooks }] }, "Stop", input);
  expect(await run(goOn)).toMatchObject({ blocked: true, reason: "Run the tests first" });
  expect(await run(goOn, end)).toMatchObject({
    blocked: false,
    stopped: true,
    stopReason: "Out of budget",
  });
});

it("may replace a tool's result, and allow a retry of a denied call", async () => {
  const call = { tool_name: "Read", tool_input: {}, tool_use_id: "call-1" };
  const base = { session_id: "s-1", cwd: "/code", ...call };
  const replaced = await runHooks(
    { PostToolUse: [{ hooks: [answering({ hookSpecificOutput: { updatedToolOutput: "***" } })] }] },
    "PostToolUse",
    { ...base, hook_event_name: "PostToolUse", tool_response: "secret" },
  );
  expect(replaced.updatedToolOutput).toBe("***");
  const denied = await runHooks(
    { PermissionDenied: [{ hooks: [answering({ hookSpecificOutput: { retry: true } })] }] },
    "PermissionDenied",
    { ...base, hook_event_name: "PermissionDenied", reason: "A rule" },
  );
  expect(denied.retry).toBe(true);
});

describe("a function hook", () => {
  it("that throws has failed, without affecting others", async () => {
    const throwing: HookDefinition = {
      type: "function",
      name: "check",
      run() {
        throw new Error("Out of order, key sk-ant-0123456789abcdef");
      },
    };
    const outcome = await before(guards(throwing, answering(decides("ask"))));
    expect(outcome).toMatchObject({ blocked: false, permissionDecision: "ask" });
    expect(outcome.warnings).toEqual(["function check failed: Out of order, key [REDACTED]"]);
    expect(await before(guards({ ...throwing, onFailure: "block" }))).toMatchObject({
      blocked: true,
    });
  });

  it("is notified of its timeout, and its later output is dropped", async () => {
    let heard = false;
    const slow: HookDefinition = {
      type: "function",
      timeout: 0.05,
      onFailure: "block",
      run: async (_input, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        heard = true;
        throw new Error("too late");
      },
    };
    const outcome = await before(guards(slow));
    expect(heard).toBe(true);
    expect(outcome.blocked).toBe(true);
    expect(outcome.warnings).toEqual(["function run took over 0.05 s"]);
  });

  it("that never settles delays nothing", async () => {
    const deaf: HookDefinition = {
      type: "function",
      timeout: 0.05,
      run: () => new Promise(() => {}),
    };
    using clock = turnClock();
    expect((await before(guards(deaf))).warnings).toHaveLength(1);
    expect(clock.ms()).toBeLessThan(2500);
    const signal = AbortSignal.timeout(50);
    const stopped = runHooks(guards({ ...deaf, timeout: 10 }), "PreToolUse", beforeTool(), {
      signal,
    });
    const begunAt = clock.ms();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.ms() - begunAt).toBeLessThan(500);
  });
});

it("reports every run without secrets", async () => {
  const runs: HookRun[] = [];
  let time = Date.now();
  const platform = memoryPlatform({ files: { "/code/": "" }, now: () => (time -= 3_600_000) });
  const config: HooksConfig = {
    PreToolUse: [
      {
        matcher: "Bash|Edit",
        hooks: [
          { type: "command", command: "exit 2", layer: "project" },
          { type: "function", name: "fine", run: () => {} },
          { type: "function", name: "slow", timeout: 0.01, run: () => new Promise(() => {}) },
        ],
      },
    ],
  };
  await runHooks(config, "PreToolUse", beforeTool(), {
    platform,
    onRun: (run) => runs.push(run),
  });
  const input = JSON.stringify(beforeTool());
  const common = {
    event: "PreToolUse",
    matcher: "Bash|Edit",
    durationMs: expect.any(Number),
    input,
  };
  expect(runs).toHaveLength(3);
  expect(runs).toEqual(
    expect.arrayContaining([
      { ...common, hook: "command exit 2", layer: "project", exitCode: 2, outcome: "blocked" },
      { ...common, hook: "function fine", exitCode: 0, outcome: "allowed" },
      {
        ...common,
        hook: "function slow",
        exitCode: 124,
        outcome: "timed_out",
        output: "Hook took over 0.01 s",
      },
    ]),
  );
  for (const { durationMs } of runs) {
    expect(Number.isInteger(durationMs)).toBe(true);
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(durationMs).toBeLessThan(60_000);
  }
});

it("records what a hook got and answered: the ends of long texts, and no keys", async () => {
  const runs: HookRun[] = [];
  const platform = memoryPlatform({ files: { "/code/": "" } });
  const key = `sk-ant-${"k".repeat(40)}`;
  const hook = { type: "command", command: `echo ${key}; yes word | head -5000; exit 2` } as const;
  await runHooks({ PreToolUse: [{ hooks: [hook] }] }, "PreToolUse", beforeTool(), {
    platform,
    onRun: (run) => runs.push(run),
  });
  const [run] = runs;
  expect(JSON.parse(run?.input ?? "")).toMatchObject({ hook_event_name: "PreToolUse" });
  expect(run?.output).toMatch(/^\[redacted[^]*word$/i);
  expect(run?.output?.length).toBeLessThan(2200);
  expect(JSON.stringify(run)).not.toContain(key);
});
