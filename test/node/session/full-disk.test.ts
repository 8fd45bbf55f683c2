import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { type FullDiskReport, LIVED_THROUGH } from "../../support/recovery/full-disk.ts";
import { hasSmallDisks, onSmallDisk } from "../../support/servers/small-disk.ts";
import { bundleWorker } from "./worker-process.ts";

const execute = promisify(execFile);

/** Lets `command` make files of at most 1,024 blocks, which are 512 bytes or 1 KB, until it raises the limit. */
function withSmallFiles(command: readonly string[]): string[] {
  return ["sh", "-c", 'ulimit -S -f 1024 && exec "$@"', "sh", ...command];
}

async function liveBy(
  command: (disk: string, worker: readonly string[]) => readonly string[],
  makeRoom: "remove" | "raise",
): Promise<FullDiskReport> {
  const directory = await mkdtemp(join(tmpdir(), "robota-full-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const worker = await bundleWorker(directory, "full-disk-worker.ts");
  const disk = join(directory, "disk");
  await mkdir(disk);
  const [program = "", ...args] = command(disk, [process.execPath, worker, disk, makeRoom]);
  const { stdout } = await execute(program, args);
  return JSON.parse(stdout) as FullDiskReport;
}

it("a session on a disk without space ends its turn with FULL, loses nothing, and goes on when there is space", async ({
  skip,
}) => {
  if (!hasSmallDisks()) return skip("no file system can be mounted here");
  const report = await liveBy((disk, worker) => onSmallDisk(disk, "1m", worker), "remove");
  expect(report).toMatchObject({
    ...LIVED_THROUGH,
    failed: { state: "failed", code: "FULL", hint: expect.stringContaining("Free some space") },
  });
  expect(report.completed).toBeGreaterThan(2);
});

it.runIf(process.platform === "linux")(
  "a session whose files may not grow ends its turn with FULL, loses nothing, and goes on when they may",
  async () => {
    const report = await liveBy((_disk, worker) => withSmallFiles(worker), "raise");
    expect(report).toMatchObject({
      ...LIVED_THROUGH,
      failed: { state: "failed", code: "FULL", hint: expect.stringContaining("ulimit -f") },
    });
    expect(report.completed).toBeGreaterThan(2);
  },
);
