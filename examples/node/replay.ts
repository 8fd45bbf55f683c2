// Replay in a test: a recorded session runs again without a model, and the first difference fails the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, InteractiveSession, replaySession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";

/** The tool under test. */
const sumTool = (sum: (terms: number[]) => number) =>
  defineTool<{ terms: number[] }>({
    name: "Sum",
    description: "Adds numbers",
    parameters: {
      type: "object",
      properties: { terms: { type: "array", items: { type: "number" } } },
      required: ["terms"],
    },
    access: "none",
    execute: ({ terms }) => String(sum(terms)),
  });
const sum = sumTool((terms) => terms.reduce((total, term) => total + term, 0));

/** Records a session. In earnest a model answers, once, and the lines are stored beside the test. */
async function record(): Promise<string> {
  const provider = new ScriptedProvider([
    { toolCalls: [{ name: "Sum", args: { terms: [2, 3] } }] },
    { text: "It is 5." },
  ]);
  const session = new InteractiveSession({ platform: memoryPlatform(), provider, tools: [sum] });
  await session.submit("What is 2 + 3?");
  const text = await new Response(await session.export()).text();
  await session.shutdown();
  return text;
}

const recording = await record();
const lines = () => new Response(recording).body!;

await test("the session does again what it did", async () => {
  const { events } = await replaySession(lines(), memoryPlatform());
  assert.equal(events.findLast(({ type }) => type === "turn_end")?.type, "turn_end");
});

await test("the tool, run for real, does again what it did", async () => {
  await replaySession(lines(), memoryPlatform(), { tools: "run", toolset: [sum] });
});

await test("a tool that changed is found, and named", async () => {
  const product = sumTool((terms) => terms.reduce((total, term) => total * term, 1));
  await assert.rejects(
    replaySession(lines(), memoryPlatform(), { tools: "run", toolset: [product] }),
    /Entry \d+ \(tool_end\) .*recorded "5", replayed "6"/,
  );
});
