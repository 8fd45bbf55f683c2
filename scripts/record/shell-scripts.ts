// Records what real bash answers to the sample of generated scripts that the tests run: on Linux with bash 5.2 and the GNU
// tools, `node --conditions=@robota/source scripts/record/shell-scripts.ts` writes `test/shell-scripts/sample.json`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBash } from "../../test/shell-scripts/bash.ts";
import { generateScript } from "../../test/shell-scripts/grammar/script.ts";

const FIRST = 4_000_000;
const COUNT = 300;

using bash = openBash();
const seeds = Array.from({ length: COUNT }, (_, index) => FIRST + index);
const answers = await bash.run(seeds.map((seed) => generateScript(seed).text));
const recorded = answers.flatMap((answer, index) =>
  answer ? { seed: seeds[index], ...answer } : [],
);
const target = join(import.meta.dirname, "../../test/shell-scripts/sample.json");
writeFileSync(target, `${JSON.stringify(recorded, undefined, 2)}\n`);
