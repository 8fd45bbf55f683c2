// Tests that need many tries, with as many as asked for: `npm run soak -- 300` kills each host that often, `npm run soak -- 300
// turns` only in the middle of whole turns, `npm run soak -- 500 go-on` workerd in the middle of turns that go on by
// themselves, and `npm run soak -- 5000 take-overs` has sessions taken over that often on each host, with 20 times as many
// events. `npm run soak -- 100000 scripts` compares as many generated scripts, from a seed on, in our shell and in bash.
import { spawn } from "node:child_process";
import { join } from "node:path";

const TESTS = new Map([
  ["all", { name: "death", count: "ROBOTA_KILLS" }],
  ["turns", { name: "session-death", count: "ROBOTA_KILLS" }],
  ["go-on", { name: "turns-go-on", count: "ROBOTA_KILLS" }],
  ["take-overs", { name: "take-over", count: "ROBOTA_TAKE_OVERS" }],
]);

const [count = "300", which = "all", seed = "1"] = process.argv.slice(2);
const tests = TESTS.get(which);
const isScripts = which === "scripts";
if (!/^[1-9]\d{0,5}$/.test(count) || !/^\d{1,9}$/.test(seed) || !(tests ?? isScripts)) {
  console.error(
    "Usage: npm run soak -- <times per host, 1 to 999999> [all | turns | go-on | take-overs]\n" +
      "       npm run soak -- <scripts> scripts [first seed]",
  );
  process.exit(2);
}
const program = join(import.meta.dirname, "../test/shell-scripts/run.ts");
const child = tests
  ? spawn(
      "vitest",
      ["run", "--project", "node", "--project", "e2e", tests.name, "--testTimeout", "7200000"],
      { stdio: "inherit", env: { ...process.env, [tests.count]: count } },
    )
  : spawn(process.execPath, ["--conditions=@robota/source", program, count, seed], {
      stdio: "inherit",
    });
child.on("exit", (code) => (process.exitCode = code ?? 1));
