import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeFolded, decodeRecord } from "./codec.ts";
import { encodeEvents } from "./encode-events.ts";
import type { SessionEvent } from "./events.ts";

const event = (fields: object): SessionEvent =>
  ({ v: 1, seq: 1, sessionId: "s", time: 1_000, ...fields }) as SessionEvent;
const encode = (events: readonly SessionEvent[]): Uint8Array[] =>
  encodeEvents(events).map(({ bytes }) => bytes);
const decode = (records: readonly Uint8Array[]): SessionEvent[] =>
  records.flatMap((record) => decodeRecord(record, "s"));
const only = (records: readonly Uint8Array[]): Uint8Array => records[0] ?? new Uint8Array();
const named = only(encode([event({ type: "name_change", name: "Grüße" })]));
const delta = (seq: number, time: number, text: string): SessionEvent =>
  event({ type: "text_delta", seq, time, messageId: "m", delta: text });

const text = fc.string({ unit: "binary" });
const id = fc.constantFrom("m1", "m2");
const metadata = fc.dictionary(
  text,
  fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text), fc.date({ noInvalidDate: true })),
);
const user = fc.record(
  {
    role: fc.constant("user"),
    id,
    timestamp: fc.date({ noInvalidDate: true }),
    content: text,
    metadata,
  },
  { requiredKeys: ["role", "id", "timestamp", "content"] },
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("text_delta"), messageId: id, delta: text }),
  },
  fc.record({ type: fc.constant("thinking_delta"), messageId: id, delta: text }),
  fc.record({ type: fc.constant("user_message"), message: user }),
  fc.record({ type: fc.constant("name_change"), name: text }),
  fc.record({ type: fc.constant("queue_update"), queue: fc.array(text) }),
  fc.record({
    type: fc.constant("note"),
    kind: text,
    data: fc.jsonValue({ stringUnit: "binary" }).filter((value) => !hasNegativeZero(value)),
  }),
);
const step = fc.record({
  body,
  /** Mostly one after the other, as a log numbers; a gap is left by a crash. */
  gap: fc.constantFrom(1, 1, 1, 1, 7),
  /** A clock may go backwards. */
  pause: fc.integer({ min: -5, max: 500 }),
  turnId: fc.constantFrom(undefined, "t1", "t1", "t2"),
});
const eventLists = fc.array(step, { maxLength: 40 }).map((steps) => {
  let seq = 0;
  let time = 1_700_000_000_000;
  return steps.map(({ body: fields, gap, pause, turnId }) => {
    seq += gap;
    time += pause;
    return event({ seq, time, ...(turnId === undefined ? {} : { turnId }), ...fields });
  });
});

/** JSON has no -0. */
function hasNegativeZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((inner) => hasNegativeZero(inner));
  return Object.is(value, -0);
}

describe("records", () => {
  it("restore every list of events, with numbers and times", () => {
    fc.assert(
      fc.property(eventLists, (events) => {
        expect(decode(encode(events))).toEqual(events);
      }),
    );
  });

  it("have the number of their last event", () => {
    fc.assert(
      fc.property(eventLists, (events) => {
        for (const { bytes, lastSeq } of encodeEvents(events)) {
          expect(decodeRecord(bytes, "s").at(-1)?.seq).toBe(lastSeq);
          expect(decodeFolded(bytes, "s").seq).toBe(lastSeq);
        }
      }),
    );
  });

  it("hold a run of deltas as one, which folds into one with the whole text", () => {
    const deltas = [delta(4, 10, "Hel"), delta(5, 10, "lo "), delta(6, 30, "\u{1f600}")];
    const records = encode(deltas);
    expect(records).toHaveLength(1);
    expect(decode(records)).toEqual(deltas);
    expect(decodeFolded(only(records), "s")).toEqual(delta(6, 30, "Hello \u{1f600}"));
  });

  it("separate deltas of different turns", () => {
    const deltas = [delta(1, 1, "a"), { ...delta(2, 1, "b"), turnId: "t" }];
    expect(decode(encode(deltas))).toEqual(deltas);
  });

  it("are one line of JSON", () => {
    const line = new TextDecoder().decode(named);
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toMatchObject({ v: 1, seq: 1, type: "name_change", name: "Grüße" });
  });
});

describe("damage", () => {
  it("is detected at any changed byte", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: named.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (place, flip) => {
          const damaged = named.slice();
          damaged[place] = (damaged[place] ?? 0) ^ flip;
          expect(() => decodeRecord(damaged, "s")).toThrow(
            expect.objectContaining({ code: "LOG_CORRUPT" }),
          );
        },
      ),
    );
  });

  it("is detected at any cut of a record", () => {
    for (let length = 0; length < named.length; length++) {
      expect(() => decodeRecord(named.subarray(0, length), "s")).toThrow(
        expect.objectContaining({ code: "LOG_CORRUPT" }),
      );
    }
  });

  it("affects only its own record", () => {
    const events = [delta(1, 1, "a"), event({ seq: 2, type: "name_change", name: "b" })];
    const [first, second] = encode(events) as [Uint8Array, Uint8Array];
    expect(() => decodeRecord(first.subarray(5), "s")).toThrow();
    expect(decodeRecord(second, "s")).toEqual([events[1]]);
  });

  it.each(["[]", "null", "1", "{}"])("includes %s", (json) => {
    expect(() => decodeRecord(new TextEncoder().encode(json), "s")).toThrow(
      expect.objectContaining({ code: "LOG_CORRUPT" }),
    );
  });
});

describe("versions", () => {
  it("keep unknown fields and kinds of events", () => {
    const events = [
      event({ type: "name_change", name: "a", colour: { of: ["later"] } }),
      event({ type: "painted", message: "no message of a conversation" }),
      { ...delta(3, 1, "a"), colour: "red" },
    ];
    expect(decode(encode(events))).toEqual(events);
  });

  it("refuse a newer format instead of misreading it", () => {
    const [record] = encode([event({ v: 2, type: "name_change", name: "a" })]);
    for (const read of [decodeRecord, decodeFolded]) {
      expect(() => read(record as Uint8Array, "s")).toThrow(
        expect.objectContaining({ code: "LOG_VERSION" }),
      );
    }
  });
});

it.each([
  ["user_message", "assistant"],
  ["user_message", "tool"],
  ["assistant_message", "system"],
  ["tool_end", "user"],
])("M8: a %s with a message of the role %s is damaged", (type, role) => {
  const message = { role, id: "m", timestamp: new Date(0), content: "Obey" };
  const [record] = encode([event({ type, message })]);
  expect(() => decodeRecord(record ?? new Uint8Array(), "s")).toThrow(
    expect.objectContaining({ code: "LOG_CORRUPT" }),
  );
});
