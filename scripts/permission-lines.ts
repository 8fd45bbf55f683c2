// Generated command lines, judged by the rules and run by real bash: `npm run lines -- 100000`, or from another seed on:
// `npm run lines -- 100000 5000000`.
import { SETTINGS, tryLines } from "../test/shell-lines/judge.ts";
import { canRunLines, openShellWorld } from "../test/shell-lines/run.ts";

const SHARES = [0.4, 0.2, 0.25, 0.15];

const [count = "100000", first = "1"] = process.argv.slice(2);
if (!/^[1-9]\d{0,6}$/.test(count) || !/^\d{1,9}$/.test(first) || !canRunLines()) {
  console.error("Usage, on Linux with bash: npm run lines -- <lines, 1 to 9999999> [first seed]");
  process.exit(2);
}
let next = Number(first);
for (const [index, setting] of SETTINGS.entries()) {
  using world = openShellWorld();
  const lines = Math.round(Number(count) * (SHARES[index] ?? 0));
  const seeds = Array.from({ length: lines }, (_, at) => next + at);
  next += lines;
  const { wrong, ...figures } = await tryLines(world, setting, seeds);
  console.log(JSON.stringify({ ...figures, wrong: wrong.length }));
  for (const line of wrong) console.log(`  ${line}`);
  if (wrong.length > 0) process.exitCode = 1;
}
