import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { type AgUiEvent, agUiEncoder } from "@robota/runtime/transports";
import { describe, expect, it } from "vitest";
import { DOT_PNG } from "../../support/protocols/files.ts";
import { type Recording, recordings, withDrawing } from "../../support/protocols/recordings.ts";

const recorded = await recordings();

function encoded({ events }: Recording): AgUiEvent[] {
  return events.flatMap(agUiEncoder());
}

/** The runs of a recording, each up to its end. */
function runsOf(events: readonly AgUiEvent[]): AgUiEvent[][] {
  const runs: AgUiEvent[][] = [];
  for (const event of events) {
    if (event.type === "RUN_STARTED") runs.push([]);
    runs.at(-1)?.push(event);
  }
  return runs;
}

/** AG-UI's own client, which checks the order of events and makes messages of them, on prepared runs. */
function agentOf(runs: AgUiEvent[][]): HttpAgent {
  const fetch = (): Promise<Response> => {
    const blocks = (runs.shift() ?? []).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response(blocks.join(""), { headers }));
  };
  return new HttpAgent({ url: "http://localhost/", fetch });
}

/** Plays all runs to the client; `seen`: how each ended. */
async function play(events: readonly AgUiEvent[]) {
  const runs = runsOf(events);
  const count = runs.length;
  const agent = agentOf(runs);
  const seen: string[] = [];
  agent.subscribe({
    onRunFinishedEvent: ({ outcome }) => void seen.push(outcome),
    onRunErrorEvent: ({ event }) => void seen.push(event.message),
  });
  for (let index = 0; index < count; index++) {
    const resume = agent.pendingInterrupts.map(({ id: interruptId }) => ({
      interruptId,
      status: "resolved" as const,
    }));
    await agent.runAgent({ resume });
  }
  return { agent, seen };
}

async function sceneOf(word: string) {
  const recording = recorded.find(({ name }) => name.includes(word));
  if (!recording) throw new Error(`no scene ${word}`);
  const events = encoded(recording);
  return { recording, events, ...(await play(events)) };
}

describe.each(recorded)("of $name", (recording) => {
  it("every event is valid by AG-UI's own schema", () => {
    for (const event of JSON.parse(JSON.stringify(encoded(recording))) as unknown[])
      expect(EventSchemas.parse(event)).toEqual(event);
  });

  it("AG-UI's client takes them in this order, run by run", async () => {
    const { seen } = await play(encoded(recording));
    const ends = recording.events.filter(
      ({ type }) => type === "turn_end" || type === "permission_request",
    );
    expect(seen).toHaveLength(ends.length);
  });
});

it("streams reasoning, words and a tool in steps, and counts the usage by model", async () => {
  const { agent, events } = await sceneOf("thinking");
  expect(agent.messages).toMatchObject([
    { role: "reasoning", content: "A file is there. " },
    {
      role: "assistant",
      content: "I look first.",
      toolCalls: [{ function: { name: "Read", arguments: '{"filePath":"/work/a.txt"}' } }],
    },
    { role: "tool", content: "     1\talpha" },
    { role: "assistant", content: "It says alpha." },
  ]);
  expect(events.at(-1)).toMatchObject({
    type: "RUN_FINISHED",
    result: "It says alpha.",
    outcome: { type: "success" },
    usage: [{ provider: "scripted", inputTokens: 12, outputTokens: 5, totalTokens: 17 }],
  });
  expect(events.filter(({ type }) => type === "STEP_STARTED")).toHaveLength(2);
});

it("ends a run with each question, and goes on in the next", async () => {
  const { seen, events, agent } = await sceneOf("asked about and allowed");
  expect(seen).toEqual(["interrupt", "interrupt", "success"]);
  expect(agent.pendingInterrupts).toEqual([]);
  const [first, second] = runsOf(events);
  expect(first?.at(-1)).toMatchObject({
    outcome: {
      interrupts: [{ reason: "tool_call", metadata: { suggestedPattern: "Write(//work/b.txt)" } }],
    },
  });
  expect(second?.slice(0, 2)).toMatchObject([
    { type: "RUN_STARTED" },
    { type: "STATE_SNAPSHOT", snapshot: { pendingPermissions: [] } },
  ]);
});

it("shows an image of a tool in its result, and one of the model beside its words", async () => {
  const { agent, recording } = await sceneOf("reads an image");
  const source = { type: "data", value: btoa("GIF89a dot"), mimeType: "image/gif" };
  expect(agent.messages.find(({ role }) => role === "tool")).toMatchObject({
    content: [
      { type: "text", text: expect.stringContaining("dot.gif") },
      { type: "image", source },
    ],
  });
  const drawn = withDrawing(recording.events).flatMap(agUiEncoder());
  for (const event of JSON.parse(JSON.stringify(drawn)) as unknown[])
    expect(EventSchemas.parse(event)).toEqual(event);
  expect(drawn).toContainEqual(
    expect.objectContaining({
      type: "CUSTOM",
      name: "answer_parts",
      value: {
        messageId: expect.any(String),
        parts: [
          { type: "text", text: "It is a dot." },
          { type: "image", source: { type: "data", value: DOT_PNG, mimeType: "image/png" } },
        ],
      },
    }),
  );
  expect((await play(drawn)).seen).toEqual(["success"]);
});

it("passes a denial on as the call's result, and the message sent meanwhile", async () => {
  const { agent } = await sceneOf("person denies");
  const results = agent.messages.filter(({ role }) => role === "tool");
  expect(results).toMatchObject([{ content: expect.stringContaining("not this one") }]);
  expect(agent.messages).toContainEqual(
    expect.objectContaining({ role: "user", content: "and be brief" }),
  );
});

it("says that a turn was stopped, and that one failed", async () => {
  expect((await sceneOf("stopped")).seen).toEqual(["interrupt", "cancelled"]);
  const { seen, agent } = await sceneOf("breaks off");
  expect(seen).toEqual(["the connection broke", "no credit left"]);
  expect(agent.messages).toMatchObject([{ role: "assistant", content: "Half an ans" }]);
});

it("shares the context's use and the mode as state", async () => {
  const { agent, events } = await sceneOf("compaction");
  expect(agent.state).toMatchObject({
    context: { maxTokens: 200_000, usedTokens: expect.any(Number) },
    permissionMode: "default",
    pendingPermissions: [],
  });
  expect(events.filter(({ type }) => type === "STATE_DELTA").length).toBeGreaterThan(1);
});

it("attributes a subagent's words and calls to it, over the run that its question ended", async () => {
  const { agent, events } = await sceneOf("subagent");
  expect(events.filter(({ type }) => type.startsWith("SUBAGENT_"))).toMatchObject([
    { type: "SUBAGENT_STARTED", name: "general-purpose" },
    {
      type: "SUBAGENT_FINISHED",
      outcome: { type: "suspended", interruptIds: [expect.any(String)] },
    },
    { type: "SUBAGENT_STARTED", name: "general-purpose" },
    { type: "SUBAGENT_FINISHED", outcome: { type: "success" }, result: "Written." },
  ]);
  const own = agent.messages.filter((message) => "subagentRunId" in message);
  expect(own).toMatchObject([
    { role: "assistant", toolCalls: [{ function: { name: "Write" } }] },
    { role: "tool", content: "Created /work/e.txt (1 line)." },
    { role: "assistant", content: "Written." },
  ]);
});
