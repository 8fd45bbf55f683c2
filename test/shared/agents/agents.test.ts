import { withHost } from "#host";
import {
  assembleSubagentPrompt,
  contentText,
  createFunctionTool,
  createSubagentSession,
  type HookInput,
  InteractiveSession,
  type InteractiveSessionOptions,
  type PermissionRequest,
  projectPaths,
  StorageSessionLogger,
  userPaths,
} from "@robota/runtime";
import { BUILT_IN_AGENTS } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { agentCall, agentFile, castOf } from "../../support/agent-support.ts";
import { CWD, type Files, hostWith, type Script } from "../../support/settings-support.ts";
import { echo, echoCall, endless } from "../../support/support.ts";

/** A word in the system message of each: the session's own, and what agents are told. */
const MAIN = "works on a person's files";
const WORKER = "one task for another agent";

/** A session whose model starts agents, and what the models of all of them were asked. */
function cast(
  scripts: Record<string, Script>,
  options: Partial<InteractiveSessionOptions> & { files?: Files; model?: string } = {},
) {
  const { files = {}, model, ...rest } = options;
  const platform = rest.platform ?? hostWith(files);
  const players = Object.fromEntries(
    Object.entries(scripts).map(([who, script]) => [who, new ScriptedProvider(script)]),
  );
  const { provider, asked } = castOf(players, model);
  const session = new InteractiveSession({ platform, cwd: CWD, provider, ...rest });
  return { session, platform, asked, players };
}

const named = (name: string) =>
  createFunctionTool(name, "Does nothing", { type: "object" }, () => "done");

/** The results of the last message's calls. */
function results(session: InteractiveSession): string[] {
  return session
    .getMessages()
    .filter(({ role }) => role === "tool")
    .map(({ content }) => contentText(content));
}

