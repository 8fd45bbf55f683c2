import {
  createQuery,
  type HooksConfig,
  InteractiveSession,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { hookWarnings } from "@robota/runtime/hooks";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { on, sessionWith } from "../../support/hook-support.ts";
import { hostWith, openSession, settingsOf } from "../../support/settings-support.ts";
import { echo, echoCall } from "../../support/support.ts";

const USER = "~/.robota/settings.json";
const command = (fields: object = {}) => ({ type: "command", command: "exit 2", ...fields });
const beforeTools = (matcher: string, fields: object = {}) => ({
  PreToolUse: [{ matcher, hooks: [command(fields)] }],
});

const mistakes: [mistake: string, hooks: object, message: RegExp][] = [
  ["list", { PreToolUse: { matcher: "", hooks: [] } }, /./],
  ["event", { PreTolUse: [{ hooks: [command()] }] }, /PreTolUse .* Did you mean PreToolUse /],
  [
    "type",
    { PreToolUse: [{ hooks: [{ type: "comand", command: "x" }] }] },
    /hooks\[0\]\.type must be one of .* Did you mean command\?/,
  ],
  [
    "name of a matcher",
    { PreToolUse: [{ mather: "Bash", hooks: [command()] }] },
    /PreToolUse\[0\]\.mather is not a known field\. Did you mean matcher\?/,
  ],
  [
    "name of a field",
    beforeTools("Bash", { timeOut: 5 }),
    /hooks\[0\]\.timeOut is not a known field\. Did you mean timeout\?/,
  ],
  ["matcher", beforeTools("^(?!Read$).*"), /PreToolUse\[0\]\.matcher .* can't be read/],
  // Only the engine knows of this one.
  ["large matcher", beforeTools("(a{1000}){1000}"), /PreToolUse\[0\]\.matcher .* can't be read/],
];

describe.each(mistakes)("an error in the %s of hooks", (_mistake, config, message) => {
  const hooks = config as HooksConfig;
  const refusal = {
    code: "VALIDATION_ERROR",
    message: expect.stringMatching(message),
    hint: expect.stringContaining("matcher"),
  };

  it("is refused by a session before anything is sent", async () => {
    const { session, provider } = sessionWith([{ text: "never" }], hooks);
    await expect(session.run("go")).rejects.toMatchObject(refusal);
    expect(provider.requests).toEqual([]);
    await session.shutdown();
  });

  it("is refused by an interactive session and by a query", async () => {
    const provider = new ScriptedProvider([{ text: "never" }]);
    const platform = memoryPlatform();
    const session = new InteractiveSession({ platform, provider, hooks });
    await expect(session.ready).rejects.toMatchObject(refusal);
    await session.shutdown();
    const query = createQuery({ platform, provider, hooks });
    await expect(query("go")).rejects.toMatchObject(refusal);
    expect(provider.requests).toEqual([]);
  });
});

describe("a guard in a file with an invalid matcher", () => {
  const run = async (fields: object) => {
    const platform = hostWith({ [USER]: { hooks: beforeTools("^(?!Read$).*", fields) } });
    const { session, provider } = openSession(
      platform,
      { tools: [echo], permissionMode: "bypassPermissions" },
      [{ toolCalls: [echoCall("x")] }, { text: "done" }],
    );
    const notes: unknown[] = [];
    session.on("event", (event: SessionEvent) => {
      if (event.type === "note" && event.kind === "hook-warning") notes.push(event.data);
    });
    await session.submit("go");
    const warnings = session.getSettings()?.warnings;
    const result = provider.requests[1]?.messages.at(-1)?.content;
    await session.shutdown();
    return { warnings, notes, result };
  };

  it("blocks, and is reported where settings are read and in the session", async () => {
    const { warnings, notes, result } = await run({ onFailure: "block" });
    expect(result).toMatch(/^Blocked by hook: .*can't be read/);
    expect(warnings).toEqual([
      {
        layer: USER,
        setting: "hooks.PreToolUse[0].matcher",
        message: expect.stringMatching(/can't be read: .* is blocked$/),
      },
    ]);
    expect(notes[0]).toMatchObject({
      warnings: [expect.stringMatching(/^hooks\.PreToolUse\[0\]\.matcher .* is blocked$/)],
    });
  });

  it("does not run when a failure is only a warning", async () => {
    const { warnings, result } = await run({});
    expect(result).toBe("said x");
    expect(warnings).toMatchObject([{ message: expect.stringContaining("do not run") }]);
  });
});

describe("a matcher that matches nothing", () => {
  it.each([
    ["bash", "Did you mean Bash?"],
    ["^Notebook", "matches nothing"],
    ["Edits|Writes", "Did you mean Write or Edit?"],
  ])("is reported: %s", async (matcher, message) => {
    const { warnings } = await settingsOf({ [USER]: { hooks: beforeTools(matcher) } });
    expect(warnings).toEqual([
      {
        layer: USER,
        setting: "hooks.PreToolUse[0].matcher",
        message: expect.stringContaining(message),
      },
    ]);
  });

  it.each(["Bash", "Edit|MultiEdit|Write", "^Web", "Agent", "mcp__.*", "mcp__github", "", "*"])(
    "is distinguished from %s",
    async (matcher) => {
      const { warnings } = await settingsOf({ [USER]: { hooks: beforeTools(matcher) } });
      expect(warnings).toEqual([]);
    },
  );

  it("is reported in a session, also for a program's hooks", async () => {
    const { session } = sessionWith(
      [{ text: "done" }],
      on("PreToolUse", () => {}, "ecko"),
    );
    const notes: unknown[] = [];
    session.subscribe((event) => {
      if (event.type === "note") notes.push([event.kind, event.data]);
    });
    await session.run("go");
    const message = 'hooks.PreToolUse[0].matcher ("ecko") matches nothing. Did you mean echo?';
    expect(notes).toEqual([["hook-warning", { warnings: [message] }]]);
    await session.shutdown();
  });

  it("is detected for the values of other events and for servers with known tools", async () => {
    const config = {
      SessionStart: [{ matcher: "start|resume", hooks: [command()] }],
      PreCompact: [{ matcher: "automatic", hooks: [command()] }],
      PostToolUse: [{ matcher: "mcp__githb__.*", hooks: [command()] }],
    };
    const paths = async (tools: string[]) =>
      (await hookWarnings(config, { tools })).map(({ path }) => path);
    expect(await paths(["Bash"])).toEqual(["PreCompact[0].matcher"]);
    expect(await paths(["Bash", "mcp__github__list"])).toEqual([
      "PreCompact[0].matcher",
      "PostToolUse[0].matcher",
    ]);
  });
});

describe("a custom type", () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "custom", room: "ops" }] }] };
  const said: unknown[] = [];
  const executors = {
    custom: {
      type: "custom",
      execute: async (hook: object) => {
        said.push(hook);
        return { exitCode: 2, stdout: "", stderr: "nobody agreed" };
      },
    },
  };

  it("needs no colon in a session that has an executor for it, in a file and in the options", async () => {
    const script = [{ toolCalls: [echoCall("x")] }, { text: "done" }];
    const options = {
      tools: [echo],
      permissionMode: "bypassPermissions",
      hookHost: { executors },
    } as const;
    const inFile = openSession(hostWith({ [USER]: { hooks } }), options, script);
    await inFile.session.submit("go");
    const given = sessionWith(script, hooks as object, { hookHost: { executors } });
    await given.session.run("go");
    for (const { session, provider } of [inFile, given]) {
      expect(provider.requests[1]?.messages.at(-1)?.content).toBe("Blocked by hook: nobody agreed");
      await session.shutdown();
    }
    expect(said).toMatchObject([{ room: "ops" }, { room: "ops" }]);
  });

  it("is an error without one, and a guard whose executor is missing blocks and is reported", async () => {
    await expect(settingsOf({ [USER]: { hooks } })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringContaining("type must be one of"),
    });
    const guard = { type: "acme:chat", onFailure: "block" };
    const { session, provider } = openSession(
      hostWith({ [USER]: { hooks: { PreToolUse: [{ hooks: [guard] }] } } }),
      { tools: [echo], permissionMode: "bypassPermissions", hookHost: { executors } },
      [{ toolCalls: [echoCall("x")] }, { text: "done" }],
    );
    await session.submit("go");
    expect(provider.requests[1]?.messages.at(-1)?.content).toMatch(/^Blocked by hook: acme:chat/);
    expect(session.getSettings()?.warnings).toMatchObject([
      { setting: "hooks.PreToolUse[0].hooks[0].type", message: "(acme:chat) has no executor here" },
    ]);
    await session.shutdown();
  });
});

