import { LOG_EVENTS, readSessionLog, validateSessionLog } from "@robota/runtime/log";
import { describe, expect, it } from "vitest";
import { dataOf, logged, names, remembering, withWire } from "../../../support/log-support.ts";
import { echo, echoCall, endless, stuckProvider } from "../../../support/support.ts";

/** Runs a turn with two calls of a tool and returns its stored entries. */
async function turnWithTools() {
  const { session, storage, entries } = logged(
    [
      { text: "Let me see.", toolCalls: [echoCall("one", "c1"), echoCall("two", "c2")] },
      { deltas: ["All ", "done"] },
    ],
    { tools: [echo], systemMessage: "Be brief.", cwd: "/code" },
  );
  await session.run("Hi");
  await session.shutdown({ reason: "logout" });
  return { storage, log: await entries() };
}

describe("a session's trace", () => {
  it("has every step of a turn with tools, in order", async () => {
    const { storage, log } = await turnWithTools();
    const steps = names(log).filter((event) => !event.endsWith("delta"));
    const call = ["provider_request", "provider_native_raw_payload", "provider_response_raw"];
    const answered = [...call, "provider_response_normalized", "history_mutation"];
    const result = ["tool_execution_result", "history_mutation", "tool_message_committed"];
    expect(steps).toEqual([
      "session_init",
      "pre_run",
      "history_mutation",
      ...answered,
      "tool_batch_started",
      "tool_execution_request",
      "tool_execution_request",
      ...result,
      ...result,
      ...answered,
      "assistant",
      "session_shutdown",
    ]);
    expect(await validateSessionLog(storage, "s")).toEqual([]);
  });

  it("has the beginnings and ends of a session and of a turn", async () => {
    const { log } = await turnWithTools();
    expect(dataOf(log, "session_init")).toMatchObject([
      {
        systemPrompt: "Be brief.",
        systemPromptLength: 9,
        provider: "scripted",
        model: "scripted",
        cwd: "/code",
        toolSchemas: [
          { name: "echo", description: "Says it again", parameters: { type: "object" } },
        ],
      },
    ]);
    expect(dataOf(log, "pre_run")).toMatchObject([
      {
        provider: "scripted",
        nativeWeb: { available: false, enabled: false },
        input: "Hi",
        history: { kind: "history" },
      },
    ]);
    expect(dataOf(log, "assistant")).toMatchObject([
      {
        content: "All done",
        history: { kind: "history" },
        historyStructure: [
          { role: "user", contentLength: 2, hasToolCalls: false, toolCallNames: [] },
          { role: "assistant", hasToolCalls: true, toolCallNames: ["echo", "echo"] },
          { role: "tool" },
          { role: "tool" },
          { role: "assistant", contentLength: 8 },
        ],
      },
    ]);
    expect(dataOf(log, "session_shutdown")).toEqual([{ reason: "logout" }]);
  });

  it("has the provider's requests and answers", async () => {
    const { log } = await turnWithTools();
    const requests = dataOf(log, "provider_request");
    const executionId = requests[0]?.["executionId"];
    expect(executionId).not.toBe("");
    expect(requests).toMatchObject([
      { executionId, round: 1, provider: "scripted", model: "scripted", tools: ["echo"] },
      { executionId, round: 2, messages: { kind: "history" } },
    ]);
    expect(dataOf(log, "provider_response_raw")).toMatchObject([
      { executionId, round: 1, responseKind: "message", response: { content: "Let me see." } },
      { executionId, round: 2, responseKind: "message", response: { content: "All done" } },
    ]);
    expect(dataOf(log, "provider_response_normalized")).toMatchObject([
      { round: 1, toolCallCount: 2, provider: "scripted", message: { role: "assistant" } },
      { round: 2, toolCallCount: 0, model: "scripted" },
    ]);
  });

  it("has tool calls and their results", async () => {
    const { log } = await turnWithTools();
    const executionId = dataOf(log, "provider_request")[0]?.["executionId"];
    expect(dataOf(log, "tool_batch_started")).toMatchObject([
      { mode: "parallel", maxConcurrency: 5, count: 2, toolNames: ["echo", "echo"], round: 1 },
    ]);
    expect(dataOf(log, "tool_execution_request")).toMatchObject([
      {
        toolName: "echo",
        toolCallId: "c1",
        executionId,
        parameters: { text: "one" },
        batchIndex: 0,
        ownerPath: [
          { ownerType: "session", ownerId: "s" },
          { ownerType: "execution", ownerId: executionId },
          { ownerType: "tool", ownerId: "c1" },
        ],
        round: 1,
      },
      { toolCallId: "c2", batchIndex: 1 },
    ]);
    expect(dataOf(log, "tool_execution_result")).toMatchObject([
      {
        toolName: "echo",
        toolCallId: "c1",
        success: true,
        result: "said one",
        metadata: { durationMs: expect.any(Number) },
        batchIndex: 0,
        round: 1,
      },
      { toolCallId: "c2", result: "said two", batchIndex: 1 },
    ]);
    const mutations = dataOf(log, "history_mutation");
    expect(dataOf(log, "tool_message_committed")).toMatchObject([
      { toolCallId: "c1", sequence: mutations[2]?.["sequence"] },
      { toolCallId: "c2", sequence: mutations[3]?.["sequence"] },
    ]);
  });

  it("has a provider's native payloads, its deltas and its own tools", async () => {
    const provider = withWire(["Hel", "lo"]);
    const { session, entries, storage } = logged([], { provider });
    await session.run("Hi");
    const log = await entries();
    expect(dataOf(log, "provider_native_raw_payload")).toMatchObject([
      {
        provider: "wire",
        apiSurface: "messages",
        payloadKind: "request",
        sequence: 0,
        payload: { model: "m", messages: { kind: "omitted", length: 1 } },
        round: 1,
      },
      { payloadKind: "stream_event", sequence: 1, payload: { index: 0, delta: { text: "Hel" } } },
      { payloadKind: "stream_event", sequence: 2, payload: { delta: { text: "lo" } }, round: 1 },
    ]);
    expect(dataOf(log, "provider_stream_raw_delta")).toMatchObject([
      { sequence: 0, delta: { type: "text_delta", text: "Hel" }, round: 1 },
      { sequence: 1, delta: { type: "text_delta", text: "lo" } },
    ]);
    expect(dataOf(log, "text_delta").map(({ delta }) => delta)).toEqual(["Hel", "lo"]);
    expect(dataOf(log, "server_tool")).toMatchObject([{ name: "web_search", query: "news" }]);
    expect(await validateSessionLog(storage, "s")).toEqual([]);
  });

  it("has text on disk while the answer is still streaming", async () => {
    const provider = stuckProvider("First words ", "then ", "noth");
    const { session, storage } = logged([], { provider });
    const running = session.run("Hi").catch(() => undefined);
    let words = "";
    while (words !== "First words then ") {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { entries } = await readSessionLog(storage, "s");
      words = dataOf(entries, "text_delta")
        .map(({ delta }) => delta)
        .join("");
    }
    expect(session.isRunning()).toBe(true);
    session.abort();
    await running;
    await session.shutdown();
    const { entries } = await readSessionLog(storage, "s");
    expect(dataOf(entries, "text_delta").at(-1)?.["delta"]).toBe("noth");
  });

  it("records failures and aborts, and is valid then too", async () => {
    const { tool, began } = endless();
    const { session, storage, entries } = logged(
      [
        { error: "overloaded" },
        { deltas: ["half an "], error: "cut" },
        { toolCalls: [{ id: "e", name: "endless", args: {} }] },
      ],
      { tools: [tool] },
    );
    await expect(session.run("one")).rejects.toThrow();
    await expect(session.run("two")).rejects.toThrow();
    const running = session.run("three").catch(() => undefined);
    await began;
    session.abort();
    await running;
    await session.shutdown();
    const log = await entries();
    expect(await validateSessionLog(storage, "s")).toEqual([]);
    const errors = dataOf(log, "error").map(
      ({ phase, code }) => `${String(phase)} ${String(code)}`,
    );
    expect(errors).toContain("turn ABORTED");
    expect(errors.filter((error) => error.startsWith("turn"))).toHaveLength(3);
    expect(dataOf(log, "assistant")).toEqual([]);
    expect(dataOf(log, "tool_execution_result")).toMatchObject([
      { toolCallId: "e", success: false, errorCode: "aborted" },
    ]);
  });

  it("has exactly the eighteen known events", async () => {
    const logger = remembering();
    const { session } = logged(
      [
        { deltas: ["a ", "b"], toolCalls: [echoCall("x")] },
        { text: "done" },
        { text: "SUMMARY of it" },
      ],
      { logger, tools: [echo] },
    );
    await session.run("Hi");
    await session.compact();
    await expect(session.run("more")).rejects.toThrow();
    await session.shutdown();
    const seen = new Set(logger.given.map(({ event }) => event));
    const web = logged([], { provider: withWire(["x"]), logger });
    await web.session.run("Hi");
    for (const { event } of logger.given) seen.add(event);
    expect([...seen].toSorted()).toEqual([...LOG_EVENTS].toSorted());
    expect(logger.given.find(({ event }) => event === "context_compact")?.data).toEqual({
      trigger: "manual",
      before: expect.objectContaining({
        maxTokens: expect.any(Number),
        usedTokens: expect.any(Number),
        usedPercentage: expect.any(Number),
      }),
      after: expect.objectContaining({ usedTokens: expect.any(Number) }),
    });
  });

  it("costs the same for each turn, however long the conversation is", async () => {
    const { session, storage, entries } = logged([], {
      provider: withWire(["An answer ", "of words."]),
    });
    const size = async (): Promise<number> => {
      let bytes = 0;
      for await (const { value } of storage.read("logs/s")) bytes += value.length;
      for (const key of await storage.keys("logs/")) bytes += (await storage.get(key))?.length ?? 0;
      return bytes;
    };
    const turn = async (): Promise<number> => {
      await entries();
      const before = await size();
      await session.run("A question of some words?");
      await entries();
      return (await size()) - before;
    };
    for (let count = 1; count < 10; count++) await session.run("A question of some words?");
    const early = await turn();
    for (let count = 11; count < 300; count++) await session.run("A question of some words?");
    const late = await turn();
    expect(early).toBeGreaterThan(1000);
    expect(late).toBeLessThan(early * 1.05);
  });
});
