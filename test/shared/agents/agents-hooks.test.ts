import { type HooksConfig, InteractiveSession, replaySession } from "@robota/runtime";
import { BUILT_IN_AGENTS } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import {
  agentCall,
  agentFile,
  agentsOf,
  backgroundCall,
  castOf,
  hold,
  HOLD_CALL,
  MAIN as MAIN_MODEL,
  type Played,
  played,
  WORKER,
} from "../../support/agent-support.ts";
import { CWD, type Files, hostWith } from "../../support/settings-support.ts";
import { echo, echoCall } from "../../support/support.ts";

const MAIN = "Answer";
const YES = [{ text: '{"ok": true}' }];

/** Lists who asked for which approval when a hook before `echo` names an agent. */
async function askedBy(agent: string, word: string, files: Files = {}) {
  const hooks: HooksConfig = {
    PreToolUse: [{ matcher: "echo", hooks: [{ type: "agent", agent }] }],
  };
  const { provider, asked } = castOf({
    [word]: new ScriptedProvider([...YES]),
    "": new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: MAIN }]),
  });
  const session = new InteractiveSession({
    platform: hostWith(files),
    cwd: CWD,
    provider,
    tools: [echo],
    permissions: { allow: ["echo"] },
    hooks,
  });
  const warnings: unknown[] = [];
  session.on("event", (event) => {
    if (event.type === "note" && event.kind === "hook-warning") warnings.push(event.data);
  });
  const { state } = await session.submit("go");
  await session.shutdown();
  return { state, warnings, of: asked.filter(({ who }) => who === word) };
}

describe("an agent hook runs the named agent", () => {
  it("from a person's file, with its prompt, tools and model", async () => {
    const fields = { description: "Reviews", tools: ["Read"], model: "haiku" };
    const files = { "~/.robota/agents/reviewer.md": agentFile(fields, "You REVIEW with care.") };
    const { of, warnings } = await askedBy("reviewer", "You REVIEW with care.", files);
    expect(of).toMatchObject([
      { system: "You REVIEW with care.", model: "claude-haiku-4-5", tools: ["Read"] },
    ]);
    expect(warnings).toEqual([]);
  });

  it("Explore, which is fast and read-only", async () => {
    const { of } = await askedBy("Explore", "You explore files");
    expect(of).toMatchObject([{ model: "claude-haiku-4-5" }]);
    expect(of[0]?.tools).toContain("Read");
    for (const tool of ["Write", "Edit", "Agent"]) expect(of[0]?.tools).not.toContain(tool);
  });

  it("or fails with the list of agents when there is none of that name", async () => {
    const { of, state, warnings } = await askedBy("Explorer", "nobody at all");
    expect(of).toEqual([]);
    expect(state).toBe("complete");
    expect(warnings).toEqual([
      {
        event: "PreToolUse",
        warnings: [expect.stringContaining('There is no agent "Explorer"')],
      },
    ]);
  });
});

it("has the specification's models for the built-in agents", () => {
  expect(BUILT_IN_AGENTS.map(({ name, model }) => [name, model])).toEqual([
    ["general-purpose", undefined],
    ["Explore", "claude-haiku-4-5"],
    ["Plan", undefined],
  ]);
});

describe("a hook that denies the request of an agent and interrupts", () => {
  const hooks: HooksConfig = {
    PermissionRequest: [
      {
        matcher: "echo",
        hooks: [
          {
            type: "function",
            run: () => ({
              hookSpecificOutput: {
                hookEventName: "PermissionRequest",
                decision: { behavior: "deny", message: "not on Fridays", interrupt: true },
              },
            }),
          },
        ],
      },
    ],
  };
  const echoing = { toolCalls: [echoCall("one"), echoCall("two")] };
  const options = { tools: [echo], hooks, permissions: { ask: ["echo"] } };

  async function expectReplayed({ session, platform }: Played): Promise<void> {
    await session.shutdown();
    const { sessionId } = session;
    const { storage } = platform;
    const recorded: string[] = [];
    for await (const { value } of storage.read(`sessions/${sessionId}`))
      recorded.push(new TextDecoder().decode(value));
    const { records } = await replaySession({ storage, sessionId }, memoryPlatform());
    expect(records.map((record) => new TextDecoder().decode(record))).toEqual(recorded);
  }

  it.each([
    ["by the agent", agentCall(undefined, "work"), undefined],
    ["by an agent of the agent", agentCall(undefined, "work"), agentCall("inner", "deeper")],
  ])(
    "ends the whole turn, for a request made %s, and its replay too",
    async (_what, call, below) => {
      const all = played(
        {
          [MAIN_MODEL]: [{ toolCalls: [call] }, { text: "never" }],
          [WORKER]: below
            ? [{ toolCalls: [below] }, { text: "never" }]
            : [echoing, { text: "never" }],
          INNER: [echoing, { text: "never" }],
        },
        {
          ...options,
          permissions: {},
          files: {
            "~/.robota/settings.json": { agentDepth: 2 },
            "~/.robota/agents/inner.md": agentFile({ description: "x" }, "You are the INNER."),
          },
        },
      );
      const { session, asked } = all;
      const stops: unknown[] = [];
      session.on("event", (event) => {
        if (event.type === "note" && event.kind === "hook-stopped") stops.push(event.data);
      });
      expect(await session.submit("go")).toMatchObject({ state: "interrupted" });
      expect(asked.map(({ who }) => who)).toEqual([
        MAIN_MODEL,
        WORKER,
        ...(below ? ["INNER"] : []),
      ]);
      expect(stops).toEqual([{ reason: "not on Fridays", agentId: expect.any(String) }]);
      const [first] = await agentsOf(session);
      expect(first).toMatchObject({ state: "interrupted" });
      await expectReplayed(all);
    },
  );

  it("ends only the agent where no turn waits for it", async () => {
    const held = hold();
    const all = played(
      {
        [MAIN_MODEL]: [{ toolCalls: [backgroundCall("work")] }, { text: "started" }],
        [WORKER]: [{ toolCalls: [HOLD_CALL] }, echoing, { text: "never" }],
      },
      {
        ...options,
        tools: [echo, held.tool],
        permissions: { ask: ["echo"], allow: ["hold"] },
      },
    );
    const { session } = all;
    const ended = new Promise<object>((resolve) =>
      session.on("event", (event) => event.type === "agent_end" && resolve(event)),
    );
    expect(await session.submit("go")).toMatchObject({ state: "complete", response: "started" });
    held.release();
    expect(await ended).toMatchObject({ state: "failed" });
    await expectReplayed(all);
  });
});
