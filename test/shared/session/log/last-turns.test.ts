import { withHost } from "#host";
import { type Platform, Session, type SessionEvent, type Storage } from "@robota/runtime";
import { readLastTurns } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

const ID = "long";

/** A session of so many short turns, which is closed. */
async function makeSession(platform: Platform, turns: number): Promise<void> {
  const answers = Array.from({ length: turns }, (_, turn) => ({ text: `Answer ${turn}` }));
  const session = open(platform, answers);
  for (let turn = 0; turn < turns; turn++) await session.run(`Question ${turn}`);
  await session.shutdown();
}

function open(platform: Platform, script: ConstructorParameters<typeof ScriptedProvider>[0]) {
  const provider = new ScriptedProvider(script);
  return new Session({ platform, provider, sessionId: ID, contextWindow: 1e9 });
}

async function allEvents(platform: Platform): Promise<SessionEvent[]> {
  const session = open(platform, []);
  await session.open();
  const events: SessionEvent[] = [];
  for await (const event of session.events()) {
    events.push(event);
    if (event.seq >= session.lastSeq) break;
  }
  await session.shutdown();
  return events;
}

/** Counts the records that are read. */
function counting({ storage }: Platform): {
  storage: Pick<Storage, "append" | "read">;
  records: () => number;
} {
  let records = 0;
  return {
    records: () => records,
    storage: {
      append: (log, entries) => storage.append(log, entries),
      async *read(log, from) {
        for await (const entry of storage.read(log, from)) {
          records += 1;
          yield entry;
        }
      },
    },
  };
}

it("reads the last turns of a log whose length does not count", () =>
  withHost(async ({ platform }) => {
    await makeSession(platform, 100);
    const { storage, records } = counting(platform);
    const events = await readLastTurns(storage, ID);
    expect(records()).toBe(256);
    expect(events[0]).toMatchObject({ type: "turn_start" });
    const all = await allEvents(platform);
    const from = all.findIndex(({ seq }) => seq === events[0]?.seq);
    // Runs of deltas are one event in the former.
    const kept = (list: readonly SessionEvent[]) =>
      list.filter(({ type }) => type !== "text_delta");
    expect(kept(events)).toEqual(kept(all.slice(from)).slice(0, kept(events).length));
    const last = events.findLast(({ type }) => type === "turn_end");
    expect(last).toMatchObject({ response: "Answer 99" });
  }));

it("reads as much more as many turns take, up to a bound", () =>
  withHost(async ({ platform }) => {
    await makeSession(platform, 300);
    const { storage, records } = counting(platform);
    const isTurn = ({ type }: SessionEvent) => type === "turn_start";
    const events = await readLastTurns(storage, ID, { turns: 100 });
    expect(events.filter(isTurn).length).toBeGreaterThanOrEqual(100);
    expect(records()).toBe(256 + 1024);
  }));

it("yields nothing for a short log, for none, and where a rewind decides what is seen", () =>
  withHost(async ({ platform }) => {
    const { storage } = platform;
    expect(await readLastTurns(storage, ID)).toEqual([]);
    await makeSession(platform, 2);
    expect(await readLastTurns(storage, ID)).toEqual([]);
    await makeSession(platform, 100);
    const session = open(
      platform,
      Array.from({ length: 12 }, () => ({ text: "Again" })),
    );
    await session.open();
    await session.rewind(session.checkpoints().at(-3)?.id ?? "", "conversation");
    await session.run("After it");
    expect(await readLastTurns(storage, ID)).toEqual([]);
    for (let turn = 1; turn < 10; turn++) await session.run("After it");
    await session.shutdown();
    const [first] = await readLastTurns(storage, ID);
    expect(first).toMatchObject({ type: "turn_start", input: "After it" });
    await expect(readLastTurns(storage, "../none")).rejects.toMatchObject({
      name: "ValidationError",
    });
  }));
