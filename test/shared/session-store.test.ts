import { InteractiveSession, SessionStore } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";

const user = (id: string, content: string) => ({
  role: "user" as const,
  id,
  timestamp: new Date(5),
  content,
});
const record = {
  id: "r",
  cwd: "/code",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-02T00:00:00.000Z",
  messages: [user("1", "one")],
  history: [],
};

it("makes a record of what a session did, and lists it", async () => {
  const store = new SessionStore(new MemoryStorage());
  const session = new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([{ text: "Hello" }]),
    cwd: "/code",
    sessionStore: store,
  });
  await session.submit("Hi");
  await session.setName("Greeting");
  await session.shutdown();
  const loaded = await store.load(session.sessionId);
  expect(loaded).toMatchObject({ id: session.sessionId, cwd: "/code", name: "Greeting" });
  expect(loaded?.messages.map(({ content }) => content)).toEqual(["Hi", "Hello"]);
  expect(loaded?.messages[0]?.timestamp).toBeInstanceOf(Date);
  expect(await store.list()).toMatchObject([
    { id: session.sessionId, name: "Greeting", preview: "Hi" },
  ]);
});

it("keeps what a record brings, also fields it does not know, and adds only what is new", async () => {
  const storage = new MemoryStorage();
  const store = new SessionStore(storage);
  await store.save({ ...record, usedMemoryReferences: ["m"] });
  const loaded = await store.load("r");
  expect(loaded).toMatchObject({
    createdAt: record.createdAt,
    usedMemoryReferences: ["m"],
    messages: record.messages,
  });
  const before = (await Array.fromAsync(storage.read("sessions/r"))).length;
  await store.save({ ...record, messages: [...record.messages, user("2", "two")] });
  expect((await Array.fromAsync(storage.read("sessions/r"))).length).toBe(before + 1);
  expect((await store.load("r"))?.messages).toHaveLength(2);
});

it("never contradicts what is stored", async () => {
  const store = new SessionStore(new MemoryStorage());
  await store.save(record);
  await expect(store.save({ ...record, messages: [user("other", "x")] })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
});

it("says nothing of what is not there, and lists by directory", async () => {
  const storage = new MemoryStorage();
  const store = new SessionStore(storage);
  expect(await store.load("none")).toBeUndefined();
  await store.delete("none");
  await store.save(record);
  await store.save({
    ...record,
    id: "elsewhere",
    cwd: "/else",
    updatedAt: "2026-02-01T00:00:00.000Z",
  });
  expect((await store.list()).map(({ id }) => id)).toEqual(["elsewhere", "r"]);
  expect((await new SessionStore(storage, { cwd: "/code" }).list()).map(({ id }) => id)).toEqual([
    "r",
  ]);
  await store.delete("r");
  expect(await store.load("r")).toBeUndefined();
});
