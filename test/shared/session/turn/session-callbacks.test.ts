import { InteractiveSession, Session } from "@robota/runtime";
import { type ToolExecution } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

it("reports each tool's start and end once, denied and unknown ones by their end", async () => {
  const reports: ToolExecution[] = [];
  const session = new Session({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([
      {
        toolCalls: [
          echoCall("yes", "a"),
          echoCall("no", "b"),
          { id: "c", name: "nowhere", args: { x: 1 } },
        ],
      },
      { text: "done" },
    ]),
    tools: [echo],
    permissionHandler: (_tool, { text }) => text === "yes",
    onToolExecution: (report) => reports.push(report),
  });
  await session.run("go");
  await session.shutdown();
  expect(reports).toEqual([
    { type: "start", phase: "start", toolName: "echo", toolArgs: { text: "yes" } },
    {
      type: "end",
      phase: "end",
      toolName: "echo",
      toolArgs: { text: "yes" },
      success: true,
      toolResultData: "said yes",
    },
    expect.objectContaining({
      type: "end",
      phase: "end",
      toolName: "echo",
      toolArgs: { text: "no" },
      success: false,
      denied: true,
      errorCode: "permission_denied",
      reason: expect.stringContaining("Permission denied"),
    }),
    expect.objectContaining({
      type: "end",
      phase: "end",
      toolName: "nowhere",
      toolArgs: { x: 1 },
      success: false,
      errorCode: "unknown_tool",
      reason: expect.stringContaining('There is no tool "nowhere"'),
      toolResultData: expect.stringContaining("nowhere"),
    }),
  ]);
});

it("delivers text only to its own session, also when sessions share a provider", async () => {
  const provider = new ScriptedProvider([
    ({ messages }) => ({ text: `for ${JSON.stringify(messages.at(-1)?.content)}`, delayMs: 20 }),
    ({ messages }) => ({ text: `for ${JSON.stringify(messages.at(-1)?.content)}` }),
  ]);
  const heard: Record<string, string> = { one: "", two: "" };
  const sessions = Object.keys(heard).map(
    (name) =>
      new Session({
        platform: memoryPlatform(),
        provider,
        onTextDelta: (delta) => (heard[name] += delta),
      }),
  );
  const [one, two] = sessions;
  await Promise.all([one?.run("one"), two?.run("two")]);
  expect(heard).toEqual({ one: 'for "one"', two: 'for "two"' });
  for (const session of sessions) await session.shutdown();
});

it("reports the same context window everywhere", async () => {
  const usage = { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const session = new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([{ text: "done", usage }]),
    contextWindow: 10_000,
  });
  const reported: number[] = [];
  session.on("context_update", ({ usedTokens }) => reported.push(usedTokens));
  const { contextState } = await session.submit("go");
  expect(contextState).toEqual(session.getContextState());
  expect(contextState).toMatchObject({ usedTokens: 1_200, usedPercentage: 12 });
  expect(reported.at(-1)).toBe(1_200);
  expect((await session.executeCommand("context"))?.data).toMatchObject({ usedTokens: 1_200 });
  const { free, ...parts } = session.getContextBreakdown();
  expect(free).toBe(8_800);
  expect(Object.values(parts).reduce((sum, part) => sum + part)).toBe(1_200);
  await session.shutdown();
});