it("passes a function its event's own fields, also by type", async () => {
  const reported: string[] = [];
  const hooks: HooksConfig = {
    PreToolUse: [
      { hooks: [{ type: "function", run: (input) => void reported.push(input.tool_name) }] },
    ],
    UserPromptSubmit: [
      { hooks: [{ type: "function", run: ({ prompt }) => void reported.push(prompt) }] },
    ],
    Stop: [
      { hooks: [{ type: "function", run: (input) => void reported.push(input.response ?? "") }] },
    ],
  };
  const session = new Session({
    provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]),
    tools: [echo],
    permissionMode: "bypassPermissions",
    hooks,
  });
  await session.run("go");
  expect(reported).toEqual(["go", "echo", "done"]);
  await session.shutdown();
});

it("reports a text that is too long for any request", async () => {
  const hooks: HooksConfig = { Stop: [{ hooks: [{ type: "prompt", prompt: "Prefer tests" }] }] };
  const { session } = sessionWith([{ text: "done" }], hooks);
  const notes: unknown[] = [];
  session.subscribe((event) => {
    if (event.type === "note") notes.push(event.data);
  });
  await session.run("go");
  expect(notes).toEqual([
    {
      event: "Stop",
      warnings: [expect.stringContaining("Context from a hook of Stop is dropped")],
    },
  ]);
  await session.shutdown();
});

