import { expect, it } from "vitest";
import { InteractiveSession } from "../interactive/interactive-session.ts";
import { Session } from "../session/session.ts";
import { SessionStore } from "../session/store/session-store.ts";
import { memoryPlatform } from "../testing/memory-platform.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { MemoryStorage } from "../virtual/memory-storage.ts";
import {
  FileSessionLogger,
  type ISession,
  type ISessionLogger,
  type ISessionStore,
} from "./index.ts";

it("accepts both kinds of sessions as the specification's interface", () => {
  const parts = { platform: memoryPlatform(), provider: new ScriptedProvider([]) };
  const sessions: ISession[] = [
    new Session({ ...parts, sessionId: "a" }),
    new InteractiveSession({ ...parts, sessionId: "b" }),
  ];
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["a", "b"]);
});

it("provides a store and a logger for the specification's interfaces", async () => {
  const store: ISessionStore = new SessionStore(new MemoryStorage());
  expect(await store.list()).toEqual([]);
  const storage = new MemoryStorage();
  const logger: ISessionLogger = new FileSessionLogger(storage);
  await logger.log("s", "assistant", { content: "x" });
  await logger.flush();
  expect(await Array.fromAsync(storage.read("logs/s"))).toHaveLength(1);
});
