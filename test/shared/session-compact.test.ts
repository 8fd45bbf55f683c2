import { InteractiveSession } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it("puts a summary in the place of the conversation, and keeps what a person saw", async () => {
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
});

it("leaves the conversation as it is when no summary comes", async () => {
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
