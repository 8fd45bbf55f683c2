import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { endFamily } from "./process-family.ts";

/** Grace that a slow machine does not exceed; what ends earlier is not waited for. */
const PATIENT_MS = 60_000;

it("lets a command clean up before it is killed", async () => {
  const marker = `ROBOTA_TEST_${process.pid}`;
  const script = "trap 'echo cleaned; exit' TERM; echo ready; while :; do sleep 0.01; done";
  const child = spawn("bash", ["-c", script], {
    detached: true,
    env: { ...process.env, [marker]: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await expect.poll(() => output).toBe("ready\n");
  const closed = once(child, "close");
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  await endFamily({ pid: child.pid ?? 0, marker, isRunning }, PATIENT_MS);
  await closed;
  expect(output).toBe("ready\ncleaned\n");
});
