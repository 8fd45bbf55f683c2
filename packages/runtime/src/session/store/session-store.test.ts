import { expect, it } from "vitest";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { acquireSession } from "../log/lease.ts";
import { SessionStore } from "./session-store.ts";

const record = {
  id: "r",
  cwd: "/code",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-02T00:00:00.000Z",
  messages: [],
  history: [],
};

it("refuses to write a session that is open elsewhere until it is released", async () => {
  const storage = new MemoryStorage();
  const store = new SessionStore(new MemoryStorage({ sharedWith: storage }));
  const lease = await acquireSession(storage, "r", false);
  await expect(store.save(record)).rejects.toMatchObject({ code: "SESSION_BUSY" });
  expect(await Array.fromAsync(storage.read("sessions/r"))).toEqual([]);
  await lease.release();
  await store.save(record);
  expect(await store.load("r")).toMatchObject({ id: "r", cwd: "/code" });
  await (await acquireSession(storage, "r", false)).release();
});

it("releases the session when a save fails", async () => {
  const storage = new MemoryStorage();
  const store = new SessionStore(storage);
  const message = { role: "user" as const, id: "1", timestamp: new Date(1), content: "x" };
  await store.save({ ...record, messages: [message] });
  await expect(store.save(record)).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  await (await acquireSession(storage, "r", false)).release();
});

it.each(["", "a/b", "..", "a.b", "ü", "x".repeat(65), "a\n"])(
  "refuses %j as a session id",
  async (id) => {
    const store = new SessionStore(new MemoryStorage());
    const refused = { code: "VALIDATION_ERROR" };
    await expect(store.load(id)).rejects.toMatchObject(refused);
    await expect(store.save({ ...record, id })).rejects.toMatchObject(refused);
    await expect(store.delete(id)).rejects.toMatchObject(refused);
  },
);
