import { type HooksConfig, InteractiveSession } from "@robota/runtime";
import { BUILT_IN_AGENTS } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { agentFile, castOf } from "../../support/agent-support.ts";
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

describe("a hook's agent is the one that it names", () => {
  it("one of a person's files, with its prompt, tools and model", async () => {
    const fields = { description: "Reviews", tools: ["Read"], model: "haiku" };
    const files = { "~/.robota/agents/reviewer.md": agentFile(fields, "You REVIEW with care.") };
    const { of, warnings } = await askedBy("reviewer", "You REVIEW with care.", files);
    expect(of).toMatchObject([
      { system: "You REVIEW with care.", model: "claude-haiku-4-5", tools: ["Read"] },
    ]);
    expect(warnings).toEqual([]);
  });

  it("Explore, which is quick and changes nothing", async () => {
    const { of } = await askedBy("Explore", "You explore files");
    expect(of).toMatchObject([{ model: "claude-haiku-4-5" }]);
    expect(of[0]?.tools).toContain("Read");
    for (const tool of ["Write", "Edit", "Agent"]) expect(of[0]?.tools).not.toContain(tool);
  });

  it("or nobody, and then the hook has failed and says whom there is", async () => {
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

it("has the models of the built-in agents that the specification gives", () => {
  expect(BUILT_IN_AGENTS.map(({ name, model }) => [name, model])).toEqual([
    ["general-purpose", undefined],
    ["Explore", "claude-haiku-4-5"],
    ["Plan", undefined],
  ]);
});
