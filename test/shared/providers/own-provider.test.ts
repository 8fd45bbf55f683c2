import { InteractiveSession, type Provider, Robota, type TokenUsage } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

/** A program's own provider, which tells the usage of each answer in its own way. */
function ownProvider(usage: object): Provider {
  return {
    name: "own",
    model: "own-1",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream() {
      yield {
        type: "message",
        message: {
          role: "assistant",
          id: "1",
          timestamp: new Date(0),
          content: "Hi",
          state: "complete",
          usage: usage as TokenUsage,
        },
      };
    },
  };
}

describe.each<[string, object]>([
  ["without its kinds that are none", { inputTokens: 8, outputTokens: 2 }],
  ["with values that are no numbers", { inputTokens: 8, outputTokens: 2, cacheReadTokens: NaN }],
])("usage %s", (_, given) => {
  const usage = { inputTokens: 8, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const exceeded = expect.objectContaining({ code: "BUDGET_EXCEEDED" });

  it("counts under the budget of an agent", async () => {
    const agent = new Robota({ provider: ownProvider(given), budget: { tokens: 10 } });
    expect((await agent.run("Hello")).usage).toEqual(usage);
    expect((await agent.run("Again")).error).toEqual(exceeded);
  });

  it("counts under the budget of a session, and once it is opened again", async () => {
    const platform = memoryPlatform();
    const options = { platform, provider: ownProvider(given), budget: { tokens: 10 } };
    const session = new InteractiveSession(options);
    expect((await session.submit("Hello")).usage).toEqual(usage);
    expect((await session.submit("Again")).error).toEqual(exceeded);
    await session.shutdown();
    const again = new InteractiveSession({ ...options, resumeSessionId: session.sessionId });
    expect((await again.submit("Once more")).error).toEqual(exceeded);
    await again.shutdown();
  });
});

it("an agent's failure is told with the reason that its provider gave", async () => {
  const provider = new ScriptedProvider([
    { toolCalls: [{ name: "Agent", args: { subagent_type: "Explore", prompt: "Look" } }] },
    { error: new Error("The model is being loaded") },
    { text: "Done" },
  ]);
  const session = new InteractiveSession({ platform: memoryPlatform(), provider });
  await session.submit("Go");
  const result = session.getMessages().find(({ role }) => role === "tool");
  expect(result?.content).toBe("The agent did not finish: The model is being loaded");
  await session.shutdown();
});
