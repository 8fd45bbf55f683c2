import { describe, expect, it } from "vitest";
import { contentText } from "../messages/message.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { Robota } from "./robota.ts";

const FALLBACK = "Maximum rounds reached. Partial results available in conversation history.";
const look = createFunctionTool("look", "Looks", { type: "object" }, () => "seen");
const looks = { toolCalls: [{ name: "look", args: {} }] };

function agentOf(...script: ConstructorParameters<typeof ScriptedProvider>[0][number][]): {
  agent: Robota;
  provider: ScriptedProvider;
} {
  const provider = new ScriptedProvider(script);
  return { agent: new Robota({ provider, tools: [look], systemMessage: "Be brief." }), provider };
}

describe("an empty answer at the end of a run", () => {
  it.each(["", " \n"])("%j is requested again, once and without tools", async (text) => {
    const { agent, provider } = agentOf(looks, { text }, { deltas: ["I saw ", "it."] });
    const shown: string[] = [];
    const result = await agent.run("look", { onTextDelta: (delta) => shown.push(delta) });
    expect(result).toMatchObject({ text: "I saw it.", rounds: 3, interrupted: false });
    expect(shown.slice(-2)).toEqual(["I saw ", "it."]);
    const [, , { messages, options } = { messages: [], options: {} }] = provider.requests;
    expect(options.tools).toBeUndefined();
    expect(messages[0]).toMatchObject({ role: "system", content: "Be brief." });
    expect(messages.at(-1)).toMatchObject({ role: "user" });
    expect(messages.at(-1)?.content).toMatch(/what is incomplete.*the user can follow up/);
    // The extra prompt is not part of the history.
    const said = agent.getHistory().filter(({ role }) => role === "user");
    expect(said.map(({ content }) => contentText(content))).toEqual(["look"]);
  });

  it.each([
    ["has no words either", { text: "" }],
    ["fails", { error: "down" }],
  ])("becomes a text for people when the second one %s", async (_, second) => {
    const { agent, provider } = agentOf(looks, { text: "" }, second);
    const result = await agent.run("look");
    expect(result.text).toBe(FALLBACK);
    expect(result.error).toBeUndefined();
    expect(provider.requests).toHaveLength(3);
  });

  it("is also requested again when there are no tools, and calls in the second answer are not run", async () => {
    const { agent, provider } = agentOf({ text: "" }, { ...looks, text: "Here." });
    expect((await agent.run("go")).text).toBe("Here.");
    expect(provider.requests).toHaveLength(2);
    expect(agent.getHistory().some(({ role }) => role === "tool")).toBe(false);
  });
});

it("requests a final answer after ten rounds of tools by default", async () => {
  const provider = new ScriptedProvider([
    ...Array.from({ length: 10 }, () => looks),
    { text: "Enough." },
  ]);
  const agent = new Robota({ provider, tools: [look] });
  const result = await agent.run("go");
  expect(result).toMatchObject({ text: "Enough.", rounds: 11 });
  const offered = provider.requests.map(({ options }) => options.tools?.length ?? 0);
  expect(offered).toEqual([...Array.from({ length: 10 }, () => 1), 0]);
});
