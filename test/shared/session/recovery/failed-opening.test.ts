import { InteractiveSession, Session, type Storage, StorageError } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { afterCrash, endless, logText } from "../../../support/support.ts";

const failure = new StorageError("IO", "The disk did not answer");

/** Fails the first read of the workspace's rules, which comes once the session is acquired. */
function failOneRead(storage: Storage): void {
  const get = storage.get.bind(storage);
  let isFailing = true;
  storage.get = async (key) => {
    if (!isFailing || !key.startsWith("grants/")) return get(key);
    isFailing = false;
    throw failure;
  };
}

function stored() {
  const platform = memoryPlatform();
  failOneRead(platform.storage);
  return { platform, provider: new ScriptedProvider([{ text: "Hello" }]) };
}

it("opens with the next call after a read failed", async () => {
  const session = new Session(stored());
  await expect(session.open()).rejects.toBe(failure);
  expect(await session.run("Hi")).toBe("Hello");
  expect(session.getMessageCount()).toBe(1);
  await session.shutdown();
});

it("an interactive session that failed to open keeps nobody else from the session", async () => {
  const { platform, provider } = stored();
  const sessionId = "same";
  const failed = new InteractiveSession({ platform, provider, sessionId });
  await expect(failed.ready).rejects.toBe(failure);
  const session = new InteractiveSession({ platform, provider, sessionId });
  expect(await session.submit("Hi")).toMatchObject({ state: "complete", response: "Hello" });
  await session.shutdown();
  await failed.shutdown();
});

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
