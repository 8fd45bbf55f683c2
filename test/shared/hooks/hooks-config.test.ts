import { runHooks } from "@robota/runtime";
import {
  checkHooks,
  HOOK_EVENTS,
  type HookDefinition,
  hooksOfLayer,
  hookWarnings,
  mergeHooks,
} from "@robota/runtime/hooks";
import { describe, expect, it } from "vitest";
import { beforeTool } from "../../support/hook-inputs.ts";
import { expectWithin } from "../../support/time/own-time.ts";

const command = (text: string): HookDefinition => ({ type: "command", command: text });

/** True when the hooks of a group with this matcher run for a tool. */
async function matches(matcher: string | undefined, toolName: string) {
  let ran = false;
  const hooks: HookDefinition[] = [{ type: "function", run: () => void (ran = true) }];
  const group = { hooks, ...(matcher !== undefined && { matcher }) };
  const input = beforeTool("/code", toolName);
  const { warnings } = await runHooks({ PreToolUse: [group] }, "PreToolUse", input);
  return { ran, warnings };
}

describe("a matcher", () => {
  it.each([
    ["", "Bash", true],
    ["*", "Bash", true],
    [undefined, "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "bash", false],
    ["Edit", "NotebookEdit", false],
    ["Edit|Write", "Write", true],
    ["Edit | Write", "Write", true],
    ["Edit|Write", "WriteAll", false],
    ["mcp__.*", "mcp__files__read", true],
    ["mcp__.*", "my_mcp__files", true],
    ["^mcp__.*", "my_mcp__files", false],
    ["mcp__", "mcp__files__read", true],
    ["mcp__files", "mcp__files__read", true],
    ["mcp__files__", "mcp__files__read", true],
    ["mcp__files__read", "mcp__files__read_all", false],
    ["mcp__files", "Bash", false],
    ["^Notebook", "NotebookEdit", true],
    ["Notebook", "NotebookEdit", false],
    ["[A-Z]", "Bash", true],
    ["[A-Z]", "mcp__a__b", false],
    ["Bash|^Web", "WebFetch", true],
    ["mcp__(files|web)__\\w+", "mcp__web__get", true],
    [".*Edit", "NotebookEdit", true],
    ["^(?:a|b.*)$", "ax", false],
    ["(?i)bash", "Bash", true],
  ] as const)("%j matches the tool %s: %s", async (matcher, toolName, expected) => {
    expect(await matches(matcher, toolName)).toEqual({ ran: expected, warnings: [] });
  });

  it.each(["Bash(", "a)(b", "^(?!Read$).*", "(?<=B)ash", "(a)\\1", "[z-a]", "(a|b)".repeat(1000)])(
    "that is invalid is refused: %s",
    async (matcher) => {
      const refusal = {
        code: "VALIDATION_ERROR",
        message: expect.stringContaining("PreToolUse[0].matcher"),
        hint: expect.stringContaining("Edit|Write"),
      };
      await expect(matches(matcher, "Bash")).rejects.toMatchObject(refusal);
      const group = { matcher, hooks: [command("true")] };
      const found = await hookWarnings({ PreToolUse: [group] });
      expect(found).toMatchObject([
        { path: "PreToolUse[0].matcher", message: expect.stringContaining("can't be read") },
      ]);
    },
  );

  it("that is invalid is refused by checkHooks as far as possible without the engine", () => {
    const check = (matcher: string) => checkHooks({ PreToolUse: [{ matcher, hooks: [] }] });
    for (const matcher of ["Bash(", "a)(b", "^(?!Read$).*", "(?<!x)y", "(a)\\1", "[z-a]", "a**"])
      expect(() => check(matcher)).toThrow("can't be read");
    const sound = [
      "\\QBash(\\E",
      "[[:alpha:]]+",
      "(?i)bash",
      "(?P<a>x)",
      "(?i:x)y",
      "\\x{42}",
      "\\(?=",
      "\\pL",
    ];
    for (const matcher of sound) expect(check(matcher).PreToolUse).toHaveLength(1);
  });

  it("takes linear time in the name", async () => {
    await expectWithin(2000, async () => {
      for (const matcher of ["(a+)+$", "(a|aa)+$", "^(.*)*x", "(a*)*b"]) {
        expect((await matches(matcher, `${"a".repeat(50_000)}!`)).ran).toBe(false);
      }
    });
  });

  it("matches the field of its event", async () => {
    const runs: string[] = [];
    const hook = (name: string): HookDefinition => ({
      type: "function",
      run: () => void runs.push(name),
    });
    const base = { session_id: "s-1", cwd: "/code" };
    const group = (matcher: string) => ({ matcher, hooks: [hook(matcher)] });
    const config = {
      SessionStart: [group("startup"), group("resume")],
      PreCompact: [group("auto"), group("manual")],
      Stop: [group("has none")],
    };
    const start = { ...base, hook_event_name: "SessionStart", source: "resume" } as const;
    await runHooks(config, "SessionStart", start);
    const compact = { ...base, hook_event_name: "PreCompact", trigger: "auto" } as const;
    await runHooks(config, "PreCompact", compact);
    const stop = { ...base, hook_event_name: "Stop", stop_hook_active: false } as const;
    await runHooks(config, "Stop", stop);
    expect(runs).toEqual(["resume", "auto", "has none"]);
  });
});

describe("a configuration", () => {
  it("has fifteen events", () => {
    expect(HOOK_EVENTS).toHaveLength(15);
    const config = Object.fromEntries(
      HOOK_EVENTS.map((event) => [event, [{ matcher: "", hooks: [command("true")] }]]),
    );
    expect(checkHooks(config)).toEqual(config);
  });

  it("accepts every kind of hook, and drops unknown fields", () => {
    const hooks = [
      { type: "command", command: "true", timeout: 5, onFailure: "block" },
      { type: "http", url: "https://example.com/", method: "PUT", headers: { a: "b" } },
      { type: "prompt", prompt: "Hello", judge: true },
      { type: "agent", agent: "reviewer", config: { deep: { er: 1 } } },
      { type: "acme:chat", room: "ops" },
    ];
    const noted = hooks.map((hook) => ({ ...hook, layer: "user" }));
    const group = { matcher: "Edit|Write", hooks: noted };
    expect(checkHooks({ PreToolUse: [group] })).toEqual({ PreToolUse: [group] });
    const extra = { type: "command", command: "true", statusMessage: "Checking" };
    expect(checkHooks({ Stop: [{ hooks: [extra] }] })).toEqual({
      Stop: [{ matcher: "", hooks: [command("true")] }],
    });
  });

  it.each([
    [[], "hooks must be an object"],
    [null, "hooks must be an object"],
    [{ PreTooluse: [] }, "PreTooluse is not a hook event. Did you mean PreToolUse"],
    [{ constructor: [] }, "constructor is not a hook event"],
    [{ Stop: {} }, "Stop must be a list of groups"],
    [{ Stop: ["x"] }, "Stop[0] must be an object with hooks"],
    [{ Stop: [{ hooks: "x" }] }, "Stop[0].hooks must be a list"],
    [{ Stop: [{ matcher: 1, hooks: [] }] }, "Stop[0].matcher must be a text"],
    [{ Stop: [{ hooks: [null] }] }, "Stop[0].hooks[0] must be an object"],
    [{ Stop: [{ hooks: [{ type: "comand" }] }] }, "Stop[0].hooks[0].type must be one of"],
    [{ Stop: [{ hooks: [{ type: "command" }] }] }, "hooks[0].command must be a text"],
    [{ Stop: [{ hooks: [{ type: "command", command: " " }] }] }, "that is not empty"],
    [{ Stop: [{ hooks: [{ ...command("x"), timeout: "5" }] }] }, "timeout must be a number"],
    [{ Stop: [{ hooks: [{ ...command("x"), timeout: 0 }] }] }, "timeout must be a number"],
    [{ Stop: [{ hooks: [{ ...command("x"), timeout: NaN }] }] }, "timeout must be a number"],
    [{ Stop: [{ hooks: [{ ...command("x"), onFailure: "stop" }] }] }, "onFailure must be one of"],
    [{ Stop: [{ hooks: [{ type: "http", url: "file:///x" }] }] }, "url must be an address"],
    [{ Stop: [{ hooks: [{ type: "http", url: "https://a:b@c.de/" }] }] }, "a user or a password"],
    [
      { Stop: [{ hooks: [{ type: "http", url: "https://c.de/", method: "DELETE" }] }] },
      "method must be one of",
    ],
    [
      { Stop: [{ hooks: [{ type: "http", url: "https://c.de/", headers: { a: 1 } }] }] },
      "headers must have texts",
    ],
    [
      { Stop: [{ hooks: [{ type: "http", url: "https://c.de/", headers: { a: "b\nc: d" } }] }] },
      "headers must be valid in a request",
    ],
    [{ Stop: [{ hooks: [{ type: "function", run: "x" }] }] }, "run must be a function"],
  ])("with an error is refused, with the place: %j", (config, message) => {
    expect(() => checkHooks(config)).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        message: expect.stringContaining(message),
      }),
    );
  });

  it("lists all errors at once", () => {
    const config = { Stopp: [], Stop: [{ hooks: [{ type: "command" }, { type: "http" }] }] };
    expect(() => checkHooks(config)).toThrow(/Stopp.*command must.*url must/);
  });

  it("uses own properties only", async () => {
    const inherited: unknown = Object.create({ PreToolUse: [{ hooks: [command("x")] }] });
    expect(checkHooks(inherited)).toEqual({});
    const hook: unknown = Object.create({ type: "command", command: "x" });
    expect(() => checkHooks({ Stop: [{ hooks: [hook] }] })).toThrow("type must be one of");
    const polluting: unknown = JSON.parse('{"__proto__": {"polluted": []}}');
    expect(() => checkHooks(polluting)).toThrow("__proto__ is not a hook event");
    expect(mergeHooks(polluting as object)).not.toHaveProperty("polluted");
    expect({}).not.toHaveProperty("polluted");
  });

  it.each([
    [{ PreTooluse: [{ hooks: [command("true")] }] }, "Did you mean PreToolUse"],
    [{ PreToolUse: [{ hooks: [{ type: "comand", command: "x" }] }] }, "Did you mean command"],
    [{ PreToolUse: [{ hooks: [{ type: "command" }] }] }, "command must be a text"],
  ])("that is invalid is refused where hooks are run: %j", async (config: object, message) => {
    await expect(runHooks(config, "PreToolUse", beforeTool())).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining(message),
    });
  });

  it("is merged from layers, none of which replaces or weakens another", () => {
    const user = hooksOfLayer("user", { Stop: [{ hooks: [command("a")] }] });
    const project = hooksOfLayer("project", {
      Stop: [{ matcher: "", hooks: [{ ...command("b"), layer: "user" }] }],
      PreToolUse: [{ matcher: "Bash", hooks: [command("c")] }],
    });
    expect(mergeHooks(user, undefined, project)).toEqual({
      Stop: [
        { hooks: [{ ...command("a"), layer: "user" }] },
        { matcher: "", hooks: [{ ...command("b"), layer: "project" }] },
      ],
      PreToolUse: [{ matcher: "Bash", hooks: [{ ...command("c"), layer: "project" }] }],
    });
    expect(mergeHooks()).toEqual({});
  });
});

it("refuses an input of another event", async () => {
  const config = { Stop: [{ hooks: [command("true")] }] };
  await expect(runHooks(config, "Stop", beforeTool())).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
});

it("has no effect when empty", async () => {
  const outcome = await runHooks({ Stop: [] }, "PreToolUse", beforeTool());
  expect(outcome).toEqual({ blocked: false, stopped: false, warnings: [], results: [] });
});
