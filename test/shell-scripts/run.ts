// Generated scripts in real bash and in our shell, with the guard: `npm run soak -- 100000 scripts`, or from another seed
// on: `npm run soak -- 100000 scripts 5000000`. Everything happens in a temporary directory.
import { differenceOf } from "./answers.ts";
import { isBashHere, openBash } from "./bash.ts";
import { generateScript } from "./grammar/script.ts";
import { runOwn } from "./own.ts";
import { shrink } from "./shrink.ts";

const AT_ONCE = 250;
const MAX_SHRUNK = 20;
const MAX_MS = 2 * 60 * 60 * 1_000;

const [count = 0, first = 1] = process.argv.slice(2).map(Number);
if (!isBashHere()) {
  console.error("This needs bash and the GNU tools on Linux.");
  process.exit(2);
}
using bash = openBash();
const startMs = Date.now();
const spentMs = { bash: 0, own: 0 };
let [tried, different, programs, files] = [0, 0, 0, 0];
const kinds: Record<string, number> = {};
/** Scripts that grow without end in bash, and were ended here. */
const endless: number[] = [];
/** Files that were read or changed without a question to the guard, by the script's seed. */
const unguarded: string[] = [];
for (; tried < count && Date.now() - startMs < MAX_MS; tried += AT_ONCE) {
  const seeds = Array.from(
    { length: Math.min(AT_ONCE, count - tried) },
    (_, index) => first + tried + index,
  );
  const scripts = seeds.map((seed) => generateScript(seed));
  const bashMs = Date.now();
  const reals = await bash.run(scripts.map(({ text }) => text));
  const ownMs = Date.now();
  spentMs.bash += ownMs - bashMs;
  const wrong: { seed: number; index: number; difference: string }[] = [];
  for (const [index, { text }] of scripts.entries()) {
    const own = await runOwn(text);
    programs += own.programs.length;
    files += own.files.length;
    const real = reals[index];
    if (!real) {
      endless.push(seeds[index] ?? 0);
      continue;
    }
    if (own.unseenFiles.length > 0)
      unguarded.push(`seed ${seeds[index]}: ${own.unseenFiles.join(", ")}`);
    const difference = differenceOf(real, own);
    const kind = difference?.split(" ")[0];
    if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (difference !== undefined) wrong.push({ seed: seeds[index] ?? 0, index, difference });
  }
  spentMs.own += Date.now() - ownMs;
  for (const { seed, index, difference } of wrong) {
    const script = scripts[index];
    if (!script || ++different > MAX_SHRUNK) continue;
    const { text, real, own } = await shrink(bash, script, difference);
    console.log(`seed ${seed}: ${difference}\n${text}`);
    console.log(JSON.stringify({ real, own }, undefined, 1));
  }
}
const figures = {
  scripts: Math.min(tried, count),
  different,
  kinds,
  endless,
  unguarded,
  programs,
  files,
  spentMs,
};
console.log(JSON.stringify(figures));
if (different > 0 || unguarded.length > 0 || tried < count) process.exitCode = 1;
