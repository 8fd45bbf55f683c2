import { createFunctionTool, InteractiveSession, replaySession, Session } from "@robota/runtime";
import { type CompactionEvent } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall, until } from "../../../support/support.ts";
import { turnClock } from "../../../support/time/own-time.ts";

it("replaces the conversation by a summary, and keeps the history", async () => {
  const platform = memoryPlatform();
  const provider = new ScriptedProvider([
    { text: "First answer" },
    { text: "What matters" },
    { text: "Going on" },
  ]);
  const session = new InteractiveSession({ platform, provider });
  await session.submit("A long story ".repeat(100));
  const result = await session.executeCommand("compact", "the story");
  expect(result).toMatchObject({ success: true });
  expect(Number(result?.data?.after)).toBeLessThan(Number(result?.data?.before));
  expect(provider.requests[1]?.messages.at(-1)?.content).toContain("the story");
  expect(provider.requests[1]?.options.tools).toBeUndefined();
  await session.submit("And then?");
  expect(provider.requests[2]?.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "user",
  ]);
  expect(provider.requests[2]?.messages[2]?.content).toBe("[Context Summary]\nWhat matters");
  expect(session.getMessages().map(({ content }) => content)).toContain("First answer");
  await session.shutdown();

  const after = new InteractiveSession({
    platform,
    provider: new ScriptedProvider([{ text: "Still here" }]),
    resumeSessionId: session.sessionId,
  });
  expect((await after.submit("Hello?")).response).toBe("Still here");
  // The history keeps messages that the model only has a summary of, also after later openings.
  expect(after.getMessages().map(({ content }) => content)).toContain("First answer");
  await after.shutdown();
});

it("keeps the conversation when no summary comes", async () => {
  for (const failure of [{ error: "down" }, { text: "" }]) {
    const provider = new ScriptedProvider([
      { text: "First answer" },
      failure,
      { text: "Going on" },
    ]);
    const session = new InteractiveSession({ platform: memoryPlatform(), provider });
    await session.submit("Hi");
    expect(await session.executeCommand("compact")).toMatchObject({ success: false });
    await session.submit("And then?");
    expect(provider.requests[2]?.messages.map(({ content }) => content).slice(1)).toEqual([
      "Hi",
      "First answer",
      "And then?",
    ]);
  }
});

