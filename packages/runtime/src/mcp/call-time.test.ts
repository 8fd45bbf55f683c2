import { expect, it } from "vitest";
import { CallTime } from "./call-time.ts";

/** Resolves when a time that began now is over. */
const over = ({ signal }: CallTime): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

it("ends at its limit", async () => {
  using short = new CallTime(20);
  await over(short);
  expect(short.isOver).toBe(true);
});

it("stands still while a person is asked, and goes on afterwards", async () => {
  using time = new CallTime(20);
  using longer = new CallTime(80);
  await time.during(over(longer));
  expect(time.isOver).toBe(false);
  await over(time);
  expect(time.isOver).toBe(true);
});

it("keeps no timer once it is disposed of, also when a question ends later", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const time = new CallTime(10);
  const asking = time.during(promise);
  time[Symbol.dispose]();
  resolve();
  await asking;
  using longer = new CallTime(80);
  await over(longer);
  expect(time.isOver).toBe(false);
});

it("ends with the caller's signal", () => {
  const caller = new AbortController();
  using time = new CallTime(60_000, caller.signal);
  caller.abort();
  expect(time.signal.aborted).toBe(true);
  expect(time.isOver).toBe(false);
});
