import type { PermissionRequest } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import {
  agentCall,
  agentFile,
  MAIN,
  played,
  results,
  WORKER,
  agentsOf,
} from "../../support/agent-support.ts";
import { CWD, settingsOf } from "../../support/settings-support.ts";
import { echo, echoCall } from "../../support/support.ts";

const deep = (agentDepth: number) => ({ "~/.robota/settings.json": { agentDepth } });
const prompts = (name: string) => `You are the ${name}.`;
const inner = { "~/.robota/agents/inner.md": agentFile({ description: "x" }, prompts("INNER")) };
const EXPLORER = "You explore files";

describe("nested agents", () => {
  it("need a person's setting: otherwise the child has no Agent tool", async () => {
    const { session, asked } = played({
      [MAIN]: [{ toolCalls: [agentCall(undefined, "work")] }, { text: "ok" }],
      [WORKER]: [{ text: "worked" }],
    });
    await session.submit("go");
    expect(asked[0]?.tools).toContain("Agent");
    for (const tool of ["Agent", "AgentOutput"]) expect(asked[1]?.tools).not.toContain(tool);
    await session.shutdown();
  });

  it("go as deep as the setting allows, each with its events under the session's call", async () => {
    const { session, asked } = played(
      {
        [MAIN]: [{ toolCalls: [{ id: "top", ...agentCall(undefined, "a") }] }, { text: "ok" }],
        [WORKER]: [{ toolCalls: [agentCall("inner", "b")] }, { text: "outer done" }],
        INNER: [{ text: "inner done" }],
      },
      { files: { ...deep(2), ...inner } },
    );
    await session.submit("go");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, WORKER, "INNER", WORKER, MAIN]);
    const tools = asked.map((request) => request.tools.includes("Agent"));
    expect(tools).toEqual([true, true, false, true, true]);
    const [outer, nested] = await agentsOf(session);
    expect(outer).toMatchObject({ agent: "general-purpose", parentId: "top" });
    expect(outer?.messages[2]).toMatchObject({ role: "tool", tool: "Agent", text: "inner done" });
    expect(nested).toMatchObject({
      agent: "inner",
      parentId: "top",
      startedBy: outer?.id,
      state: "complete",
      response: "inner done",
    });
    await session.shutdown();
  });

  it("are at most three levels deep, and no project sets the depth", async () => {
    for (const agentDepth of [0, 4, 1.5])
      await expect(settingsOf(deep(agentDepth))).rejects.toThrow(
        "agentDepth must be a whole number from 1 to 3",
      );
    const project = { [`${CWD}/.robota/settings.json`]: { agentDepth: 2 } };
    const settings = await settingsOf(project, { trustWorkspace: () => true });
    expect(settings.values.agentDepth).toBeUndefined();
    expect(settings.warnings).toMatchObject([{ setting: "agentDepth" }]);
  });

  it("have at most their parent's tools, and none in the background", async () => {
    const narrow = agentFile({ description: "x", tools: "Agent, Read" }, prompts("NARROW"));
    const closed = agentFile({ description: "x", disallowedTools: "Agent" }, prompts("CLOSED"));
    const { session, asked } = played(
      {
        [MAIN]: [
          { toolCalls: [agentCall("narrow", "a")] },
          { toolCalls: [agentCall("closed", "b")] },
          { toolCalls: [agentCall("Explore", "c")] },
          { text: "ok" },
        ],
        NARROW: [
          { toolCalls: [agentCall("inner", "b", { run_in_background: true })] },
          { toolCalls: [agentCall("inner", "b")] },
          { text: "done" },
        ],
        CLOSED: [{ text: "closed" }],
        [EXPLORER]: [{ text: "explored" }],
        INNER: [{ text: "inner done" }],
      },
      {
        files: {
          ...deep(3),
          ...inner,
          "~/.robota/agents/narrow.md": narrow,
          "~/.robota/agents/closed.md": closed,
        },
      },
    );
    await session.submit("go");
    const toolsOf = (who: string) => asked.find((request) => request.who === who)?.tools;
    expect(toolsOf("NARROW")).toEqual(["Read", "Agent"]);
    expect(toolsOf("INNER")).toEqual(["Read", "Agent"]);
    expect(toolsOf("CLOSED")).not.toContain("Agent");
    expect(toolsOf(EXPLORER)).not.toContain("Agent");
    const agents = await agentsOf(session);
    expect(agents.map(({ agent }) => agent)).toEqual(["narrow", "inner", "closed", "Explore"]);
    await session.shutdown();
  });

  it("request approval in both names, and their usage counts", async () => {
    const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const requests: PermissionRequest[] = [];
    const { session } = played(
      {
        [MAIN]: [
          { toolCalls: [agentCall(undefined, "a")], usage },
          { text: "ok", usage },
        ],
        [WORKER]: [
          { toolCalls: [agentCall("inner", "b")], usage },
          { text: "outer", usage },
        ],
        INNER: [
          { toolCalls: [echoCall("1")], usage },
          { text: "inner", usage },
        ],
      },
      {
        files: { ...deep(2), ...inner },
        tools: [echo],
        permissionHandler: (_tool, _args, request) => requests.push(request) > 0,
      },
    );
    const { usage: used } = await session.submit("go");
    expect(requests).toMatchObject([{ tool: "echo", agent: { type: "general-purpose > inner" } }]);
    expect(used?.inputTokens).toBe(600);
    expect(results(session)).toEqual(["outer"]);
    await session.shutdown();
  });
});
