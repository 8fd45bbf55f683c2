import { withHost } from "#host";
import {
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
  replaySession,
} from "@robota/runtime";
import { structuredAnswers } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { agentCall, MAIN, played, WORKER } from "../../support/agent-support.ts";
import { CWD, hostWith, systemText } from "../../support/settings-support.ts";
import { echo, echoCall } from "../../support/support.ts";

/** Options of the sessions below besides their parts. */
type GivenOptions = Pick<
  InteractiveSessionOptions,
  "appendSystemPrompt" | "resumeSessionId" | "sessionId" | "settings" | "systemPrompt"
>;

const ROLE = "You are an agent that works on a person's files";

/** Replays a stored session, and expects the very same record. */
async function expectReplay({ storage }: Pick<Platform, "storage">, sessionId: string) {
  const recorded = await Array.fromAsync(storage.read(`sessions/${sessionId}`));
  const { records } = await replaySession({ storage, sessionId }, memoryPlatform());
  expect(records).toEqual(recorded.map(({ value }) => value));
}

describe("a system prompt given to a session", () => {
  it("replaces the runtime's own sections, and stays until another one is given", async () => {
    await withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([{ text: "a" }, { text: "b" }, { text: "c" }]);
      const sessionId = crypto.randomUUID();
      const told = async (options: GivenOptions): Promise<string> => {
        await using session = new InteractiveSession({ platform, cwd, provider, ...options });
        await session.submit("hi");
        return contentText(provider.requests.at(-1)?.messages[0]?.content ?? "");
      };
      const settings = { language: "Dutch" };
      const first = await told({ sessionId, settings, systemPrompt: "You are a pirate." });
      expect(first).toMatch(/^You are a pirate\./);
      expect(first).toContain("Answer in Dutch.");
      expect(first).not.toContain(ROLE);
      const resumed = { resumeSessionId: sessionId };
      expect(await told({ ...resumed, settings })).toBe(first);
      const last = await told({ ...resumed, settings, appendSystemPrompt: "Rhyme." });
      expect(last).toContain(ROLE);
      expect(last).toContain(`Working directory: ${cwd}.`);
      expect(last).toMatch(/Rhyme\.$/);
      // The record says what each turn was told.
      await expectReplay(platform, sessionId);
    });
  });

  it("is reported with its sections", async () => {
    const provider = new ScriptedProvider([{ text: "a" }]);
    await using session = new InteractiveSession({
      platform: hostWith({}),
      cwd: CWD,
      provider,
      systemPrompt: "You are a pirate.",
      appendSystemPrompt: "Rhyme.",
    });
    await session.submit("hi");
    expect(systemText(provider)).toBe("You are a pirate.\n\nRhyme.");
    const report = session.getSystemPromptReport();
    expect(report?.sections.map(({ section }) => section)).toEqual(["system-prompt", "appended"]);
  });
});

describe("the built-in tools of a session", () => {
  it("are those that were chosen; others of the program stay", async () => {
    const provider = new ScriptedProvider([{ text: "a" }]);
    await using session = new InteractiveSession({
      platform: hostWith({}),
      cwd: CWD,
      provider,
      builtInTools: ["Read", "Agent"],
      tools: [echo],
    });
    await session.submit("hi");
    const names = provider.requests[0]?.options.tools?.map(({ name }) => name);
    expect(names?.toSorted()).toEqual(["Agent", "AgentOutput", "Read", "echo"]);
  });

  it("have names: another one fails the opening, with the names near to it", async () => {
    const session = new InteractiveSession({
      platform: hostWith({}),
      cwd: CWD,
      provider: new ScriptedProvider([]),
      builtInTools: ["Reed"],
    });
    await expect(session.ready).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining("Read") as string,
    });
  });
});

it("has the agents that it was given before all others", async () => {
  const definition = {
    name: "Explore",
    description: "Draws maps",
    systemPrompt: "You draw maps.",
    tools: [],
  };
  const { session, players } = played(
    {
      [MAIN]: [{ toolCalls: [agentCall("Explore", "go")] }, { text: "done" }],
      "You draw maps.": [{ text: "a map" }],
    },
    { agents: [definition] },
  );
  await session.submit("hi");
  const tools = players[MAIN]?.requests[0]?.options.tools;
  const agents = tools?.find(({ name }) => name === "Agent")?.description;
  expect(agents).toContain("- Explore: Draws maps");
  expect(JSON.stringify(session.getMessages())).toContain("a map");
  await session.shutdown();
});

describe("structured answers of a session", () => {
  const schema = {
    type: "object",
    properties: { files: { type: "array", items: { type: "string" } } },
    required: ["files"],
  };

  it("are asked for with every turn's rounds, and corrected once within the turn", async () => {
    await withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([
        { toolCalls: [echoCall("hi")] },
        { text: '{"files":[1]}' },
        { text: '{"files":["a"]}' },
        { text: "no" },
        { text: "still no" },
      ]);
      const answers = structuredAnswers<{ files: string[] }>(schema);
      const session = new InteractiveSession({
        platform,
        cwd,
        provider,
        tools: [echo],
        permissions: { allow: ["echo"] },
        ...answers.options,
      });
      const { response, turnId } = await session.submit("Which?");
      expect(await answers.outputOf(response)).toEqual({ files: ["a"] });
      for (const { options } of provider.requests)
        expect(options.responseFormat).toMatchObject({ name: "response" });
      const asked = JSON.stringify(provider.requests[2]?.messages.at(-1));
      expect(asked).toContain("Your answer does not have the required form");
      const other = await session.submit("And now?");
      expect(other).toMatchObject({ state: "complete", response: "still no" });
      expect(other.turnId).not.toBe(turnId);
      await expect(answers.outputOf(other.response)).rejects.toMatchObject({
        code: "RESPONSE_FORMAT",
      });
      await session.shutdown();
      const { sessionId } = session;
      await expectReplay(platform, sessionId);
    });
  });

  it("are not those of its agents", async () => {
    const { session, players } = played(
      {
        [MAIN]: [{ toolCalls: [agentCall(undefined, "go")] }, { text: '{"files":[]}' }],
        [WORKER]: [{ text: "in words" }],
      },
      structuredAnswers(schema).options,
    );
    await session.submit("hi");
    const formats = (who: string) =>
      players[who]?.requests.map(({ options }) => options.responseFormat?.name);
    expect(formats(MAIN)).toEqual(["response", "response"]);
    expect(formats(WORKER)).toEqual([undefined]);
    await session.shutdown();
  });
});
