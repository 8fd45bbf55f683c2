import { expect, it } from "vitest";
import { createPacer } from "./pacer.ts";

it("lets an abort through during synchronous work", async () => {
  const controller = new AbortController();
  const pace = createPacer(controller.signal);
  setTimeout(() => controller.abort(), 5);
  let steps = 0;
  const work = async () => {
    for (; steps < 100_000; steps += 1) {
      const turn = pace(20_000);
      if (turn) await turn;
    }
  };
  await expect(work()).rejects.toMatchObject({ name: "AbortError" });
  expect(steps).toBeLessThan(100_000);
});

it("does not pause for little work", () => {
  const pace = createPacer(new AbortController().signal);
  expect(pace(10)).toBeUndefined();
  expect(pace(1_000_000)).toBeInstanceOf(Promise);
});

it("throws after an abort", () => {
  const controller = new AbortController();
  const pace = createPacer(controller.signal);
  controller.abort();
  expect(() => pace(1)).toThrow(expect.objectContaining({ name: "AbortError" }));
});
