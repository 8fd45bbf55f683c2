import { withHost } from "#host";
import { replaySession, Session, type Storage } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { decodeRecord, unlessDamaged } from "../../../../packages/runtime/src/session/log/codec.ts";
import { cutLog, longLog } from "../../../support/sample-logs.ts";

const LOG = "sessions/s";
/** Every so many records of a log, one is lost; odd, so that some are missing and some unreadable. */
const STEP = 7;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const isReadable = (bytes: Uint8Array): boolean =>
  unlessDamaged(() => decodeRecord(bytes, "s")) !== undefined;
const without = (entries: readonly Uint8Array[], index: number): Uint8Array[] =>
  entries.filter((_, at) => at !== index);
const spoiled = (entries: readonly Uint8Array[], index: number): Uint8Array[] =>
  entries.map((entry, at) => (at === index ? entry.slice(0, 9) : entry));

async function recordsOf(storage: Storage): Promise<Uint8Array[]> {
  const records: Uint8Array[] = [];
  for await (const { value } of storage.read(LOG)) records.push(value);
  return records;
}

/** A session that finds the log so, tells what is wrong with it, and goes on twice. */
async function goOn(storage: Storage, entries: readonly Uint8Array[]): Promise<void> {
  await storage.append(LOG, entries);
  for (const answer of ["Again", "And again"]) {
    const provider = new ScriptedProvider([{ text: answer }]);
    const session = new Session({ storage, sessionId: "s", provider, permissionMode: "plan" });
    await session.run("Go on");
    await session.shutdown();
  }
}

/** Replays it twice. Both are the readable part of the log to the byte; returns from where it was gone through again. */
async function expectReplayed(storage: Storage): Promise<number> {
  const source = { storage, sessionId: "s" };
  const readable = (await recordsOf(storage)).filter(isReadable).map(text);
  const [first, second] = [
    await replaySession(source, memoryPlatform()),
    await replaySession(source, memoryPlatform()),
  ];
  expect(first.records.map(text)).toEqual(readable);
  expect(second.records.map(text)).toEqual(readable);
  expect(first.state.messages.at(-1)?.content).toBe("And again");
  return first.replayedFrom;
}

describe("a replay of a session that continued with a damaged log", () => {
  it("equals the stored bytes, whatever was lost", () =>
    withHost(async ({ platform: { storage } }) => {
      const entries = await longLog();
      const middle = entries.length >> 1;
      for (const damaged of [
        without(entries, 0),
        spoiled(entries, middle),
        entries.slice(0, middle),
      ]) {
        await goOn(storage, damaged);
        await expectReplayed(storage);
        await storage.deleteLog(LOG);
        for (const key of await storage.keys("")) await storage.delete(key);
      }
    }));

  it("replays the events after the damage, and keeps the rest as recorded", async () => {
    for (const entries of [await longLog(), await cutLog()]) {
      for (let index = 0; index < entries.length - 1; index += STEP) {
        const storage = new MemoryStorage();
        await goOn(storage, (index % 2 === 0 ? without : spoiled)(entries, index));
        const resumed = (await recordsOf(storage))
          .filter(isReadable)
          .flatMap((entry) => decodeRecord(entry, "s"))
          .find(({ type }) => type === "session_resume");
        const from = await expectReplayed(storage);
        expect(from, `without record ${index + 1}`).toBe(resumed?.seq);
      }
    }
  });

  it("works for a session whose whole log was unreadable", async () => {
    const storage = new MemoryStorage();
    await goOn(storage, [new Uint8Array([1, 2, 3])]);
    await expectReplayed(storage);
  });

  it("is refused while nobody has opened the session since", async () => {
    const storage = new MemoryStorage();
    const entries = await longLog();
    await storage.append(LOG, spoiled(entries, 4));
    await expect(
      replaySession({ storage, sessionId: "s" }, memoryPlatform()),
    ).rejects.toMatchObject({
      code: "LOG_CORRUPT",
    });
  });

  it("takes reordered, repeated and late records as the session took them", async () => {
    const entries = await longLog();
    const [one, two, ...rest] = entries;
    if (!one || !two) throw new Error("too short");
    const storage = new MemoryStorage();
    await goOn(storage, [two, one, ...rest.slice(0, 3), one, ...rest.slice(3)]);
    const { records } = await replaySession({ storage, sessionId: "s" }, memoryPlatform());
    expect(records.slice(0, entries.length).map(text)).toEqual(entries.map(text));
    expect(records.length).toBe((await recordsOf(storage)).length - 1);
  });
});
