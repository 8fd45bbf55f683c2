import {
  InteractiveSession,
  listSessions,
  messageToHistoryEntry,
  Session,
  SessionStore,
  StorageSessionLogger,
} from "@robota/runtime";
import { migrateSessionRecord, readSessionHeader } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

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

it("makes a record of a session, and lists it", async () => {
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

it("lists a session by the text of its first prompt, or by the name of what came without one", async () => {
  const store = new SessionStore(new MemoryStorage());
  const picture = { type: "image" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const sent: [text: string, name: string | undefined, preview: string][] = [
    ["What is this?", "shot.png", "What is this?"],
    ["", "shot.png", "shot.png"],
    ["", undefined, ""],
  ];
  for (const [text, name, preview] of sent) {
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "Seen" }]),
      cwd: "/code",
      sessionStore: store,
    });
    const attachments = [name === undefined ? picture : { ...picture, name }];
    await session.submit(text, { attachments });
    await session.shutdown();
    const listed = await store.list();
    expect(listed.find(({ id }) => id === session.sessionId)).toMatchObject({ preview });
  }
});

it("reads the header of one session as a list has it, however many there are", async () => {
  const storage = new MemoryStorage();
  const store = new SessionStore(storage);
  for (const id of ["r", "other"]) await store.save({ ...record, id, usedMemoryReferences: ["m"] });
  const [listed] = (await listSessions(storage)).filter(({ id }) => id === "r");
  storage.keys = () => Promise.reject(new Error("Nothing is listed"));
  expect(await readSessionHeader(storage, "r")).toEqual(listed);
  expect(await readSessionHeader(storage, "none")).toBeUndefined();
  await expect(readSessionHeader(storage, "../r")).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  await storage.set("sessions/r", new TextEncoder().encode("{"));
  expect(await readSessionHeader(storage, "r")).toBeUndefined();
});

