import { describe, expect, it } from "vitest";
import { StorageError } from "../../errors.ts";
import type { LogEntry } from "../../ports/storage.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import type { SessionEvent, SessionEventBody } from "./events.ts";
import { SessionLog } from "./log.ts";
import { SessionState } from "../state/state.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** Remembers from where its logs were read, and refuses to append while `isFull`. */
class WatchedStorage extends MemoryStorage {
  readonly reads: number[] = [];
  isFull = false;

  override read(log: string, from = 1): AsyncIterable<LogEntry> {
    this.reads.push(from);
    return super.read(log, from);
  }

  override append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    if (this.isFull) return Promise.reject(new StorageError("FULL", "No space"));
    return super.append(log, entries);
  }
}

const openLog = (storage?: MemoryStorage): SessionLog =>
  new SessionLog({ sessionId: "s", storage, now: () => 1 });
const named = (name: string): SessionEventBody => ({ type: "name_change", name });
const delta = (text: string): SessionEventBody => ({
  type: "text_delta",
  messageId: "m",
  delta: text,
});
const output: SessionEventBody = { type: "tool_output", toolCallId: "c", text: "…" };

async function take(events: AsyncIterator<SessionEvent>, count: number): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

const numbers = (events: readonly SessionEvent[]): number[] => events.map(({ seq }) => seq);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("a slow reader", () => {
  it.each([
    ["with storage", new MemoryStorage()],
    ["without storage", undefined],
  ])("gets every event once and in order, at any lag, %s", async (_, storage) => {
    const log = openLog(storage);
    const reader = log.events();
    const reading = take(reader, 1);
    log.stream(named("0"));
    const read = await reading;
    for (let burst = 0; burst < 3; burst++) {
      for (let index = 0; index < 12_000; index++) {
        log.stream(named(`${burst}-${index}`));
        if (index % 1_000 === 0) log.stream(output);
      }
      // Makes room in the reader's buffer, after an event that did not fit.
      read.push(...(await take(reader, 3_000)));
    }
    log.close();
    for await (const event of reader) read.push(event);
    expect(numbers(read.filter(({ type }) => type !== "tool_output"))).toEqual(upTo(36_001));
  });

  it("sees transient events that are not stored yet", async () => {
    const storage = new WatchedStorage();
    const log = openLog(storage);
    await log.commit(named("stored"));
    storage.isFull = true;
    log.stream(delta("shown"));
    expect(await take(log.events(), 2)).toMatchObject([{ name: "stored" }, { delta: "shown" }]);
    log.close();
  });
});

describe("a closed log", () => {
  it("ends its readers after the remaining events", async () => {
    const log = openLog(new MemoryStorage());
    const early = log.events();
    expect(await take(early, 0)).toEqual([]);
    const waiting = Array.fromAsync(log.events());
    await log.commit(named("a"), named("b"));
    log.close();
    expect(numbers(await waiting)).toEqual([1, 2]);
    expect(numbers(await Array.fromAsync(early))).toEqual([1, 2]);
    expect(numbers(await Array.fromAsync(log.events({ after: 1 })))).toEqual([2]);
  });

  it("accepts no more events", async () => {
    const log = openLog(new MemoryStorage());
    log.close();
    log.close();
    await expect(log.commit(named("a"))).rejects.toMatchObject({ code: "CLOSED" });
    expect(() => log.stream(delta("a"))).toThrow(expect.objectContaining({ code: "CLOSED" }));
    expect(log.lastSeq).toBe(0);
  });
});

describe("a log after a take-over", () => {
  it("shows the stored events and a transient notice, and stores nothing", async () => {
    const storage = new WatchedStorage();
    const log = openLog(storage);
    const lost = new AbortController();
    log.fence(lost.signal);
    await log.commit(named("stored"));
    storage.isFull = true;
    log.stream(delta("never stored"));
    const shown: SessionEvent[] = [];
    log.subscribe((event) => shown.push(event));
    lost.abort();
    log.stream({ type: "note", kind: "taken-over", data: {} }, { transient: true });
    storage.isFull = false;
    await expect(log.commit(named("late"))).rejects.toMatchObject({ code: "FENCED" });
    const reader = log.events();
    expect(await take(reader, 1)).toMatchObject([{ type: "name_change", name: "stored" }]);
    log.close();
    expect((await reader.next()).done).toBe(true);
    expect(shown).toMatchObject([{ type: "note", kind: "taken-over", seq: 2 }]);
    expect(await Array.fromAsync(storage.read(sessionKey("s")))).toHaveLength(1);
  });

  it("notifies its readers", async () => {
    const log = openLog(new MemoryStorage());
    await log.commit(named("a"));
    const reading = Array.fromAsync(log.events());
    await log.commit(named("b"));
    log.stream({ type: "note", kind: "taken-over", data: {} }, { transient: true });
    log.close();
    expect(await reading).toMatchObject([{ seq: 1 }, { seq: 2 }, { seq: 2, kind: "taken-over" }]);
  });
});

