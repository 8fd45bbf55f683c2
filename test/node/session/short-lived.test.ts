import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const KILOBYTE = 1024;

/**
 * What survives the collections of new objects is copied twice, and stays until a full one. An object literal with an
 * accessor, made in each turn, kept all of its session: V8 makes a hidden class for it, which is old from the beginning.
 */
it("leaves 5 KB of a closed session to a full garbage collection", async () => {
  const program = join(import.meta.dirname, "short-lived-worker.ts");
  const args = ["--conditions=@robota/source", "--no-warnings", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout)).toBeLessThan(5 * KILOBYTE);
});
