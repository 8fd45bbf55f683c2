import { afterAll, beforeAll, expect, it } from "vitest";
import { contendUntil, type Judgement } from "../support/take-overs.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

const TAKE_OVERS = Number(process.env["ROBOTA_TAKE_OVERS"] ?? 20);

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "test/workerd/take-over-worker.ts",
    objects: { STORE: "Store" },
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

it(
  "loses and renumbers no shown events when platforms on one object, one of them replaced, take sessions from each other",
  { timeout: 60_000 + TAKE_OVERS * 1_000 },
  async () => {
    const { shown, takenOver, problems } = await contendUntil(TAKE_OVERS, async (sessions) => {
      const { first, count } = sessions;
      const response = await fetch(`${workerd.url}/?first=${first}&count=${count}`);
      return (await response.json()) as Judgement;
    });
    console.info(`three platforms: ${shown} events shown, ${takenOver} take-overs`);
    expect(problems).toEqual([]);
  },
);
