import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { agentCall, agentFile, castOf } from "../../support/agent-support.ts";
import { CWD, type Files, hostWith, type Script } from "../../support/settings-support.ts";
import { invocations, skillCall, skillFile, toolResults } from "./skill-support.ts";
import { echo, echoCall } from "../../support/support.ts";

const MAIN = "works on a person's files";
const WORKER = "one task for another agent";

function cast(files: Files, scripts: Record<string, Script>, options = {}) {
  const platform = hostWith(files);
  const players = Object.fromEntries(
    Object.entries(scripts).map(([who, script]) => [who, new ScriptedProvider(script)]),
  );
  const { provider, asked } = castOf(players);
  const session = new InteractiveSession({
    platform,
    cwd: CWD,
    provider,
    tools: [echo],
    ...options,
  });
  return { session, platform, asked, players };
}

const FORK = { "~/.robota/skills/count/SKILL.md": skillFile({ context: "fork" }, "Count $1.") };

describe("a forked skill", () => {
  it("is executed by an agent that answers within 500 words, and only its answer is returned", async () => {
    const { session, asked, players } = cast(FORK, {
      [MAIN]: [{ toolCalls: [skillCall("count", { args: "files" })] }, { text: "three" }],
      [WORKER]: [{ text: "I counted three." }],
    });
    expect(await session.submit("how many?")).toMatchObject({ response: "three" });
    expect(toolResults(session)).toEqual(["I counted three."]);
    expect(invocations(session)).toEqual([{ skillName: "count", displayInput: "/count files" }]);
    expect(asked[1]).toMatchObject({ who: WORKER, system: expect.stringContaining("500 words") });
    const told = players[WORKER]?.requests[0]?.messages.find(({ role }) => role === "user");
    expect(told?.content).toContain("Count files.");
    await session.shutdown();
  });

  it("is executed by the agent and the model that it names", async () => {
    const files = {
      "~/.robota/agents/counter.md": agentFile({ description: "Counts" }, "You COUNT"),
      "~/.robota/skills/count/SKILL.md": skillFile({
        context: "fork",
        agent: "counter",
        model: "haiku",
      }),
      "~/.robota/skills/lost/SKILL.md": skillFile({ context: "fork", agent: "contuer" }),
    };
    const { session, asked } = cast(files, {
      [MAIN]: [{ toolCalls: [skillCall("count"), skillCall("lost")] }, { text: "ok" }],
      COUNT: [{ text: "3" }],
    });
    await session.submit("go");
    expect(asked[1]).toMatchObject({ who: "COUNT", model: "claude-haiku-4-5" });
    expect(toolResults(session)).toEqual([
      "3",
      expect.stringContaining('"contuer". Did you mean counter?'),
    ]);
    await session.shutdown();
  });

  it("runs by a person's command, also when the model may not invoke it", async () => {
    const files = {
      "~/.robota/skills/count/SKILL.md": skillFile({
        context: "fork",
        "disable-model-invocation": true,
        "allowed-tools": "echo",
      }),
    };
    const { session, asked } = cast(
      files,
      {
        [MAIN]: [{ toolCalls: [skillCall("count", { args: "x" })] }, { text: "ok" }],
        [WORKER]: [{ toolCalls: [echoCall("1")] }, { text: "done" }],
      },
      { permissionHandler: () => false },
    );
    await session.executeCommand("count", "x");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, WORKER, WORKER, MAIN]);
    expect(toolResults(session)).toEqual(["done"]);
    expect(invocations(session)).toEqual([{ skillName: "count", displayInput: "/count x" }]);
    await session.shutdown();
  });

  it("starts no further one: an agent does not get its tool", async () => {
    const { session, asked } = cast(FORK, {
      [MAIN]: [{ toolCalls: [agentCall(undefined, "go")] }, { text: "ok" }],
      [WORKER]: [{ text: "done" }],
    });
    await session.submit("go");
    expect(asked[0]?.tools).toContain("Skill");
    expect(asked[1]?.tools).not.toContain("Skill");
    await session.shutdown();
  });
});

it("gives an agent a skill's instructions, and none of its permissions", async () => {
  const requested: string[] = [];
  const files = {
    "~/.robota/skills/shout/SKILL.md": skillFile({ "allowed-tools": "echo" }, "SHOUT"),
  };
  const { session, players } = cast(
    files,
    {
      [MAIN]: [{ toolCalls: [agentCall(undefined, "go")] }, { text: "ok" }],
      [WORKER]: [
        { toolCalls: [skillCall("shout")] },
        { toolCalls: [echoCall("1")] },
        { text: "done" },
      ],
    },
    {
      permissionHandler: (tool: string) => {
        requested.push(tool);
        return tool === "Skill";
      },
    },
  );
  await session.submit("go");
  expect(requested).toEqual(["Skill", "echo"]);
  const seen = JSON.stringify(players[WORKER]?.requests.at(-1)?.messages);
  expect(seen).toContain("SHOUT");
  expect(seen).toContain("Permission denied");
  expect(invocations(session)).toEqual([]);
  await session.shutdown();
});
