import { withHost } from "#host";
import {
  contentText,
  type HooksConfig,
  InteractiveSession,
  readTool,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../support/support.ts";

const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Runs a call whose hook has a judge with this answer, and returns the recorded hook runs. */
async function judgedBy(hooks: HooksConfig, answer: string): Promise<unknown[]> {
  const runs: SessionEvent[] = [];
  await withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([
      { toolCalls: [echoCall("x")] },
      { text: answer, usage },
      { text: "done" },
    ]);
    const prices = { input: 1, output: 10 };
    await using session = new InteractiveSession({
      platform,
      cwd,
      provider,
      tools: [echo],
      permissions: { allow: ["echo"] },
      models: [
        { id: provider.model, name: "Judge", contextWindow: 100_000, maxOutput: 1_000, prices },
      ],
      hooks,
    });
    await session.submit("go");
    const last = session.getFullHistory().at(-1)?.seq ?? 0;
    for await (const event of session.events()) {
      if (event.type === "hook_run") runs.push(event);
      if (event.seq >= last) break;
    }
  });
  return runs;
}

const judge = { type: "prompt", judge: true, prompt: "Is it good?" } as const;
const agent = { type: "agent", agent: "judge", config: { systemPrompt: "You judge." } } as const;

it.each([judge, agent])(
  "a judgement of a $type is logged with its reason and its cost",
  async (hook) => {
    const hooks = { PreToolUse: [{ matcher: "echo", hooks: [hook] }] };
    const record = { type: "hook_run", event: "PreToolUse", usage, cost: 0.002 };
    const no = await judgedBy(
      hooks,
      '{"ok": false, "reason": "Not with key sk-ant-api03-abcdefghijklmnopqrstuvwxyz"}',
    );
    expect(no).toMatchObject([
      { ...record, outcome: "blocked", reason: expect.stringContaining("Not with key") },
    ]);
    expect(JSON.stringify(no)).not.toContain("abcdefghij");
    const [yes] = await judgedBy(hooks, '{"ok": true}');
    expect(yes).toMatchObject({ ...record, outcome: "allowed" });
    expect(yes).not.toHaveProperty("reason");
    const [nonsense] = await judgedBy(hooks, "well");
    expect(nonsense).toMatchObject({ ...record, outcome: "failed" });
  },
);

it("a hook without a model has no logged cost", async () => {
  const hooks: HooksConfig = {
    PreToolUse: [
      { hooks: [{ type: "function", run: () => ({ decision: "block", reason: "No" }) }] },
    ],
  };
  const [run] = await judgedBy(hooks, "done");
  expect(run).toMatchObject({ outcome: "blocked" });
  for (const name of ["reason", "usage", "cost"]) expect(run).not.toHaveProperty(name);
});

it("a hook's agent may read before the session's first call of a tool", () =>
  withHost(async ({ platform, cwd }) => {
    await platform.fs.writeFile(`${cwd}/notes.txt`, new TextEncoder().encode("All is well"));
    const provider = new ScriptedProvider([
      { toolCalls: [{ id: "r", name: "Read", args: { filePath: "notes.txt" } }] },
      { text: '{"ok": true}' },
      { text: "done" },
    ]);
    const session = new Session({
      platform,
      cwd,
      provider,
      tools: [readTool],
      hooks: { UserPromptSubmit: [{ hooks: [agent] }] },
    });
    expect(await session.run("go")).toBe("done");
    const [, judged] = provider.requests;
    expect(contentText(judged?.messages.at(-1)?.content ?? "")).toContain("All is well");
    await session.shutdown();
  }));
