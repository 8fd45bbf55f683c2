import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../virtual-shell.ts";

const run = (command: string) =>
  new VirtualShell({ fs: new MemoryFileSystem() }).exec(command, { cwd: "/" });

it.each([
  ["echo {1..25000}", 25_000, "25000"],
  ["echo {25000..1}", 25_000, "1"],
  ["echo {1..50001..2}", 25_001, "50001"],
  ["for i in {0..10000}; do echo $i; done", 10_001, "10000"],
])("expands the long range of %s completely", async (command, count, last) => {
  const { stdout, stderr } = await run(command);
  const numbers = stdout.trim().split(/\s+/);
  expect([numbers.length, numbers.at(-1), stderr]).toEqual([count, last, ""]);
});

it("fails instead of truncating a range above the limit", async () => {
  const { stdout, stderr, exitCode } = await run("echo {1..10000000}");
  expect(exitCode).not.toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toContain("brace expansion");
});