const BIG = { inputTokens: 900, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe("a window that fills up", () => {
  it("is compacted before the next turn, with the configured instructions", async () => {
    const provider = new ScriptedProvider([
      { text: "First answer", usage: BIG },
      { text: "What matters" },
      { text: "Second answer" },
    ]);
    const summaries: string[] = [];
    const reports: CompactionEvent[] = [];
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      contextWindow: 1000,
      compactInstructions: "the names",
      onCompact: (summary) => summaries.push(summary),
      onCompactEvent: (report) => reports.push(report),
    });
    await session.run("A long story ".repeat(20));
    expect(await session.run("And then?")).toBe("Second answer");
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain("the names");
    expect(provider.requests[2]?.messages.slice(-2).map(({ content }) => content)).toEqual([
      "[Context Summary]\nWhat matters",
      "And then?",
    ]);
    expect(summaries).toEqual(["What matters"]);
    const before = {
      maxTokens: 1000,
      usedTokens: 910,
      usedPercentage: 91,
      remainingPercentage: 9,
    };
    expect(reports).toMatchObject([{ trigger: "auto", before, after: { maxTokens: 1000 } }]);
    expect(reports[0]?.after.usedTokens).toBeLessThan(200);
    expect(session.getFullHistory().map(({ type }) => type)).toContain("compaction");
    await session.shutdown();
  });

  it("is compacted within a turn, which continues with its task", async () => {
    const provider = new ScriptedProvider([
      { toolCalls: [echoCall("x")], usage: BIG },
      { text: "What matters" },
      { text: "done", usage: { ...BIG, inputTokens: 50 } },
    ]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      tools: [echo],
      permissionMode: "bypassPermissions",
      contextWindow: 1000,
    });
    expect(await session.run("Fix it")).toBe("done");
    expect(provider.requests[2]?.messages.slice(-2).map(({ content }) => content)).toEqual([
      "[Context Summary]\nWhat matters",
      "Fix it",
    ]);
    await session.shutdown();
  });

  it("drops the text of old tool results first, and keeps it in the log", async () => {
    const platform = memoryPlatform();
    const rounds = 8;
    const calls = Array.from({ length: rounds }, (_, index) => ({
      toolCalls: [{ id: `call-${index}`, name: "long", args: { index } }],
      usage: { ...BIG, inputTokens: 100 + index * 440 },
    }));
    const provider = new ScriptedProvider([...calls, { text: "done", usage: BIG }]);
    const long = createFunctionTool(
      "long",
      "Says much",
      { type: "object", properties: { index: { type: "number" } } },
      async () => "word ".repeat(200),
    );
    const session = new Session({
      platform,
      provider,
      tools: [long],
      permissionMode: "bypassPermissions",
      contextWindow: 4000,
    });
    expect(await session.run("Look at everything")).toBe("done");
    const sent = provider.requests.at(-1)?.messages ?? [];
    const results = sent
      .filter(({ role }) => role === "tool")
      .map(({ content }) => JSON.stringify(content));
    expect(results[0]).toContain("cleared");
    expect(results.at(-1)).toContain("word word");
    const shown = session.getFullHistory().filter(({ type }) => type === "tool");
    expect(shown).toHaveLength(rounds);
    for (const { data } of shown) expect(JSON.stringify(data)).toContain("word word");
    await session.shutdown();

    const again = new Session({
      platform,
      provider: new ScriptedProvider([]),
      sessionId: session.sessionId,
    });
    await again.open();
    expect(again.getHistory()).toEqual(session.getHistory());
    await again.shutdown();
  });

  it("is not compacted by option, and the answer says how to continue", async () => {
    const provider = new ScriptedProvider([{ text: "First answer", usage: BIG }]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      contextWindow: 1000,
      autoCompactThreshold: false,
    });
    await session.run("Hi");
    expect(await session.run("And then?")).toContain("/compact");
    expect(() => session.setAutoCompactThreshold(1.5)).toThrow(/threshold/);
    session.setAutoCompactThreshold(0.5);
    expect(session.getAutoCompactThreshold()).toBe(0.5);
    await session.shutdown();
  });

  it("is not compacted repeatedly without effect", async () => {
    const script = Array.from({ length: 40 }, () => ({ text: "word ".repeat(300), usage: BIG }));
    const provider = new ScriptedProvider(script);
    const session = new Session({ platform: memoryPlatform(), provider, contextWindow: 1000 });
    for (let turn = 0; turn < 8; turn++) await session.run("More");
    const compactions = session.getFullHistory().filter(({ type }) => type === "compaction");
    expect(compactions.length).toBeLessThanOrEqual(2);
    expect(session.getFullHistory().map(({ type }) => type)).toContain("auto-compact-paused");
    await session.shutdown();
  });

  it.each([
    ["a rewind", (session: Session) => session.rewind(session.checkpoints()[0]?.id ?? "")],
    ["another model", (session: Session) => session.setModel("larger")],
  ])("is compacted again after %s, however in vain it was before", async (_, change) => {
    let text = "word ".repeat(300);
    const replies = Array.from({ length: 40 }, () => () => ({ text, usage: BIG }));
    const provider = new ScriptedProvider(replies);
    const session = new Session({ platform: memoryPlatform(), provider, contextWindow: 1000 });
    const kinds = () => session.getFullHistory().map(({ type }) => type);
    do await session.run("More");
    while (!kinds().includes("auto-compact-paused"));
    await change(session);
    text = "word";
    await session.run("Less");
    const before = kinds().length;
    await session.run("Less");
    expect(kinds().slice(before)).toContain("compaction");
    await session.shutdown();
  });

  it("stays unchanged when the summary fails, and the turn continues", async () => {
    const provider = new ScriptedProvider([
      { text: "First answer", usage: { ...BIG, inputTokens: 700 } },
      { error: "down" },
      { text: "Second answer" },
    ]);
    const session = new Session({
      platform: memoryPlatform(),
      provider,
      contextWindow: 1000,
      autoCompactThreshold: 0.5,
    });
    await session.run("Hi");
    expect(await session.run("And then?")).toBe("Second answer");
    expect(session.getHistory().map(({ content }) => content)).toEqual([
      "Hi",
      "First answer",
      "And then?",
      "Second answer",
    ]);
    await session.shutdown();
  });

  it("is not paid for again and again when its summary fails", async () => {
    const full = { ...BIG, inputTokens: 700 };
    const platform = memoryPlatform();
    const provider = new ScriptedProvider([
      { text: "First", usage: full },
      { error: "down" },
      { text: "Second", usage: full },
      { error: "down" },
      { text: "Third", usage: full },
      { text: "Fourth", usage: full },
      { text: "Fifth", usage: full },
    ]);
    const options = { platform, provider, contextWindow: 1000, autoCompactThreshold: 0.5 };
    const session = new Session(options);
    for (const answer of ["First", "Second", "Third", "Fourth"])
      expect(await session.run("Go")).toBe(answer);
    const kinds = (): string[] =>
      session
        .getFullHistory()
        .flatMap(({ type }) => (type.startsWith("auto-compact") ? [type] : []));
    expect(kinds()).toEqual(["auto-compact-failed", "auto-compact-failed", "auto-compact-paused"]);
    await session.shutdown();

    const again = new Session({ ...options, sessionId: session.sessionId });
    expect(await again.run("Go")).toBe("Fifth");
    await again.shutdown();
    const recorded = { storage: platform.storage, sessionId: session.sessionId };
    await replaySession(recorded, memoryPlatform());
  });

  it("ends a compaction within 250 ms of an abort, and keeps the old conversation", async () => {
    const provider = new ScriptedProvider([
      { text: "First answer", usage: BIG },
      { text: "late", delayMs: 5_000 },
    ]);
    const session = new Session({ platform: memoryPlatform(), provider, contextWindow: 1000 });
    await session.run("Hi");
    const running = session.run("And then?");
    await until(() => provider.requests.length === 2);
    using clock = turnClock();
    session.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.ms()).toBeLessThan(250);
    expect(session.getHistory().map(({ content }) => content)).toEqual([
      "Hi",
      "First answer",
      "And then?",
    ]);
    await session.shutdown();
  });
});

it("is reported by its contents", async () => {
  const provider = new ScriptedProvider([
    { toolCalls: [echoCall("x")] },
    { text: "done", usage: { ...BIG, inputTokens: 500 } },
  ]);
  const session = new Session({
    platform: memoryPlatform(),
    provider,
    tools: [echo],
    systemMessage: "Be brief.",
    permissionMode: "bypassPermissions",
    contextWindow: 1000,
  });
  await session.run("go");
  const parts = session.getContextBreakdown();
  const used = parts.system + parts.tools + parts.messages + parts.toolResults;
  expect(used).toBe(session.getContextState().usedTokens);
  expect(parts.free).toBe(1000 - used);
  expect(Math.min(parts.system, parts.tools, parts.toolResults)).toBeGreaterThan(0);
  await session.shutdown();
});
