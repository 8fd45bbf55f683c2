import { expect, it } from "vitest";
import { type Answer, differenceOf } from "../../shell-scripts/answers.ts";
import { generateScript } from "../../shell-scripts/grammar/script.ts";
import { runOwn } from "../../shell-scripts/own.ts";
import recorded from "../../shell-scripts/sample.json" with { type: "json" };

const sample: readonly (Answer & { seed: number })[] = recorded;

// `npm run soak -- 100000 scripts` compares as many with the bash of the machine.
it("answers generated scripts as bash does, and asks the guard about every program and file", async () => {
  const wrong: unknown[] = [];
  let files = 0;
  for (const { seed, ...real } of sample) {
    const { text } = generateScript(seed);
    const own = await runOwn(text);
    const difference = differenceOf(real, own);
    if (difference !== undefined || own.unseenFiles.length > 0)
      wrong.push({ seed, difference, text, real, own });
    files += own.files.length;
  }
  expect(wrong).toEqual([]);
  expect(sample.length).toBeGreaterThanOrEqual(250);
  expect(sample.flatMap(({ programs }) => programs).length).toBeGreaterThan(30);
  expect(files).toBeGreaterThan(30);
});
