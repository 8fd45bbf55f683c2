import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const KILOBYTE = 1024;

/**
 * In a process of its own, where nothing else changes the heap: the same to a few bytes in each run. The messages
 * themselves take a third, and the limit leaves room for a few more fields, not for a list of entries of each session.
 */
it("holds an idle session of 20 messages in 16 KB of heap", async () => {
  const program = join(import.meta.dirname, "idle-sessions-worker.ts");
  const args = ["--conditions=@robota/source", "--no-warnings", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout)).toBeGreaterThan(5 * KILOBYTE);
  expect(Number(stdout)).toBeLessThan(16 * KILOBYTE);
});