describe("an agent", () => {
  it("does a part of the work in its own session, and reports", async () => {
    const { session, asked, players } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall("general-purpose", "count")] }, { text: "three" }],
        [WORKER]: [{ toolCalls: [echoCall("hi")] }, { text: "I counted three." }],
      },
      { tools: [echo], permissions: { allow: ["echo"] } },
    );
    const { response } = await session.submit("how many?");
    expect(response).toBe("three");
    expect(results(session)).toEqual(["I counted three."]);
    expect(asked.map(({ who }) => who)).toEqual([MAIN, WORKER, WORKER, MAIN]);
    const first = players[WORKER]?.requests[0]?.messages.filter(({ role }) => role !== "system");
    expect(first?.map(({ content }) => content)).toEqual(["count"]);
    expect(asked[1]?.system).toContain("concise report");
    await session.shutdown();
  });

  it("is general-purpose by default, and those of one message run concurrently", async () => {
    let running = 0;
    let most = 0;
    const slow = createFunctionTool("slow", "Takes time", { type: "object" }, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 30));
      running -= 1;
      return "done";
    });
    const call = { name: "slow", args: { text: "" } };
    const { session } = cast(
      {
        [MAIN]: [
          { toolCalls: [agentCall(undefined, "a"), agentCall(undefined, "b")] },
          { text: "both" },
        ],
        [WORKER]: [{ toolCalls: [call] }, { toolCalls: [call] }, { text: "one" }, { text: "two" }],
      },
      { tools: [slow], permissions: { allow: ["slow"] } },
    );
    await session.submit("go");
    expect(results(session).toSorted()).toEqual(["one", "two"]);
    expect(most).toBe(2);
    await session.shutdown();
  });

  it("of an unknown name gives a result with the known names", async () => {
    const { session } = cast({
      [MAIN]: [{ toolCalls: [agentCall("Explorer", "look")] }, { text: "sorry" }],
    });
    await session.submit("go");
    expect(results(session)[0]).toContain('no agent "Explorer". Did you mean Explore?');
    await session.shutdown();
  });

  it("has the model of its definition, or the requested one, if the service has it", async () => {
    const files = {
      "~/.robota/agents/quick.md": agentFile({ description: "Quick", model: "haiku" }, "You QUICK"),
    };
    const script = {
      [MAIN]: [
        { toolCalls: [agentCall("quick", "a"), agentCall("quick", "b", { model: "opus" })] },
        { toolCalls: [agentCall("general-purpose", "c")] },
        { text: "ok" },
      ],
      QUICK: [{ text: "a" }, { text: "b" }],
      [WORKER]: [{ text: "c" }],
    };
    for (const [model, expected] of [
      ["claude-sonnet-4-6", ["claude-haiku-4-5", "claude-opus-5", undefined]],
      ["gpt-5.1", [undefined, undefined, undefined]],
    ] as const) {
      const { session, asked } = cast(script, { files, model });
      await session.submit("go");
      const models = asked.filter(({ who }) => who !== MAIN).map((request) => request.model);
      expect(models).toEqual(expected);
      await session.shutdown();
    }
  });

  it("resolves opus, sonnet and haiku to the newest model of each in the catalog, with known prices", async () => {
    const usage = { inputTokens: 1000, outputTokens: 0 };
    const names = ["opus", "sonnet", "haiku"];
    const { session, asked } = cast({
      [MAIN]: [
        { toolCalls: names.map((model) => agentCall(undefined, "a", { model })) },
        { text: "ok" },
      ],
      [WORKER]: names.map(() => ({ text: "done", usage })),
    });
    await session.submit("go");
    const models = asked.filter(({ who }) => who === WORKER).map(({ model }) => model);
    expect(models).toEqual(["claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5"]);
    for (const { cost } of await (await session.agents()).list()) expect(cost).toBeGreaterThan(0);
    await session.shutdown();
  });

  it("ends with its turn", async () => {
    const { tool, began } = endless();
    const { session } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "wait")] }],
        [WORKER]: [{ toolCalls: [{ name: "endless", args: {} }] }],
      },
      { tools: [tool], permissions: { allow: ["endless"] } },
    );
    const turn = session.submit("go");
    await began;
    session.abort();
    expect(await turn).toMatchObject({ state: "interrupted" });
    await session.shutdown();
  });

  it("that fails is a failed call, and the turn continues", async () => {
    const { session } = cast({
      [MAIN]: [{ toolCalls: [agentCall(undefined, "try")] }, { text: "it failed" }],
      [WORKER]: [{ error: new Error("overloaded") }],
    });
    expect(await session.submit("go")).toMatchObject({ state: "complete", response: "it failed" });
    expect(results(session)[0]).toContain("did not finish");
    await session.shutdown();
  });

  it("has an over-long report truncated, and kept completely in a file", async () => {
    const { session } = cast({
      [MAIN]: [{ toolCalls: [agentCall(undefined, "much")] }, { text: "ok" }],
      [WORKER]: [{ text: "x".repeat(90_000) }],
    });
    await session.submit("go");
    expect(results(session)[0]?.length).toBeLessThan(31_000);
    await session.shutdown();
  });

  it("answers at its limit of rounds", async () => {
    const files = {
      "~/.robota/agents/short.md": agentFile({ description: "x", maxTurns: 1 }, "You SHORT"),
    };
    const { session, players } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall("short", "a")] }, { text: "ok" }],
        SHORT: [{ toolCalls: [echoCall("1")] }, { text: "that far" }],
      },
      { files, tools: [echo], permissions: { allow: ["echo"] } },
    );
    await session.submit("go");
    expect(players["SHORT"]?.requests).toHaveLength(2);
    expect(results(session)[0]).toContain("that far");
    await session.shutdown();
  });

  it("shares the session's budget: the turn ends when both have spent it", async () => {
    const usage = { inputTokens: 500, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const { session, asked } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "a")], usage }, { text: "never" }],
        [WORKER]: [{ toolCalls: [echoCall("1")], usage }, { text: "never" }],
      },
      { tools: [echo], permissions: { allow: ["echo"] }, turnBudget: { tokens: 1000 } },
    );
    const { state, error } = await session.submit("go");
    expect(state).toBe("failed");
    expect(error?.message).toContain("1000 tokens");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, WORKER]);
    await session.shutdown();
  });

  it("works on this host's own files, by their definitions, and its changes can be rewound", () =>
    withHost(async ({ platform, cwd }) => {
      const { fs, home } = platform;
      const write = async (directory: string, name: string, text: string): Promise<void> => {
        await fs.mkdir(directory, { recursive: true });
        await fs.writeFile(`${directory}/${name}`, text);
      };
      const fields = { description: "Notes" };
      await write(
        userPaths(home).agents,
        "noter.md",
        agentFile(fields, "You are the USERS noter."),
      );
      await write(
        projectPaths(cwd).agents,
        "noter.md",
        agentFile(fields, "You are the PROJECTS noter."),
      );
      const note = (filePath: string) => [
        { toolCalls: [{ name: "Write", args: { filePath, content: "noted\n" } }] },
        { text: `wrote ${filePath}` },
      ];
      const { session } = cast(
        {
          [MAIN]: [
            { toolCalls: [agentCall("noter", "x"), agentCall("project:noter", "y")] },
            { text: "ok" },
          ],
          USERS: note("user.txt"),
          PROJECTS: note("project.txt"),
        },
        {
          // A machine of one's own, whatever the host: else the home's agents would be a project's.
          platform: { ...platform, userSettings: "home" },
          cwd,
          permissionMode: "acceptEdits",
          trustWorkspace: () => true,
        },
      );
      await session.submit("go");
      expect(results(session)).toEqual(["wrote user.txt", "wrote project.txt"]);
      expect(new TextDecoder().decode(await fs.readFile(`${cwd}/user.txt`))).toBe("noted\n");
      await session.rewind(session.checkpoints()[0]?.id ?? "", "files");
      for (const name of ["user.txt", "project.txt"])
        await expect(fs.stat(`${cwd}/${name}`)).rejects.toMatchObject({ code: "ENOENT" });
      await session.shutdown();
    }));
});

