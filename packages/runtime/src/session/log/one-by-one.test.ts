import { expect, it } from "vitest";
import { oneByOne } from "./one-by-one.ts";

async function* listsOf(...lists: readonly number[][]): AsyncGenerator<readonly number[], void> {
  yield* lists;
}

it("yields the entries of all lists in their order", async () => {
  const entries = await Array.fromAsync(oneByOne(listsOf([1, 2], [], [3], [], [])));
  expect(entries).toEqual([1, 2, 3]);
});

it("answers requests in the order in which they came, however many there are at once", async () => {
  const entries = oneByOne(listsOf([1, 2], [3], [4, 5]));
  const answers = await Promise.all(Array.from({ length: 7 }, () => entries.next()));
  expect(answers.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, undefined, undefined]);
  expect(answers.map(({ done }) => done)).toEqual([...Array<boolean>(5).fill(false), true, true]);
});

it("yields nothing of a list after the abort", async () => {
  const abort = new AbortController();
  const seen: number[] = [];
  const lists = async function* () {
    yield [1, 2, 3];
    if (!abort.signal.aborted) yield [4];
  };
  for await (const entry of oneByOne(lists(), abort.signal)) {
    seen.push(entry);
    if (entry === 2) abort.abort();
  }
  expect(seen).toEqual([1, 2]);
});

it("lets the lists clean up when its reader stops, and yields nothing more", async () => {
  const closed: string[] = [];
  const lists = async function* () {
    try {
      yield [1, 2, 3];
    } finally {
      closed.push("closed");
    }
  };
  const entries = oneByOne(lists());
  for await (const entry of entries) if (entry === 1) break;
  expect(closed).toEqual(["closed"]);
  expect(await entries.next()).toEqual({ value: undefined, done: true });
});

it("passes an error of the lists on, and is over then", async () => {
  const lists = async function* () {
    yield [1];
    throw new Error("unreadable");
  };
  const entries = oneByOne(lists());
  const requests = [entries.next(), entries.next(), entries.next()];
  const [first, failed, last] = await Promise.allSettled(requests);
  expect(first).toMatchObject({ value: { value: 1 } });
  expect(failed).toMatchObject({ reason: { message: "unreadable" } });
  expect(last).toMatchObject({ value: { done: true } });
});
