import { InteractiveSession } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { storedProvider } from "./resumed-provider.ts";

it("finds the model that a stored session had by one read, however many are stored", async () => {
  const platform = memoryPlatform({ env: { ANTHROPIC_API_KEY: "key-of-this-test" } });
  const provider = Object.assign(new ScriptedProvider([{ text: "Hello" }]), {
    name: "anthropic",
    model: "claude-haiku-4-5",
  });
  const session = new InteractiveSession({ platform, provider, cwd: "/" });
  await session.submit("Hi");
  await session.shutdown();
  platform.storage.keys = () => Promise.reject(new Error("Nothing is listed"));
  expect(await storedProvider(session.sessionId, {}, platform)).toMatchObject({
    name: "anthropic",
    model: "claude-haiku-4-5",
  });
});