describe("an http hook to the local machine", () => {
  const origin = "http://127.0.0.1:9999";
  const hooks = { PreToolUse: [{ hooks: [{ type: "http", url: `${origin}/guard` }] }] };
  const result = async (files: Record<string, object>) => {
    const sent: string[] = [];
    const host = hostWith({ [USER]: { hooks }, ...files });
    const platform = {
      ...host,
      fetch: async (input: RequestInfo | URL) => {
        sent.push(input instanceof Request ? input.url : String(input));
        return new Response("No", { status: 403 });
      },
    };
    const { session, provider } = openSession(
      platform,
      { tools: [echo], permissionMode: "bypassPermissions", trustWorkspace: true },
      [{ toolCalls: [echoCall("x")] }, { text: "done" }],
    );
    const notes: unknown[] = [];
    session.on("event", (event: SessionEvent) => {
      if (event.type === "note" && event.kind === "hook-warning") notes.push(event.data);
    });
    await session.submit("go");
    const warnings = session.getSettings()?.warnings;
    await session.shutdown();
    return { sent, notes, warnings, content: provider.requests[1]?.messages.at(-1)?.content };
  };

  it("is refused with the setting that allows it", async () => {
    const { sent, notes, content } = await result({});
    expect([sent, content]).toEqual([[], "said x"]);
    expect(JSON.stringify(notes)).toContain("hookOrigins");
    expect(JSON.stringify(notes)).toContain("~/.robota/settings.json");
  });

  it("is sent when the person's settings allow it", async () => {
    const { sent, content } = await result({ [USER]: { hooks, hookOrigins: [origin] } });
    expect(sent).toEqual([`${origin}/guard`]);
    expect(content).toBe("Blocked by hook: No");
  });

  it("is not sent by a project's setting, trusted or not", async () => {
    const project = { "/work/.robota/settings.json": { hookOrigins: [origin] } };
    const { sent, warnings } = await result(project);
    expect(sent).toEqual([]);
    expect(warnings).toMatchObject(
      [{ layer: ".robota/settings.json", setting: "hookOrigins", message: /is ignored/ }].map(
        ({ message, ...rest }) => ({ ...rest, message: expect.stringMatching(message) }),
      ),
    );
  });
});
