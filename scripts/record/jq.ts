// Runs every case of `test/conformance/jq.json` with this machine's jq and keeps its answers there: `node scripts/record/jq.ts`.
// A new case needs `args` and, unless it reads nothing, `input`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JqCase } from "../../test/conformance/jq-cases.ts";

const file = join(import.meta.dirname, "../../test/conformance/jq.json");
const cases: JqCase[] = JSON.parse(readFileSync(file, "utf8"));
const answered = cases.map(({ args, input = "" }): JqCase => {
  const { stdout, stderr, status } = spawnSync("jq", [...args], {
    input,
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin" },
  });
  return { args, ...(input === "" ? {} : { input }), stdout, stderr, exitCode: status ?? 1 };
});
// As escapes, since not every tool that reads the file takes all characters.
const json = JSON.stringify(answered, null, 2).replace(
  /[\u007f-\uffff]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
);
writeFileSync(file, `${json}\n`);
console.log(`${answered.length} answers`);
