import { expect, it, vi } from "vitest";
import { ByteCache } from "./byte-cache.ts";

/** Now and then the cache leaves a read to the database: the second time it does not. */
const read = (cache: ByteCache, ino: number): Uint8Array | undefined =>
  cache.get(ino) ?? cache.get(ino);

it("returns copies of the cached bytes", () => {
  const cache = new ByteCache();
  cache.set(1, Uint8Array.of(1, 2));
  read(cache, 1)?.fill(0);
  expect(read(cache, 1)).toEqual(Uint8Array.of(1, 2));
  cache.delete(1);
  expect(read(cache, 1)).toBeUndefined();
});

it("is bounded: excludes large files, and evicts the oldest first", () => {
  const cache = new ByteCache();
  cache.set(0, new Uint8Array(2 * 1024 * 1024));
  expect(read(cache, 0)).toBeUndefined();
  for (let ino = 1; ino <= 40; ino++) cache.set(ino, new Uint8Array(1024 * 1024));
  expect(read(cache, 8)).toBeUndefined();
  expect(read(cache, 9)).toHaveLength(1024 * 1024);
});

it("sends a caller that polls a file to the browser again and again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const cache = new ByteCache();
  cache.set(1, new Uint8Array(1));
  let refused = 0;
  for (let passed = 0; passed < 100; passed++) {
    if (!cache.get(1)) refused += 1;
    vi.advanceTimersByTime(1);
  }
  expect(refused).toBeGreaterThan(5);
  expect(refused).toBeLessThan(15);
  vi.useRealTimers();
});