describe("a long log", () => {
  async function streamed(storage: MemoryStorage, turns: number): Promise<void> {
    const log = openLog(storage);
    for (let turn = 0; turn < turns; turn++) {
      for (const text of ["a", "b", "c"]) log.stream(delta(text));
      await log.commit(named(`${turn}`));
    }
    log.stream(delta("Hel"));
    log.stream(delta("lo"));
    await log.flush();
  }

  it("loads a run of deltas as one event, with the same folded state", async () => {
    const storage = new MemoryStorage();
    await streamed(storage, 2);
    const log = openLog(storage);
    const { events } = await log.load();
    expect(numbers(events)).toEqual([3, 4, 7, 8, 10]);
    const state = new SessionState();
    for (const event of events) state.apply(event);
    expect(state.streaming.text).toBe("abcabcHello");
    expect(log.lastSeq).toBe(10);
  });

  it("is read from a reader's position, with a number for each delta", async () => {
    const storage = new WatchedStorage();
    await streamed(storage, 100);
    const log = openLog(storage);
    await log.load();
    await log.commit(named("after loading"));
    storage.reads.length = 0;
    for (const _ of ["loaded", "stored"])
      expect(numbers(await take(log.events({ after: 398 }), 5))).toEqual([399, 400, 401, 402, 403]);
    expect(numbers(await take(log.events({ after: 402 }), 1))).toEqual([403]);
    expect(numbers(await take(log.events(), 403))).toEqual(upTo(403));
    // Two records a turn; 398 is inside of the 199th. The first reader has those that were loaded.
    expect(storage.reads).toEqual([202, 199, 202, 1]);
    log.close();
  });

  it("is read from the right position after a damaged record", async () => {
    const storage = new WatchedStorage();
    const log = openLog(storage);
    await log.commit(named("a"));
    await storage.append(sessionKey("s"), [new Uint8Array([1, 2, 3])]);
    const opened = openLog(storage);
    expect((await opened.load()).damagedRecords).toBe(1);
    await opened.commit(named("b"));
    storage.reads.length = 0;
    expect(await take(opened.events({ after: 1 }), 1)).toMatchObject([{ seq: 2, name: "b" }]);
    expect(storage.reads).toEqual([3]);
  });

  it("is read from the right position after another writer's records", async () => {
    const storage = new MemoryStorage();
    const [mine, theirs] = [openLog(storage), openLog(storage)];
    await mine.commit(named("a"));
    await theirs.load();
    await theirs.commit(named("b"), named("c"));
    await mine.load();
    await mine.commit(named("d"));
    expect(await take(mine.events({ after: 2 }), 2)).toMatchObject([{ name: "c" }, { name: "d" }]);
  });
});

describe("a listener that throws", () => {
  it("fails neither the commit nor the listeners after it, and its error surfaces", async () => {
    const { queueMicrotask: original } = globalThis;
    const surfaced: unknown[] = [];
    const log = openLog(new MemoryStorage());
    const mistake = new Error("mistake");
    const seen: number[] = [];
    log.subscribe(() => {
      throw mistake;
    });
    log.subscribe(({ seq }) => seen.push(seq));
    globalThis.queueMicrotask = (task) => {
      try {
        task();
      } catch (error) {
        surfaced.push(error);
      }
    };
    try {
      await log.commit(named("a"), named("b"));
    } finally {
      globalThis.queueMicrotask = original;
    }
    expect(seen).toEqual([1, 2]);
    expect(surfaced).toEqual([mistake, mistake]);
  });
});

describe("the numbers of events that could not be stored", () => {
  /** A log that has shown one event, and its storage, which fails with `code` while `fails`. */
  const failing = async (code: "FULL" | "IO") => {
    const storage = new MemoryStorage();
    const append = storage.append.bind(storage);
    const failure = { fails: false };
    storage.append = (name, entries) =>
      failure.fails ? Promise.reject(new StorageError(code, "No")) : append(name, entries);
    const log = openLog(storage);
    const shown: SessionEvent[] = [];
    log.subscribe((event) => shown.push(event));
    await log.commit(named("a"));
    return { log, shown, failure };
  };

  it("are given to the next ones when the storage is full, also to words that came behind them", async () => {
    const { log, shown, failure } = await failing("FULL");
    failure.fails = true;
    const refused = [log.commit(named("b"), named("c")), log.commitWithNext(named("d"))];
    log.stream(delta("word"));
    log.stream(output);
    for (const one of refused) await expect(one).rejects.toMatchObject({ code: "FULL" });
    expect(numbers(shown)).toEqual([1, 2, 2]);
    expect(log.lastSeq).toBe(2);
    failure.fails = false;
    await log.commit(named("e"));
    expect(shown.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "name_change"],
      [2, "text_delta"],
      [2, "tool_output"],
      [3, "name_change"],
    ]);
    expect(numbers(await take(log.events(), 3))).toEqual([1, 2, 3]);
    log.close();
  });

  it("are used up by other failures, after which they may be found in the storage", async () => {
    const { log, shown, failure } = await failing("IO");
    failure.fails = true;
    await expect(log.commit(named("b"))).rejects.toMatchObject({ code: "IO" });
    // Nobody waits for an event that never comes.
    expect(log.lastSeq).toBe(1);
    log.stream(output);
    failure.fails = false;
    await log.commit(named("c"));
    expect(numbers(shown)).toEqual([1, 1, 3]);
    log.close();
  });

  it("stay with words behind them that may have been stored", async () => {
    const { log, shown, failure } = await failing("IO");
    failure.fails = true;
    const refused = log.commit(named("b"));
    log.stream(delta("word"));
    await expect(refused).rejects.toMatchObject({ code: "IO" });
    failure.fails = false;
    await log.commit(named("c"));
    expect(numbers(shown)).toEqual([1, 3, 4]);
    log.close();
  });
});
