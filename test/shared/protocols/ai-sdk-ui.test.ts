import { type AiSdkUiChunk, aiSdkUiEncoder } from "@robota/runtime/transports";
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import { describe, expect, it } from "vitest";
import { DOT_PNG } from "../../support/protocols/files.ts";
import { type Recording, recordings, withDrawing } from "../../support/protocols/recordings.ts";

const recorded = await recordings();

function encoded({ events }: Recording): AiSdkUiChunk[] {
  return events.flatMap(aiSdkUiEncoder());
}

/** The messages that the AI SDK's own reader makes of the chunks, as they stand in the end. */
async function read(
  chunks: readonly AiSdkUiChunk[],
): Promise<{ messages: UIMessage[]; errors: unknown[] }> {
  const byId = new Map<string, UIMessage>();
  const errors: unknown[] = [];
  const turns: UIMessageChunk[][] = [];
  for (const chunk of chunks) {
    if (chunk.type === "start") turns.push([]);
    turns.at(-1)?.push(chunk);
  }
  for (const turn of turns) {
    const stream = new ReadableStream<UIMessageChunk>({
      start(controller) {
        for (const chunk of turn) controller.enqueue(chunk);
        controller.close();
      },
    });
    for await (const message of readUIMessageStream({
      stream,
      onError: (error) => errors.push(error),
    }))
      byId.set(message.id, message);
  }
  return { messages: [...byId.values()], errors };
}

async function sceneOf(word: string) {
  const recording = recorded.find(({ name }) => name.includes(word));
  if (!recording) throw new Error(`no scene ${word}`);
  const chunks = encoded(recording);
  const { messages, errors } = await read(chunks);
  const parts = messages.flatMap((message) => message.parts);
  return { recording, chunks, messages, errors, parts };
}

const toolsOf = (parts: UIMessage["parts"]) => parts.filter((part) => part.type === "dynamic-tool");

describe.each(recorded)("of $name", (recording) => {
  it("every chunk is valid by the AI SDK's own schema", async () => {
    const { validate } = await Promise.resolve(uiMessageChunkSchema());
    for (const chunk of JSON.parse(JSON.stringify(encoded(recording))) as unknown[]) {
      expect([await validate?.(chunk), chunk]).toEqual([{ success: true, value: chunk }, chunk]);
    }
  });

  it("each turn is one message, each call ends in a final state", async () => {
    const { messages } = await read(encoded(recording));
    const turns = recording.events.filter(({ type }) => type === "turn_start");
    expect(messages.map(({ id, role }) => [id, role])).toEqual(
      turns.map(({ turnId }) => [turnId, "assistant"]),
    );
    const states = messages.flatMap(({ parts }) => toolsOf(parts).map(({ state }) => state));
    for (const state of states) expect(state).toMatch(/^output-(available|error|denied)$/);
  });
});

it("streams reasoning, words and a tool in steps, and finishes with the usage", async () => {
  const { chunks, parts, messages } = await sceneOf("thinking");
  expect(parts.filter(({ type }) => !type.startsWith("data-"))).toMatchObject([
    { type: "step-start" },
    { type: "reasoning", text: "A file is there. ", state: "done" },
    { type: "text", text: "I look first.", state: "done" },
    {
      type: "dynamic-tool",
      toolName: "Read",
      state: "output-available",
      input: { filePath: "/work/a.txt" },
      output: "     1\talpha",
    },
    { type: "step-start" },
    { type: "text", text: "It says alpha.", state: "done" },
  ]);
  expect(chunks.filter(({ type }) => type === "text-delta")).toMatchObject([
    { delta: "I look first." },
    { delta: "It says " },
    { delta: "alpha." },
  ]);
  expect(messages[0]?.metadata).toMatchObject({
    usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 },
  });
  expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
});

