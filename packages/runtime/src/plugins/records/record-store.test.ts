import { describe, expect, it } from "vitest";
import { StorageError } from "../../errors.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { SilentLogger } from "../logger.ts";
import { MemoryRecordStore } from "./memory-record-store.ts";
import { type RecordStore, recordsBetween } from "./record-store.ts";
import { RemoteRecordStore } from "./remote-record-store.ts";
import { StorageRecordStore } from "./storage-record-store.ts";

interface Note {
  time: number;
  tags: string[];
}

const notes = (...times: number[]): Note[] => times.map((time) => ({ time, tags: [`t${time}`] }));
const logger = new SilentLogger();

interface Posted {
  url: string;
  body: unknown;
  headers: Headers;
}

/** A receiver that answers with the given statuses, then with 204. */
function receiver(...statuses: (number | Error)[]): { fetch: typeof fetch; posted: Posted[] } {
  const posted: Posted[] = [];
  return {
    posted,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      posted.push({ url: request.url, body: await request.json(), headers: request.headers });
      const status = statuses.shift() ?? 204;
      if (status instanceof Error) throw status;
      return new Response(null, { status });
    },
  };
}

const url = "https://records.example/in";
const sleep = async (): Promise<void> => {};

const forms: [string, () => RecordStore<Note>][] = [
  ["in memory", () => new MemoryRecordStore()],
  ["in a storage", () => new StorageRecordStore(new MemoryStorage(), "notes", { logger })],
  ["on a server", () => new RemoteRecordStore({ url, fetch: receiver().fetch, logger })],
];

describe.each(forms)("a record store %s", (_, create) => {
  it("returns records in order, as they were when added", async () => {
    const store = create();
    const [first, second] = notes(1, 2);
    if (!first || !second) throw new Error("no notes");
    store.add(first);
    first.tags.push("changed later");
    store.add(second);
    expect(await recordsBetween(store)).toEqual(notes(1, 2));
    expect(await recordsBetween(store, { from: 2 })).toEqual(notes(2));
    expect(await recordsBetween(store, { to: 2 })).toEqual(notes(1));
    await store.flush();
    await store.dispose();
    store.add(second);
    expect(await recordsBetween(store)).toEqual(notes(1, 2, 2));
    expect(store.dropped).toBe(0);
  });

  it("clears", async () => {
    const store = create();
    for (const note of notes(1, 2)) store.add(note);
    await store.clear();
    expect(await recordsBetween(store)).toEqual([]);
    for (const note of notes(3)) store.add(note);
    expect(await recordsBetween(store)).toEqual(notes(3));
    await store.dispose();
  });
});

it("keeps at most its limit in memory", async () => {
  const store = new MemoryRecordStore<Note>(3);
  for (const note of notes(1, 2, 3, 4, 5, 6, 7)) store.add(note);
  expect(await recordsBetween(store)).toEqual(notes(5, 6, 7));
  expect(store.dropped).toBe(4);
});

describe("a record store in a storage", () => {
  it("reads flushed records after a restart, beside those of others", async () => {
    const storage = new MemoryStorage();
    const stores = [1, 2].map(
      () => new StorageRecordStore<Note>(new MemoryStorage({ sharedWith: storage }), "a/notes"),
    );
    for (const [index, store] of stores.entries()) {
      for (const note of notes(index)) store.add(note);
      await store.dispose();
    }
    expect(await recordsBetween(new StorageRecordStore<Note>(storage, "a/notes"))).toEqual(
      notes(0, 1),
    );
  });

  it("writes in batches", async () => {
    const storage = new MemoryStorage();
    const sizes: number[] = [];
    const append = storage.append.bind(storage);
    storage.append = (log, entries) => {
      sizes.push(entries.length);
      return append(log, entries);
    };
    const store = new StorageRecordStore<Note>(storage, "notes", { maxBatch: 4, intervalMs: 5 });
    for (const note of notes(1, 2, 3, 4, 5, 6)) store.add(note);
    await expect.poll(() => sizes).toEqual([4, 2]);
  });

  it("loses nothing during a temporary storage failure", async () => {
    const storage = new MemoryStorage();
    const append = storage.append.bind(storage);
    let failures = 2;
    storage.append = (log, entries) =>
      (failures -= 1) >= 0
        ? Promise.reject(new StorageError("FULL", "no space"))
        : append(log, entries);
    const store = new StorageRecordStore<Note>(storage, "notes", { intervalMs: 5, logger });
    for (const note of notes(1)) store.add(note);
    await expect(store.flush()).rejects.toMatchObject({ code: "FULL" });
    for (const note of notes(2)) store.add(note);
    await expect
      .poll(() => recordsBetween(new StorageRecordStore<Note>(storage, "notes")))
      .toEqual(notes(1, 2));
    expect(store.dropped).toBe(0);
  });

  it("skips damaged entries, and counts them", async () => {
    const storage = new MemoryStorage();
    const store = new StorageRecordStore<Note>(storage, "notes");
    for (const note of notes(1)) store.add(note);
    await store.flush();
    await storage.append(
      "notes",
      ["{ hal", "7"].map((text) => new TextEncoder().encode(text)),
    );
    expect(await recordsBetween(store)).toEqual(notes(1));
    expect(store.damaged).toBe(2);
  });
});

describe("a record store on a server", () => {
  it("posts batches as JSON with its headers, and retries while the server fails", async () => {
    const server = receiver(503, new TypeError("fetch failed"), 429);
    const store = new RemoteRecordStore<Note>({
      url,
      fetch: server.fetch,
      headers: { authorization: "Bearer abc" },
      maxBatch: 2,
      sleep,
      logger,
    });
    for (const note of notes(1, 2, 3)) store.add(note);
    await store.dispose();
    expect(server.posted.map(({ body }) => body)).toEqual([
      ...Array.from({ length: 4 }, () => notes(1, 2)),
      notes(3),
    ]);
    expect(server.posted[0]?.headers.get("authorization")).toBe("Bearer abc");
    expect(server.posted[0]?.headers.get("content-type")).toBe("application/json");
  });

  it("keeps records when retries are used up, and drops those that the server refuses", async () => {
    const server = receiver(500, 500, 400);
    const store = new RemoteRecordStore<Note>({
      url,
      fetch: server.fetch,
      maxRetries: 1,
      intervalMs: 60_000,
      sleep,
      logger,
    });
    for (const note of notes(1)) store.add(note);
    await expect(store.flush()).rejects.toMatchObject({ status: 500, recoverable: true });
    expect(store.dropped).toBe(0);
    await expect(store.flush()).rejects.toMatchObject({ status: 400, recoverable: false });
    expect(store.dropped).toBe(1);
    await store.flush();
    expect(server.posted).toHaveLength(3);
  });

  it("follows no redirect, and reports it without the address", async () => {
    const server = receiver(302);
    const store = new RemoteRecordStore<Note>({ url, fetch: server.fetch, logger });
    for (const note of notes(1)) store.add(note);
    const error: unknown = await store.flush().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("redirect");
    expect(String(error)).not.toContain("records.example");
  });

  it("times out a slow request", async () => {
    const hanging: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const store = new RemoteRecordStore<Note>({
      url,
      fetch: hanging,
      timeoutMs: 20,
      maxRetries: 0,
      intervalMs: 60_000,
      logger,
    });
    for (const note of notes(1)) store.add(note);
    await expect(store.flush()).rejects.toMatchObject({
      code: "NETWORK_ERROR",
      message: "The remote record store did not answer within 20 ms",
    });
    await store.clear();
    await expect(store.dispose()).rejects.toMatchObject({ code: "IO" });
  });
});
