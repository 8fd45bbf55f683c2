// The death tests with as many kills as asked for: `npm run soak -- 300`.
import { spawn } from "node:child_process";

const [count = "300"] = process.argv.slice(2);
if (!/^[1-9]\d{0,4}$/.test(count)) {
  console.error("Usage: npm run soak -- <kills per host, 1 to 99999>");
  process.exit(2);
}
const child = spawn(
  "vitest",
  ["run", "--project", "node", "--project", "e2e", "death", "--testTimeout", "7200000"],
  {
    stdio: "inherit",
    env: { ...process.env, ROBOTA_KILLS: count },
  },
);
child.on("exit", (code) => (process.exitCode = code ?? 1));
