import { Session, type Storage, type Message, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createRequestView } from "../../../../packages/runtime/src/messages/project.ts";
import { RequestWriter } from "../../../../packages/runtime/src/providers/anthropic/request.ts";
import { ChatRequestWriter } from "../../../../packages/runtime/src/providers/openai/chat-request.ts";
import { COMMON_DIALECT } from "../../../../packages/runtime/src/providers/openai/dialect.ts";
import { ResponsesRequestWriter } from "../../../../packages/runtime/src/providers/openai/responses-request.ts";
import { decodeRecord } from "../../../../packages/runtime/src/session/log/codec.ts";
import { encodeEvents } from "../../../../packages/runtime/src/session/log/encode-events.ts";
import { closeCutTurn } from "../../../../packages/runtime/src/session/log/crash-recovery.ts";
import { SessionState } from "../../../../packages/runtime/src/session/state/state.ts";
import {
  isDamaged,
  type LoadedLog,
  LogReader,
} from "../../../../packages/runtime/src/session/log/log-reader.ts";
import { chatProblem, messagesProblem, responsesProblem } from "../../../support/request-rules.ts";
import { cutLog, longLog } from "../../../support/sample-logs.ts";

/** On each of three hosts. */
const HISTORIES = 3_400;
const defaults = { provider: "p", model: "m", maxTokens: 100, stream: true };
const user: Message = { role: "user", id: "next", timestamp: new Date(0), content: "Go on" };

type Damage = { kind: "drop" | "double" | "move" | "cut" | "flip"; at: number; to: number };
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("drop", "double", "move", "cut", "flip"),
  at: fc.nat(10_000),
  to: fc.nat(10_000),
});

let logs: Uint8Array[][];
beforeAll(async () => {
  logs = [await longLog(), await cutLog()];
});

function damaged(entries: readonly Uint8Array[], damages: readonly Damage[]): Uint8Array[] {
  const list = [...entries];
  for (const { kind, at, to } of damages) {
    const index = at % Math.max(1, list.length);
    const entry = list[index];
    if (!entry) continue;
    if (kind === "drop") list.splice(index, 1);
    else if (kind === "double") list.splice(to % (list.length + 1), 0, entry);
    else if (kind === "move") list.splice(to % list.length, 0, ...list.splice(index, 1));
    else if (kind === "cut") list[index] = entry.slice(0, to % entry.length);
    else list[index] = entry.map((byte, place) => (place === to % entry.length ? byte ^ 4 : byte));
  }
  return list;
}

/** A storage that holds one log and nothing else. */
function holding(entries: readonly Uint8Array[]): Storage {
  const storage = new MemoryStorage();
  const read = async function* (from: number): AsyncGenerator<{ seq: number; value: Uint8Array }> {
    for (const [index, value] of entries.slice(from - 1).entries())
      yield { seq: from + index, value };
  };
  storage.read = (_log: string, from?: number) => read(from ?? 1);
  return storage;
}

function load(entries: readonly Uint8Array[]): Promise<LoadedLog> {
  return new LogReader(holding(entries), "sessions/s", "s").load();
}

/** The messages that the next request would have. */
function projected({ events }: LoadedLog): readonly Message[] {
  const state = new SessionState();
  for (const event of events) state.apply(event);
  const by = { now: () => 0, randomUUID: () => "closing", provider: "p", model: "m" };
  const last = events.at(-1)?.seq ?? 0;
  for (const [index, body] of closeCutTurn(state, by).entries()) {
    state.apply({ v: 1, seq: last + 1 + index, sessionId: "s", time: 0, ...body });
  }
  const view = createRequestView(state.systemMessage, new Date(0));
  return view.update([...state.messages, user]);
}

function requestProblems(messages: readonly Message[]): string[] {
  const parse = (text: string): Record<string, unknown> => JSON.parse(text);
  const options = { tools: [] };
  const anthropic = new RequestWriter({ ...defaults, promptCaching: true });
  const chat = new ChatRequestWriter({ ...defaults, dialect: COMMON_DIALECT });
  const responses = new ResponsesRequestWriter(defaults);
  return [
    messagesProblem(parse(anthropic.write(messages, options))),
    chatProblem(parse(chat.write(messages, options))),
    responsesProblem(parse(responses.write(messages, options))),
  ].filter((problem) => problem !== undefined);
}

function numbers(events: readonly SessionEvent[]): number[] {
  return events.map(({ seq }) => seq);
}