describe("an agent's permissions", () => {
  it("are requested of the session's own people, who see which agent asks", async () => {
    const { session } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "say")] }, { text: "ok" }],
        [WORKER]: [
          { toolCalls: [echoCall("1")] },
          { toolCalls: [echoCall("2")] },
          { text: "said" },
        ],
      },
      { tools: [echo] },
    );
    const requests: PermissionRequest[] = [];
    session.on("permission_request", (request) => {
      requests.push(request);
      expect(session.pendingPermissions()).toEqual([request]);
      void session.resolvePermission(request.id, { allow: true, scope: "session" });
    });
    await session.submit("go");
    expect(results(session)).toEqual(["said"]);
    // The answer held for the rest of the agent's work too.
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ tool: "echo", agent: { type: "general-purpose" } });
    expect(session.getSessionAllowedTools()).toEqual(["echo"]);
    await session.shutdown();
  });

  it("are denied without an answer, and requested of the session's handler if there is one", async () => {
    const { session } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "say")] }, { text: "ok" }],
        [WORKER]: [{ toolCalls: [echoCall("1")] }, { text: "refused" }],
      },
      { tools: [echo], permissionHandler: (tool) => tool !== "echo" },
    );
    await session.submit("go");
    expect(results(session)).toEqual(["refused"]);
    await session.shutdown();
  });

  it("go through the session's hooks, which know the agent", async () => {
    const inputs: HookInput[] = [];
    const run = (input: HookInput) => void inputs.push(input);
    const group = [{ hooks: [{ type: "function" as const, run }] }];
    const { session } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "say")] }, { text: "ok" }],
        [WORKER]: [{ toolCalls: [echoCall("1")] }, { text: "said" }],
      },
      {
        tools: [echo],
        permissions: { allow: ["echo"] },
        hooks: {
          SessionStart: group,
          UserPromptSubmit: group,
          PreToolUse: group,
          PostToolUse: group,
          SubagentStart: group,
          SubagentStop: group,
          Stop: group,
        },
      },
    );
    await session.submit("go");
    const seen = inputs.map((input) => [
      input.hook_event_name,
      "tool_name" in input ? input.tool_name : undefined,
      input.agent_type,
    ]);
    expect(seen).toEqual([
      ["SessionStart", undefined, undefined],
      ["UserPromptSubmit", undefined, undefined],
      ["PreToolUse", "Agent", undefined],
      ["SubagentStart", undefined, "general-purpose"],
      ["PreToolUse", "echo", "general-purpose"],
      ["PostToolUse", "echo", "general-purpose"],
      ["SubagentStop", undefined, "general-purpose"],
      ["PostToolUse", "Agent", undefined],
      ["Stop", undefined, undefined],
    ]);
    await session.shutdown();
  });

  it("the agent's work is logged in its own trace", async () => {
    const platform = memoryPlatform({ files: { [`${CWD}/`]: "" } });
    const logger = new StorageSessionLogger(platform.storage);
    const { session } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "say")] }, { text: "ok" }],
        [WORKER]: [{ text: "said it" }],
      },
      { platform, logger },
    );
    await session.submit("go");
    const end = session.getFullHistory().length;
    expect(end).toBeGreaterThan(0);
    await session.shutdown();
    let id = "";
    for await (const { value } of platform.storage.read(`sessions/${session.sessionId}`))
      id ||= /"agentId":"([^"]+)"/.exec(new TextDecoder().decode(value))?.[1] ?? "";
    let text = "";
    for await (const { value } of platform.storage.read(
      `logs/${session.sessionId}/subagents/${id}`,
    ))
      text += new TextDecoder().decode(value);
    expect(text).toContain("said it");
  });
});