it("keeps a record's fields, including unknown ones, and adds only new entries", async () => {
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

it("never contradicts the stored session", async () => {
  const store = new SessionStore(new MemoryStorage());
  await store.save(record);
  await expect(store.save({ ...record, messages: [user("other", "x")] })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
});

it("returns undefined for missing sessions, and lists by directory", async () => {
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

it("keeps every field of a record, of any name, and never reads one as a setting", async () => {
  const platform = memoryPlatform();
  const store = new SessionStore(platform.storage);
  const fields = {
    toolSchemas: [{ name: "x" }],
    backgroundTasks: [{ id: "b" }],
    backgroundTaskEvents: [],
    backgroundJobGroups: [],
    backgroundJobGroupEvents: [],
    memoryEvents: [{ type: "m" }],
    usedMemoryReferences: ["m"],
    contextReferences: ["c"],
    sandboxSnapshotId: "snap",
    permissionMode: "bypassPermissions",
    permissions: { allow: ["echo"] },
    settings: { hooks: { SessionStart: [{ hooks: [{ type: "command", command: "x" }] }] } },
    model: "other-model",
    state: "waiting",
    queue: ["/clear"],
    futureField: { nested: [1, 2] },
  };
  await store.save({ ...record, ...fields });
  expect(await store.load("r")).toMatchObject(fields);
  expect((await store.list())[0]).not.toHaveProperty("record");
  const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]);
  const session = new Session({ platform, provider, sessionId: "r", tools: [echo] });
  await session.run("Hi");
  expect(session.getPermissionMode()).toBe("default");
  expect(session.getSessionAllowedTools()).toEqual([]);
  expect(session.getHistory().find(({ role }) => role === "tool")).toMatchObject({
    errorCode: "permission_denied",
  });
  await session.shutdown();
  expect(await store.load("r")).toMatchObject(fields);
  const loaded = await store.load("r");
  delete loaded?.backgroundTasks;
  if (loaded) await store.save(loaded);
  expect(await store.load("r")).not.toHaveProperty("backgroundTasks");
});

it("keeps the order of events in a record's history", async () => {
  const store = new SessionStore(new MemoryStorage());
  const event = { id: "e", seq: 2, timestamp: new Date(5), category: "event" as const };
  const history = [
    messageToHistoryEntry(user("1", "one")),
    { ...event, type: "skill-invocation", data: { skill: "s" } },
    messageToHistoryEntry(user("2", "two")),
    { ...event, id: "f", type: "remark", data: "last" },
  ];
  await store.save({ ...record, messages: [user("1", "one"), user("2", "two")], history });
  const loaded = await store.load("r");
  expect(loaded?.history.map(({ type }) => type)).toEqual([
    "user",
    "skill-invocation",
    "user",
    "remark",
  ]);
  if (loaded) await store.save(loaded);
  expect((await store.load("r"))?.history).toHaveLength(4);
});

it("migrates records of versions without a log, once", async () => {
  const storage = new MemoryStorage();
  const old = {
    id: "old",
    cwd: "/code",
    createdAt: "2025-01-01T00:00:00.000Z",
    updatedAt: "2025-01-02T00:00:00.000Z",
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello", timestamp: "2025-01-01T12:00:00.000Z" },
    ],
    memoryEvents: ["m"],
  };
  await storage.set("sessions/old", new TextEncoder().encode(JSON.stringify(old)));
  const store = new SessionStore(storage);
  const before = await store.load("old");
  expect(before?.history.map(({ type }) => type)).toEqual(["user", "assistant"]);
  expect(await store.migrate()).toEqual(["old"]);
  expect(await store.migrate()).toEqual([]);
  const after = await store.load("old");
  expect(after).toMatchObject({ memoryEvents: ["m"], updatedAt: old.updatedAt });
  expect(after?.messages).toEqual(before?.messages);
  expect(await store.list()).toMatchObject([{ id: "old", preview: "Hi", messageCount: 2 }]);
  expect(new TextDecoder().decode(await storage.get("sessions/old"))).not.toContain("Hello");
});

it("fills in a missing history, and leaves a complete record unchanged", () => {
  const { history: _, ...without } = record;
  const once = migrateSessionRecord(JSON.parse(JSON.stringify(without)));
  expect(once).toMatchObject({ messages: record.messages, history: [{ data: user("1", "one") }] });
  expect(migrateSessionRecord(JSON.parse(JSON.stringify(once)))).toEqual(once);
  expect(migrateSessionRecord(once)).toEqual(once);
  for (const wrong of [null, [], "x", { id: "x" }, { id: "../x", messages: [] }])
    expect(() => migrateSessionRecord(wrong)).toThrow();
});

it("accepts a record without a history, and refuses an invalid one", async () => {
  const store = new SessionStore(new MemoryStorage());
  const { history: _, ...bare } = record;
  await Reflect.apply(store.save.bind(store), undefined, [bare]);
  expect((await store.load("r"))?.history).toMatchObject([{ category: "chat" }]);
  for (const wrong of [undefined, "r", {}, { id: "q" }, { id: "../q", messages: [] }]) {
    const saved: unknown = Reflect.apply(store.save.bind(store), undefined, [wrong]);
    await expect(saved).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  }
  expect(await store.list()).toHaveLength(1);
});

it("lists from headers only, and a damaged one affects only itself", async () => {
  const storage = new MemoryStorage();
  const store = new SessionStore(storage);
  await store.save(record);
  await storage.set("sessions/bad", new TextEncoder().encode("{"));
  storage.read = () => {
    throw new Error("A list reads no log");
  };
  expect((await store.list()).map(({ id }) => id)).toEqual(["r"]);
});

it("does not delete an open session, and leaves nothing of a closed one", async () => {
  const storage = new MemoryStorage();
  const platform = { ...memoryPlatform(), storage };
  const session = new Session({
    platform,
    sessionId: "r",
    provider: new ScriptedProvider([{ text: "Hello ".repeat(10_000) }]),
    logger: new StorageSessionLogger(storage),
  });
  await session.run("Hi");
  const store = new SessionStore(new MemoryStorage({ sharedWith: storage }));
  await expect(store.delete("r")).rejects.toMatchObject({ code: "SESSION_BUSY" });
  expect((await store.load("r"))?.messages).toHaveLength(2);
  await session.shutdown();
  await store.delete("r");
  expect(await storage.keys("")).toEqual([]);
  for (const log of ["sessions/r", "logs/r", "payloads/r"])
    expect(await Array.fromAsync(storage.read(log))).toEqual([]);
});

it("stores nothing without a storage", async () => {
  const session = new Session({ provider: new ScriptedProvider([{ text: "Hello" }]) });
  await session.run("Hi");
  expect(session.getHistory()).toHaveLength(2);
  await session.shutdown();
});
