import { contentText, InteractiveSession, Session, StorageError } from "@robota/runtime";
import type { SessionEvent } from "@robota/runtime";
import { ScriptedProvider, type ScriptedReply, type ScriptedStep } from "@robota/runtime/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it, vi } from "vitest";
import { afterCrash } from "../../../support/support.ts";

const WORDS = Array.from({ length: 400 }, (_, index) => `word${index} `);
const ENDLESS: ScriptedReply = { deltas: WORDS, delayMs: 10 };

/** A storage whose logs take nothing while `isFull`. */
class Disk extends MemoryStorage {
  isFull = false;

  override async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    if (this.isFull) throw new StorageError("FULL", "No room");
    return super.append(log, entries);
  }
}

function opened(storage: Disk, replies: readonly ScriptedReply[], sessionId = "full") {
  const provider = new ScriptedProvider([...replies]);
  const session = new InteractiveSession({
    platform: memoryPlatform({ storage }),
    provider,
    sessionId,
    queueLimit: 5,
  });
  const seen: SessionEvent[] = [];
  session.on("event", (event) => seen.push(event));
  return { session, provider, seen };
}

/** A session whose disk gets full in the middle of its first answer, with a prompt behind it. */
async function overflowing(...more: ScriptedReply[]) {
  const storage = new Disk();
  const all = { storage, ...opened(storage, [ENDLESS, ...more]) };
  const { session } = all;
  const first = session.submit("one");
  await new Promise<void>((resolve) => session.on("text_delta", () => resolve()));
  const second = session.submit("two");
  second.catch(() => undefined);
  await vi.waitFor(() => expect(session.getQueue()).toEqual(["two"]));
  await vi.waitFor(() => expect(all.seen.map(({ type }) => type)).toContain("queue_update"));
  storage.isFull = true;
  return { ...all, result: await first, second };
}

describe("a disk that gets full in the middle of an answer", () => {
  it("ends the turn for everybody, keeps its words and the queue, and goes on when there is room", async () => {
    const { storage, session, seen, result, second } = await overflowing(
      { text: "again" },
      { text: "queued" },
    );
    expect(result).toMatchObject({ state: "failed", error: { code: "FULL" } });
    expect(result.error?.hint).toContain("Make room");
    expect(session.isExecuting()).toBe(false);
    const end = seen.find(({ type }) => type === "turn_end");
    expect(end).toMatchObject({ state: "failed", error: { code: "FULL" } });
    // The answer was cut, and its words are there.
    const answer = contentText(session.getMessages().at(-1)?.content ?? "");
    expect(answer).toMatch(/^word0 word1 /);
    expect(answer).not.toContain(WORDS.at(-1));
    expect(session.getQueue()).toEqual(["two"]);
    await vi.waitFor(() => expect(session.queue.isPaused()).toBe(true));
    await vi.waitFor(() =>
      expect(seen.findLast(({ type }) => type === "queue_update")).toMatchObject({
        queue: ["two"],
        paused: true,
      }),
    );
    await expect(session.submit("three")).rejects.toMatchObject({ code: "FULL" });
    await expect(session.queue.resume()).rejects.toMatchObject({ code: "FULL" });
    expect(session.getQueue()).toEqual(["two"]);
    expect(await session.changes.changedFiles()).toEqual([]);

    storage.isFull = false;
    expect((await session.submit("one")).response).toBe("again");
    await session.queue.resume();
    expect((await second).response).toBe("queued");
    const numbers = (await Array.fromAsync(readTo(session))).map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    await session.shutdown();

    // The stored words are those that were shown.
    const later = opened(storage, [{ text: "later" }]);
    await later.session.ready;
    expect(later.session.getMessages()).toEqual(session.getMessages());
    expect((await later.session.submit("more")).response).toBe("later");
    await later.session.shutdown();
  });

  it("does not burn prompts that wait while there is still no room", async () => {
    const { storage, session, second } = await overflowing({ text: "queued" });
    await vi.waitFor(() => expect(session.queue.isPaused()).toBe(true));
    // There is room to go on, and none any more for the turn.
    storage.isFull = false;
    const append = storage.append.bind(storage);
    let writes = 0;
    storage.append = (log, entries) =>
      writes++ === 1 ? Promise.reject(new StorageError("FULL", "No room")) : append(log, entries);
    await session.queue.resume();
    await vi.waitFor(() => expect(session.queue.isPaused()).toBe(true));
    expect(session.getQueue()).toEqual(["two"]);
    await session.queue.resume();
    expect((await second).response).toBe("queued");
    await session.shutdown();
  });

  it("refuses no prompt whose turn has begun by the time that it can't be recorded", async () => {
    const storage = new Disk();
    const compacting = Promise.withResolvers<ScriptedStep>();
    const script = [{ text: "one" }, () => compacting.promise, { text: "two" }];
    const { session, provider } = opened(storage, script);
    await session.submit("one");
    const compacted = session.compact();
    await expect.poll(() => provider.requests).toHaveLength(2);
    const append = storage.append.bind(storage);
    const written = Promise.withResolvers<number>();
    storage.append = () => {
      storage.append = append;
      return written.promise;
    };
    const second = session.submit("two");
    await expect.poll(() => session.getQueue()).toEqual(["two"]);
    compacting.resolve({ error: "Overloaded" });
    await expect(compacted).rejects.toThrow();
    await expect.poll(() => session.getQueue()).toEqual([]);
    written.reject(new StorageError("IO", "once"));
    expect((await second).response).toBe("two");
    await session.shutdown();
  });

  it("opens again on the full disk after a crash, to be read, exported, and continued once there is room", async () => {
    const { storage } = await overflowing();
    const copy = new Disk();
    for await (const { value } of (await afterCrash(storage, "full")).read("sessions/full"))
      await copy.append("sessions/full", [value]);
    copy.isFull = true;
    const { session } = opened(copy, [{ text: "later" }, { text: "queued" }]);
    await session.ready;
    expect(session.isExecuting()).toBe(false);
    expect(session.getMessages().map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(session.getQueue()).toEqual(["two"]);
    expect(await new Response(await session.export()).text()).toContain("word0 ");
    copy.isFull = false;
    expect((await session.submit("more")).response).toBe("later");
    await vi.waitFor(() => expect(session.isExecuting()).toBe(false));
    expect(session.getMessages().at(-1)).toMatchObject({ content: "queued" });
    const fork = await session.fork();
    expect(fork.getMessages()).toEqual(session.getMessages());
    await fork.shutdown();
    await session.shutdown();
  });

  it("goes on through a single failure of another kind", async () => {
    const storage = new Disk();
    const append = storage.append.bind(storage);
    let failures = 0;
    storage.append = async (log, entries) => {
      const isWords = entries.some((entry) => new TextDecoder().decode(entry).includes("word9 "));
      if (isWords && failures++ === 0) throw new StorageError("IO", "once");
      return append(log, entries);
    };
    const provider = new ScriptedProvider([{ deltas: WORDS.slice(0, 40), delayMs: 10 }]);
    const session = new Session({ storage, provider });
    expect(await session.run("go")).toContain("word39");
    expect(failures).toBeGreaterThan(0);
    await session.shutdown();
  });
});

/** The events so far. */
async function* readTo(session: InteractiveSession): AsyncGenerator<SessionEvent> {
  const { lastSeq } = session;
  for await (const event of session.events()) {
    yield event;
    if (event.seq >= lastSeq) return;
  }
}
