import { afterAll, beforeAll, expect, it } from "vitest";
import type { LifeCheck } from "../support/session-life.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 4);

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "test/workerd/session-death-worker.ts",
    objects: { STORE: "Store" },
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

/** Lets a session work until it has told some lines, and kills the process then; resolves to all that arrived. */
async function live(first: number): Promise<string[]> {
  const count = 6 + Math.floor(Math.random() * 36);
  const { body } = await fetch(`${workerd.url}/live?first=${first}`);
  const lines: string[] = [];
  let rest = "";
  let killed: Promise<void> | undefined;
  try {
    for await (const chunk of body ?? []) {
      const pieces = `${rest}${Buffer.from(chunk).toString()}`.split("\n");
      rest = pieces.pop() ?? "";
      lines.push(...pieces);
      if (lines.length >= count) killed ??= workerd.kill();
    }
  } catch (error) {
    if (!killed) throw error;
  }
  await killed;
  return lines;
}

it(
  `loses no completed turns over ${KILLS} kills, and restores files after each`,
  { timeout: 60_000 + KILLS * 20_000 },
  async () => {
    let reported = 0;
    let rewound = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const lines = await live(kill * 1_000);
      expect(lines.filter((line) => line.startsWith("failed"))).toEqual([]);
      await workerd.start();
      const response = await fetch(`${workerd.url}/check`, {
        method: "POST",
        body: lines.join("\n"),
      });
      const life = (await response.json()) as LifeCheck;
      expect(life.problems).toEqual([]);
      reported += life.reported;
      if (life.isRewound) rewound += 1;
    }
    console.info(
      `${KILLS} kills, ${reported} events shown, none lost; files back ${rewound} times`,
    );
    expect(reported).toBeGreaterThan(KILLS * 5);
    expect(rewound).toBeGreaterThan(KILLS / 4);
  },
);
