import {
  InteractiveSession,
  Session,
  type SessionEvent,
  StorageSessionLogger,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import {
  agentCall,
  hold,
  HOLD_CALL,
  MAIN,
  played,
  results,
  WORKER,
  agentsOf,
  transcriptOf,
} from "../../support/agent-support.ts";
import { echo, echoCall } from "../../support/support.ts";

const SECRET = "sk-ant-REDACTED";

/** A session whose agent has said something aloud. */
async function worked(text = "hi") {
  const cast = played(
    {
      [MAIN]: [
        {
          toolCalls: [{ id: "start", ...agentCall(undefined, "say it", { description: "Says" }) }],
        },
        { text: "ok" },
      ],
      [WORKER]: [
        { text: "I try", toolCalls: [echoCall(text, "say")], usage: { inputTokens: 10 } },
        { deltas: ["It ", "is ", "said"], usage: { inputTokens: 20 } },
      ],
    },
    { tools: [echo], permissions: { allow: ["echo"] } },
  );
  const events: SessionEvent[] = [];
  cast.session.on("event", (event) => void events.push(event));
  await cast.session.submit("go");
  return { ...cast, events };
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text();
}

describe("an agent's transcript", () => {
  it("is in the session's events, each with the call that started it, without deltas", async () => {
    const { session, events } = await worked();
    const ofAgent = events.filter(({ parentId }) => parentId !== undefined);
    expect(ofAgent.map(({ type, parentId }) => [type, parentId])).toEqual([
      ["agent_start", "start"],
      ["agent_message", "start"],
      ["agent_message", "start"],
      ["agent_message", "start"],
      ["agent_message", "start"],
      ["agent_end", "start"],
    ]);
    expect(ofAgent[0]).toMatchObject({
      agent: "general-purpose",
      prompt: "say it",
      description: "Says",
      model: "claude-sonnet-4-6",
    });
    expect(ofAgent.at(-1)).toMatchObject({ state: "complete", response: "It is said" });
    const deltas = events.filter(({ type }) => type === "text_delta");
    expect(JSON.stringify(deltas)).not.toContain("is ");
    await session.shutdown();
  });

  it("can be read as a conversation, also after a reload", async () => {
    const { session, platform } = await worked();
    const [agent] = await agentsOf(session);
    expect(agent).toMatchObject({
      agent: "general-purpose",
      parentId: "start",
      isBackground: false,
      state: "complete",
      response: "It is said",
      usage: { inputTokens: 30 },
    });
    expect(agent?.messages).toEqual([
      { role: "user", text: "say it" },
      {
        role: "assistant",
        text: "I try",
        toolCalls: [{ id: "say", name: "echo", args: { text: "hi" } }],
      },
      { role: "tool", text: "said hi", toolCallId: "say", tool: "echo" },
      { role: "assistant", text: "It is said" },
    ]);
    await session.shutdown();
    const again = new InteractiveSession({
      platform,
      provider: new ScriptedProvider([]),
      resumeSessionId: session.sessionId,
    });
    expect(await transcriptOf(again, agent?.id ?? "")).toEqual(agent);
    expect(await transcriptOf(again, "unknown")).toBeUndefined();
    await again.shutdown();
  });

  it("can be read while the agent runs", async () => {
    const held = hold();
    const { session } = played(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "wait")] }, { text: "ok" }],
        [WORKER]: [{ toolCalls: [HOLD_CALL] }, { text: "done" }],
      },
      { tools: [held.tool], permissions: { allow: ["hold"] } },
    );
    const turn = session.submit("go");
    await held.waiting(1);
    const [agent] = await agentsOf(session);
    expect(agent).toMatchObject({ state: "running", response: "" });
    expect(agent?.messages).toHaveLength(2);
    held.release();
    await turn;
    await session.shutdown();
  });

  it("is bounded: long messages are truncated, and late messages of a long conversation have no text", async () => {
    const long = "x".repeat(30_000);
    const calls = Array.from({ length: 60 }, (_, index) =>
      echoCall(`${index}${long}`, `c${index}`),
    );
    const { session } = played(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "talk")] }, { text: "ok" }],
        [WORKER]: [...calls.map((call) => ({ text: long, toolCalls: [call] })), { text: "end" }],
      },
      {
        tools: [echo],
        permissions: { allow: ["echo"] },
        models: [{ id: "claude-sonnet-4-6", name: "", contextWindow: 1e9, maxOutput: 1e6 }],
      },
    );
    await session.submit("go");
    const [agent] = await agentsOf(session);
    const messages = agent?.messages ?? [];
    expect(messages).toHaveLength(122);
    const lengths = messages.map(
      ({ text, toolCalls }) => text.length + JSON.stringify(toolCalls ?? "").length,
    );
    expect(messages[1]?.text.length).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...lengths)).toBeLessThan(24_000);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(1_050_000);
    expect(messages.at(-1)?.text).toBe("[left out: the transcript is full]");
    expect(agent?.response).toBe("end");
    await session.shutdown();
  });

  it("is part of an export, without secrets, and of an import", async () => {
    const { session } = await worked(SECRET);
    expect((await agentsOf(session))[0]?.messages[2]?.text).toContain(SECRET);
    const text = await textOf(await session.export());
    expect(text).toContain('"agent_message"');
    expect(text).not.toContain(SECRET);
    const stream = await session.export();
    await session.shutdown();
    const moved = await InteractiveSession.import(memoryPlatform(), stream, {
      provider: new ScriptedProvider([]),
    });
    const [agent] = await agentsOf(moved);
    expect(agent).toMatchObject({ state: "complete", response: "It is said" });
    expect(agent?.messages).toHaveLength(4);
    await moved.shutdown();
  });

  it("is also written to its own trace when the session has a logger", async () => {
    const platform = memoryPlatform({ files: { "/work/": "" } });
    const { session } = played(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "say")] }, { text: "ok" }],
        [WORKER]: [{ text: "said it" }],
      },
      { platform, logger: new StorageSessionLogger(platform.storage) },
    );
    await session.submit("go");
    const [agent] = await agentsOf(session);
    await session.shutdown();
    const log = `logs/${session.sessionId}/subagents/${agent?.id}`;
    let text = "";
    for await (const { value } of platform.storage.read(log))
      text += new TextDecoder().decode(value);
    expect(text).toContain("said it");
  });

  it("is not kept by a session without storage, which reports so", async () => {
    const session = new Session({ provider: new ScriptedProvider([{ text: "hi" }]) });
    await expect(agentsOf(session)).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: "Give it a platform with storage.",
    });
    await session.shutdown();
  });
});

describe("agents of one message", () => {
  it("run concurrently, five at most, and give their results in the order of the calls", async () => {
    const held = hold();
    const calls = Array.from({ length: 7 }, (_, index) => agentCall(undefined, `part ${index}`));
    const { session } = played(
      {
        [MAIN]: [{ toolCalls: calls }, { text: "all" }],
        [WORKER]: Array.from(
          { length: 14 },
          () =>
            ({ messages }: { messages: readonly { role: string; content: unknown }[] }) => {
              const prompt = String(messages.find(({ role }) => role === "user")?.content);
              const isAsked = messages.some(({ role }) => role === "tool");
              return isAsked ? { text: `did ${prompt}` } : { toolCalls: [HOLD_CALL] };
            },
        ),
      },
      { tools: [held.tool], permissions: { allow: ["hold"] } },
    );
    const turn = session.submit("go");
    await held.waiting(5);
    held.release();
    await turn;
    expect(held.most()).toBe(5);
    expect(results(session)).toEqual(Array.from({ length: 7 }, (_, index) => `did part ${index}`));
    await session.shutdown();
  });
});