it("asks about a call before its other calls show, and keeps the approval", async () => {
  const { chunks, parts } = await sceneOf("asked about and allowed");
  const asked = chunks.findIndex(({ type }) => type === "tool-approval-request");
  const announced = chunks.slice(0, asked).filter(({ type }) => type === "tool-input-available");
  expect(announced).toMatchObject([{ toolName: "Write" }]);
  expect(chunks[asked]).toMatchObject({
    approvalDescriptor: { tool: "Write", suggestedPattern: "Write(//work/b.txt)" },
  });
  expect(toolsOf(parts)).toMatchObject([
    { toolName: "Write", state: "output-available", approval: { approved: true } },
    { toolName: "Write", state: "output-available", approval: { approved: true } },
    { toolName: "Read", state: "output-available" },
  ]);
});

it("shows an image of a tool in its output, and one of the model as a file", async () => {
  const { parts, recording } = await sceneOf("reads an image");
  expect(toolsOf(parts)).toMatchObject([
    { output: [{ type: "text" }, { type: "image", mediaType: "image/gif" }] },
  ]);
  const { validate } = await Promise.resolve(uiMessageChunkSchema());
  const drawn = withDrawing(recording.events).flatMap(aiSdkUiEncoder());
  for (const chunk of JSON.parse(JSON.stringify(drawn)) as unknown[])
    expect([await validate?.(chunk), chunk]).toEqual([{ success: true, value: chunk }, chunk]);
  const { messages } = await read(drawn);
  expect(messages.at(-1)?.parts.slice(-2)).toEqual([
    expect.objectContaining({ type: "text", text: "It is a dot." }),
    { type: "file", mediaType: "image/png", url: `data:image/png;base64,${DOT_PNG}` },
  ]);
});

it("shows a denial with its reason, and the message sent meanwhile", async () => {
  const { parts } = await sceneOf("person denies");
  expect(toolsOf(parts)).toMatchObject([
    { state: "output-denied", approval: { approved: false, reason: "not this one" } },
  ]);
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: "steering-message",
      parts: [{ type: "text", text: "and be brief" }],
    }),
  );
});

it("tells a denial by rules, a tool's failure and wrong arguments apart", async () => {
  const { parts } = await sceneOf("rules deny");
  const byName = toolsOf(parts).map(({ toolName, state, approval }) => [
    toolName,
    state,
    approval?.isAutomatic,
  ]);
  expect(byName).toEqual(
    expect.arrayContaining([
      ["Bash", "output-denied", true],
      ["Read", "output-error", undefined],
      ["Read", "output-error", undefined],
    ]),
  );
});

it("says that a turn was stopped", async () => {
  const { chunks } = await sceneOf("stopped");
  expect(chunks.slice(-2)).toMatchObject([
    { type: "abort" },
    { type: "finish", finishReason: "interrupted" },
  ]);
});

it("reports a failure as an error, and not as words of the model", async () => {
  const { errors, parts } = await sceneOf("breaks off");
  expect(errors).toMatchObject([
    { message: "the connection broke" },
    { message: "no credit left" },
  ]);
  expect(parts.filter(({ type }) => type === "text")).toMatchObject([{ text: "Half an ans" }]);
});

it("has data parts for the context and for compaction", async () => {
  const { chunks, parts } = await sceneOf("compaction");
  const contexts = parts.filter(({ type }) => type === "data-context");
  expect(contexts).toHaveLength(2);
  expect(contexts[0]).toMatchObject({ data: { maxTokens: 200_000 } });
  expect(chunks).toContainEqual(
    expect.objectContaining({
      type: "data-compaction",
      data: expect.objectContaining({
        trigger: "manual",
        summary: expect.stringContaining("the summary"),
      }),
    }),
  );
});

it("asks for a subagent in a step of its own, so that the waiting call does not hold the answer back", async () => {
  const { parts } = await sceneOf("subagent");
  const order = parts.flatMap((part) =>
    part.type === "step-start" ? ["step"] : part.type === "dynamic-tool" ? [part.toolName] : [],
  );
  expect(order).toEqual(["step", "Agent", "step", "Write", "step"]);
  expect(toolsOf(parts)).toMatchObject([
    { state: "output-available", output: "Written." },
    { state: "output-available", approval: { approved: true } },
  ]);
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: "data-agent",
      data: expect.objectContaining({
        agent: "general-purpose",
        state: "complete",
        response: "Written.",
      }),
    }),
  );
});