describe("agent definitions", () => {
  it("are three built-in ones, and those of files, which a person's own may replace", async () => {
    expect(BUILT_IN_AGENTS.map(({ name }) => name)).toEqual(["general-purpose", "Explore", "Plan"]);
    for (const name of ["Explore", "Plan"]) {
      const agent = BUILT_IN_AGENTS.find((each) => each.name === name);
      expect(agent).toMatchObject({ disallowedTools: ["Write", "Edit"], access: "read-only" });
    }
    const own = agentFile({ name: "Plan", description: "Mine", tools: "Read, Glob" }, "You MINE");
    const { session, asked } = cast(
      {
        [MAIN]: [{ toolCalls: [agentCall("Plan", "plan")] }, { text: "ok" }],
        MINE: [{ text: "planned" }],
      },
      {
        files: {
          "~/.robota/agents/plan.md": own,
          "~/.robota/agents/notes.txt": "no agent",
          "~/.robota/agents/broken.md": "no front matter",
          "~/.robota/agents/aliased.md": "---\na: &a [1]\nb: [*a, *a]\n---\nx",
          "~/.robota/agents/toolless.md": agentFile({ description: "x", tools: [1] }),
        },
      },
    );
    await session.submit("go");
    expect(asked[1]).toMatchObject({ who: "MINE", tools: ["Read", "Glob"] });
    expect(session.getSettings()?.warnings.map(({ layer }) => layer)).toEqual([
      "~/.robota/agents/aliased.md",
      "~/.robota/agents/broken.md",
      "~/.robota/agents/toolless.md",
    ]);
    await session.shutdown();
  });

  it("form the prompt in this order: role, the project's instructions, and how to report", () => {
    const parts = { agentBody: "BODY", claudeMd: "CLAUDE", agentsMd: "AGENTS" };
    const prompt = assembleSubagentPrompt(parts);
    expect(prompt).toMatch(
      /^BODY\n\nCLAUDE\n\nAGENTS\n\nYou work for another agent.*concise report/s,
    );
    const worker = assembleSubagentPrompt({ ...parts, isForkWorker: true });
    expect(worker).toMatch(/^BODY\n\nCLAUDE\n\nAGENTS\n\n.*within 500 words/s);
  });

  it("make sessions with at most a hundred rounds, also by a definition with 0", async () => {
    const rounds = Array.from({ length: 100 }, () => ({ toolCalls: [echoCall("x")] }));
    const provider = new ScriptedProvider([...rounds, { text: "so far" }]);
    const definition = { name: "x", description: "x", systemPrompt: "You are x.", maxTurns: 0 };
    const permissions = { allow: ["echo"] };
    const options = {
      platform: memoryPlatform(),
      provider,
      definition,
      tools: [echo],
      permissions,
    };
    const session = createSubagentSession(options);
    expect(await session.run("go")).toBe("so far");
    expect(provider.requests.at(-1)?.options).not.toHaveProperty("tools");
    await session.shutdown();
  });

  it("make sessions that load no settings, for programs that start agents themselves", async () => {
    const platform = hostWith({ "~/.robota/settings.json": "{ broken" });
    const provider = new ScriptedProvider([{ text: "done" }]);
    const session = createSubagentSession({
      platform,
      provider,
      definition: { name: "x", description: "x", systemPrompt: "You are x.", model: "opus" },
      tools: ["echo", "other", "Agent"].map(named),
    });
    expect(await session.run("go")).toBe("done");
    expect(provider.requests[0]?.options?.tools?.map(({ name }) => name)).toEqual([
      "echo",
      "other",
    ]);
    await session.shutdown();
  });
});
