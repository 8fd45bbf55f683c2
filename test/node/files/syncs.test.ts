import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";

const COUNT = 60;
const directories: string[] = [];

afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

it("makes each file durable that is stored at once with others, and their directory for several together", async () => {
  const directory = await mkdtemp(join(tmpdir(), "robota-syncs-"));
  directories.push(directory);
  const worker = fork(join(import.meta.dirname, "syncs-worker.ts"), [directory, String(COUNT)], {
    execArgv: ["--conditions=@robota/source", "--no-warnings"],
  });
  const [counted] = (await once(worker, "message")) as [{ values: number; logs: number }];
  expect(await readdir(join(directory, "all"))).toHaveLength(2 * COUNT + 1);
  for (const syncs of [counted.values, counted.logs]) {
    expect(syncs).toBeGreaterThan(COUNT);
    expect(syncs).toBeLessThan(1.7 * COUNT);
  }
});
