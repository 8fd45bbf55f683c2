import { expect, it } from "vitest";
import { EventStreamParser } from "./sse.ts";
import { expectWithin } from "../../../../test/support/time/own-time.ts";

type Event = [data: string, event: string];

function parse(...chunks: (string | Uint8Array)[]): Event[] {
  const events: Event[] = [];
  const parser = new EventStreamParser((data, event) => events.push([data, event]));
  const encoder = new TextEncoder();
  for (const chunk of chunks)
    parser.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  return events;
}

const stream =
  'event: a\ndata: {"x":"ö👋"}\n\n: comment\n\ndata:two\ndata: lines\nid: 7\n\nevent: b\ndata\n\n';
const expected: Event[] = [
  ['{"x":"ö👋"}', "a"],
  ["two\nlines", ""],
  ["", "b"],
];

it("reads events with one or more data lines, names, comments and unknown fields", () => {
  expect(parse(stream)).toEqual(expected);
});

it.each(["\n", "\r\n", "\r"])(
  "reads the same at any split of the bytes, with lines ending in %j",
  (end) => {
    const bytes = new TextEncoder().encode(stream.replaceAll("\n", end));
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(parse(...chunks), `${size} bytes a chunk`).toEqual(expected);
    }
  },
);

it("reads mixed line ends in one stream", () => {
  expect(parse("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n")).toEqual([
    ["1", ""],
    ["2", ""],
    ["3", ""],
  ]);
});

it("emits an event as soon as its empty line is complete, also when that ends in CR", () => {
  expect(parse("data: 1\r\r")).toEqual([["1", ""]]);
  expect(parse("data: 1\r\n\r", "\ndata: 2\n\n")).toEqual([
    ["1", ""],
    ["2", ""],
  ]);
});

it("skips a byte order mark, but only at the beginning", () => {
  expect(parse("\uFEFFdata: 1\n\ndata: \uFEFF2\n\n")).toEqual([
    ["1", ""],
    ["\uFEFF2", ""],
  ]);
});

it("removes exactly one space, and ignores fields with other names", () => {
  expect(parse("data:  two\n\ndatabase: x\nevents: y\n data: z\ndata:1\n\n")).toEqual([
    [" two", ""],
    ["1", ""],
  ]);
});

it("drops an incomplete last event, and events without data", () => {
  expect(parse("event: only\n\ndata: whole\n\ndata: cut\n")).toEqual([["whole", ""]]);
});

it("reads a line of 16 MB in small chunks in linear time", async () => {
  const piece = "x".repeat(16 * 1024);
  const chunks = ["data: ", ...Array.from({ length: 1024 }, () => piece), "\n\n"];
  await expectWithin(3_000, () => {
    const [event] = parse(...chunks);
    expect(event?.[0]).toHaveLength(16 * 1024 * 1024);
  });
});
