import { Session, StorageError } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { afterCrash, endless, logText } from "../../../support/support.ts";

const failure = new StorageError("IO", "The disk did not answer");

it("a session whose loading failed writes nothing any more, not even its shutdown", async () => {
  const platform = memoryPlatform();
  const sessionId = "same";
  const { tool, began } = endless();
  const provider = new ScriptedProvider([{ toolCalls: [{ name: "endless", args: {} }] }]);
  const options = { provider, sessionId, tools: [tool] };
  const killed = new Session({ ...options, platform, permissionMode: "bypassPermissions" });
  const turn = killed.run("Hi");
  await began;
  const storage = await afterCrash(platform.storage, sessionId);

  // Opening writes down that the turn was cut.
  const append = storage.append.bind(storage);
  storage.append = () => Promise.reject(failure);
  const failed = new Session({ ...options, platform: { ...platform, storage } });
  await expect(failed.open()).rejects.toBe(failure);
  storage.append = append;
  await using later = new Session({ ...options, platform: { ...platform, storage } });
  await later.open();
  const log = await logText(storage, sessionId);
  await failed.shutdown();
  expect(await logText(storage, sessionId)).toBe(log);
  killed.abort();
  await expect(turn).rejects.toThrow("Aborted");
  await killed.shutdown();
});
