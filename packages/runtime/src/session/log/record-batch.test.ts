import { afterEach, describe, expect, it, vi } from "vitest";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { crc32 } from "../../crc32.ts";
import { decodePlaced, unlessDamaged } from "./codec.ts";
import { encodeEvents } from "./encode-events.ts";
import type { SessionEvent } from "./events.ts";
import { decodeAll, LogReader } from "./log-reader.ts";

const named = (seq: number, name = `Grüße ${seq} 👋`): SessionEvent => ({
  v: 1,
  seq,
  sessionId: "s",
  time: seq,
  type: "name_change",
  name,
});
const recordsOf = (count: number): Uint8Array[] =>
  encodeEvents(Array.from({ length: count }, (_, index) => named(index + 1))).map(
    ({ bytes }) => bytes,
  );

/** A record with a right checksum. `body`: its JSON but for the brace at its end. */
function sealed(body: Uint8Array): Uint8Array {
  const framed = new Uint8Array([...body, ...new TextEncoder().encode(`,"crc":"        "}`)]);
  const checksum = crc32(framed, body.length).toString(16).padStart(8, "0");
  framed.set(new TextEncoder().encode(checksum), body.length + 8);
  return framed;
}
const text = (body: string): Uint8Array => sealed(new TextEncoder().encode(body));

afterEach(() => void vi.restoreAllMocks());

describe("records that are decoded together", () => {
  it.each([
    ["whole ones", undefined],
    ["one with a line feed", text('{"v":1,\n"seq":9,"time":1,"type":"name_change","name":"nine"')],
    ["one that is no JSON", text('{"v":1,"seq":9,"time":1,"type":"name_change","name":"ni')],
    ["one that is two", text('{"v":1,"seq":9,"type":"a"},{"v":1,"seq":10,"type":"b"')],
    ["one that is no UTF-8", sealed(new Uint8Array([0x7b, 0xc3]))],
    ["one with a wrong checksum", new TextEncoder().encode(`{"v":1,"seq":9,"crc":"00000000"}`)],
    ["an empty one", new Uint8Array()],
    ["one of 20 kB", encodeEvents([named(9, "ü".repeat(10_000))])[0]?.bytes],
  ])("are those that each is by itself: %s", (_, odd) => {
    const records = recordsOf(300).toSpliced(8, odd ? 1 : 0, ...(odd ? [odd] : []));
    const single = records.map((bytes) => unlessDamaged(() => decodePlaced(bytes, "s")));
    expect(decodeAll(records, "s")).toEqual(single);
  });

  it("take one call of the text decoder for many of them", () => {
    const records = recordsOf(1_000);
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    expect(decodeAll(records, "s")).toHaveLength(1_000);
    expect(decode.mock.calls.length).toBeLessThan(20);
  });
});

describe("a log that is loaded", () => {
  it("is decoded while storage looks for more of it", async () => {
    const storage = new MemoryStorage();
    const parse = vi.spyOn(JSON, "parse");
    const records = recordsOf(1_000);
    const parsed: number[] = [];
    const read = async function* () {
      for (const [index, value] of records.entries()) {
        if (index === 500) parsed.push(parse.mock.calls.length);
        yield { seq: index + 1, value };
      }
    };
    vi.spyOn(storage, "read").mockImplementation(read);
    const { events } = await new LogReader(storage, "sessions/s", "s").load();
    expect(events).toHaveLength(1_000);
    expect(parsed[0]).toBeGreaterThan(300);
  });

  it("is passed on as lists, and none of its events twice", async () => {
    const storage = new MemoryStorage();
    await storage.append("sessions/s", recordsOf(1_000));
    const reader = new LogReader(storage, "sessions/s", "s");
    await reader.load();
    const lists = await Array.fromAsync(reader.after(3));
    expect(lists.flat().map(({ seq }) => seq)).toEqual(
      Array.from({ length: 997 }, (_, index) => index + 4),
    );
    expect(lists.length).toBeLessThan(5);
  });
});
