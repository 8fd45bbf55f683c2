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
