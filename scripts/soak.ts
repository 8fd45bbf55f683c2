// Tests that need many tries, with as many as asked for: `npm run soak -- 300` kills each host that often, `npm run soak -- 300
// turns` only in the middle of whole turns, `npm run soak -- 500 go-on` workerd in the middle of turns that go on by
// themselves, and `npm run soak -- 5000 take-overs` has sessions taken over that often on each host, with 20 times as many
// events.
import { spawn } from "node:child_process";

const TESTS = new Map([
  ["all", { name: "death", count: "ROBOTA_KILLS" }],
  ["turns", { name: "session-death", count: "ROBOTA_KILLS" }],
  ["go-on", { name: "turns-go-on", count: "ROBOTA_KILLS" }],
  ["take-overs", { name: "take-over", count: "ROBOTA_TAKE_OVERS" }],
]);

const [count = "300", which = "all"] = process.argv.slice(2);
const tests = TESTS.get(which);
if (!/^[1-9]\d{0,4}$/.test(count) || !tests) {
  console.error(
    "Usage: npm run soak -- <times per host, 1 to 99999> [all | turns | go-on | take-overs]",
  );
  process.exit(2);
}
const child = spawn(
  "vitest",
  ["run", "--project", "node", "--project", "e2e", tests.name, "--testTimeout", "7200000"],
  {
    stdio: "inherit",
    env: { ...process.env, [tests.count]: count },
  },
);
child.on("exit", (code) => (process.exitCode = code ?? 1));