describe("a damaged log", () => {
  it(`loads, reports its damage, and makes requests that services accept: ${HISTORIES} of them`, async () => {
    const whole = await Promise.all(logs.map(load));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(logs.length - 1),
        fc.array(damage, { minLength: 1, maxLength: 8 }),
        async (which, damages) => {
          const loaded = await load(damaged(logs[which] ?? [], damages));
          const found = numbers(loaded.events);
          expect(found).toEqual([...new Set(found)].sort((one, other) => one - other));
          // Loss in the middle is reported; loss at the end can't be noticed.
          const original = numbers(whole[which]?.events ?? []);
          const upTo = original.filter((seq) => seq <= (found.at(-1) ?? 0));
          if (found.length < upTo.length) expect(isDamaged(loaded)).toBe(true);
          expect(requestProblems(projected(loaded))).toEqual([]);
        },
      ),
      { numRuns: HISTORIES },
    );
  });

  it("is reordered when nothing is lost", async () => {
    const [entries = []] = logs;
    const whole = await load(entries);
    expect(isDamaged(whole)).toBe(false);
    const shuffled = [...entries.toReversed(), ...entries.slice(3, 6)];
    const loaded = await load(shuffled);
    expect(loaded.events).toEqual(whole.events);
    expect(loaded).toMatchObject({ doubledRecords: 0, damagedRecords: 0, missingEvents: 0 });
    const stored = new LogReader(holding(shuffled), "sessions/s", "s");
    await stored.load();
    const events = (await Array.fromAsync(stored.after(5))).flat();
    expect(numbers(events)).toEqual(
      numbers(entries.flatMap((entry) => decodeRecord(entry, "s"))).filter((seq) => seq > 5),
    );
  });

  it("counts a record with another one's number, but not a repeated one", async () => {
    const [entries = []] = logs;
    const whole = await load(entries);
    const twice = await load([...entries, ...entries]);
    expect(isDamaged(twice)).toBe(false);
    expect(twice.events).toEqual(whole.events);
    const other = encodeEvents([
      { v: 1, seq: 2, sessionId: "s", time: 0, type: "note", kind: "imported", data: {} },
    ]);
    const loaded = await load([...entries, ...other.map(({ bytes }) => bytes)]);
    expect(loaded).toMatchObject({ doubledRecords: 1, misplacedRecords: 0 });
    expect(loaded.events).toEqual(whole.events);
  });

  it("keeps the whole text when a run was rewritten with later deltas", async () => {
    const delta = (seq: number): SessionEvent => ({
      v: 1,
      seq,
      sessionId: "s",
      time: 0,
      type: "text_delta",
      messageId: "m",
      delta: String(seq),
    });
    const runs = [
      [1, 2, 3],
      [1, 2, 3, 4, 5],
      [4, 5],
    ];
    const entries = runs.flatMap((run) => encodeEvents(run.map(delta)).map(({ bytes }) => bytes));
    const loaded = await load(entries);
    expect(isDamaged(loaded)).toBe(false);
    expect(loaded.events.map((event) => "delta" in event && event.delta)).toEqual(["123", "45"]);
  });

  it("reports every missing record", async () => {
    const [entries = []] = logs;
    for (let index = 0; index < entries.length - 1; index++) {
      const loaded = await load(entries.filter((_, at) => at !== index));
      const lost = decodeRecord(entries[index] ?? new Uint8Array(), "s").length;
      expect(loaded.missingEvents, `without record ${index + 1}`).toBe(lost);
    }
  });

  it("opens when its beginning is lost, reports so once, and is not rewritten", async () => {
    const [entries = []] = logs;
    const storage = new MemoryStorage();
    await storage.append("sessions/s", entries.slice(1));
    const before = await Array.fromAsync(storage.read("sessions/s"));
    for (const _ of [1, 2]) {
      const session = new Session({ storage, sessionId: "s", provider: new ScriptedProvider([]) });
      await session.open();
      expect(session.exists()).toBe(true);
      expect(session.getHistory().at(-1)?.content).toBe("Last");
      const notes = session.getFullHistory().filter(({ type }) => type === "log-damaged");
      expect(notes).toHaveLength(1);
      expect(notes[0]?.data).toMatchObject({ missingEvents: 1 });
      await session.shutdown();
    }
    const after = await Array.fromAsync(storage.read("sessions/s"));
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it("opens when it is completely unreadable, and reports so", async () => {
    const storage = new MemoryStorage();
    await storage.append("sessions/s", [new Uint8Array([1, 2, 3])]);
    const session = new Session({
      storage,
      sessionId: "s",
      provider: new ScriptedProvider([{ text: "Anew" }]),
    });
    await session.open();
    expect(session.getFullHistory().map(({ type }) => type)).toEqual(["log-damaged"]);
    expect(await session.run("Go on")).toBe("Anew");
    await session.shutdown();
  });

  it("is unchanged when a newer version wrote it", async () => {
    const [entries = []] = logs;
    const storage = new MemoryStorage();
    const newer = new TextDecoder().decode(entries[2]).replace('"v":1', '"v":2');
    const { crc32 } = await import("../../../support/crc32.ts");
    const body = newer.slice(0, newer.lastIndexOf(',"crc"'));
    const sealed = new TextEncoder().encode(`${body},"crc":"${crc32(body)}"}`);
    await storage.append("sessions/s", [...entries.slice(0, 2), sealed, ...entries.slice(3)]);
    const before = await Array.fromAsync(storage.read("sessions/s"));
    const session = new Session({ storage, sessionId: "s", provider: new ScriptedProvider([]) });
    await expect(session.open()).rejects.toMatchObject({ code: "LOG_VERSION" });
    expect(await Array.fromAsync(storage.read("sessions/s"))).toEqual(before);
    expect(await storage.keys("")).toEqual([]);
    await session.shutdown();
  });
});
