// The death tests with as many kills as asked for: `npm run soak -- 300`, or only those of whole turns: `npm run soak -- 300 turns`.
import { spawn } from "node:child_process";

const TESTS = new Map([
  ["all", "death"],
  ["turns", "session-death"],
]);

const [count = "300", which = "all"] = process.argv.slice(2);
const tests = TESTS.get(which);
if (!/^[1-9]\d{0,4}$/.test(count) || !tests) {
  console.error("Usage: npm run soak -- <kills per host, 1 to 99999> [all | turns]");
  process.exit(2);
}
const child = spawn(
  "vitest",
  ["run", "--project", "node", "--project", "e2e", tests, "--testTimeout", "7200000"],
  {
    stdio: "inherit",
    env: { ...process.env, ROBOTA_KILLS: count },
  },
);
child.on("exit", (code) => (process.exitCode = code ?? 1));
