import { expect, it } from "vitest";
import { bytesOf, type JournalRecord, recordsOf } from "./journal.ts";

const record = (now: number, revision = 7): JournalRecord => ({
  revision,
  now,
  operations: [
    { type: "write", path: `/ä/${now}`, data: new Uint8Array(now).fill(now), mode: 0o755 },
    { type: "rename", from: "/a", to: "/b" },
    { type: "write", path: "/empty", data: new Uint8Array() },
  ],
});
const joined = (...parts: Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

it("reads back all entries up to a torn tail", () => {
  const [first, second] = [bytesOf(record(3)), bytesOf(record(200))];
  const whole = joined(first, second);
  expect(recordsOf(whole)).toEqual([record(3), record(200)]);
  for (let length = 0; length < whole.length; length++) {
    const found = recordsOf(whole.subarray(0, length));
    expect(found.length).toBe(length < first.length ? 0 : 1);
  }
});

it("stops at a corrupted byte", () => {
  const whole = joined(bytesOf(record(3)), bytesOf(record(20)), bytesOf(record(3)));
  const first = bytesOf(record(3)).length;
  for (let at = first; at < first + bytesOf(record(20)).length; at++) {
    const damaged = whole.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(recordsOf(damaged).length).toBe(1);
  }
});

it("ignores remains of an earlier journal behind its end", () => {
  const left = joined(bytesOf(record(3, 8)), bytesOf(record(3, 7)));
  expect(recordsOf(left)).toEqual([record(3, 8)]);
});
