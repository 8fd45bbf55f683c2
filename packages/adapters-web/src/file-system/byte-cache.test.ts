import { expect, it } from "vitest";
import { ByteCache } from "./byte-cache.ts";

/** Now and then the cache leaves a read to the database: the second time it does not. */
const read = (cache: ByteCache, ino: number): Uint8Array | undefined =>
  cache.get(ino) ?? cache.get(ino);

it("hands out copies of what it was given", () => {
  const cache = new ByteCache();
  cache.set(1, Uint8Array.of(1, 2));
  read(cache, 1)?.fill(0);
  expect(read(cache, 1)).toEqual(Uint8Array.of(1, 2));
  cache.delete(1);
  expect(read(cache, 1)).toBeUndefined();
});

it("keeps a bounded amount: no large files, and the oldest go first", () => {
  const cache = new ByteCache();
  cache.set(0, new Uint8Array(2 * 1024 * 1024));
  expect(read(cache, 0)).toBeUndefined();
  for (let ino = 1; ino <= 40; ino++) cache.set(ino, new Uint8Array(1024 * 1024));
  expect(read(cache, 8)).toBeUndefined();
  expect(read(cache, 9)).toHaveLength(1024 * 1024);
});

it("lets whoever polls a file wait for the browser again and again", async () => {
  const cache = new ByteCache();
  cache.set(1, new Uint8Array(1));
  const answers: boolean[] = [];
  const until = performance.now() + 35;
  while (performance.now() < until) answers.push(cache.get(1) !== undefined);
  const refused = answers.filter((answer) => !answer).length;
  expect(refused).toBeGreaterThan(1);
  expect(refused).toBeLessThan(10);
});
