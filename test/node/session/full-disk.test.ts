import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import type { FullDiskReport } from "../../support/recovery/full-disk.ts";
import { bundleWorker } from "./worker-process.ts";

const execute = promisify(execFile);

/** A disk of 1 MB, for this process and those that it starts, with a file on it that can be removed. */
const SMALL_DISK = 'mount -t tmpfs -o size=1m none "$1" && head -c 300000 /dev/zero > "$1/ballast"';
/** Files of at most 1,024 blocks, which are 512 bytes or 1 KB, until the program raises the limit. */
const SMALL_FILES = "ulimit -S -f 1024";

function canMount(): boolean {
  try {
    execFileSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", tmpdir()], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a session on a disk that `limit` makes small, by a shell that `launcher` starts. */
async function liveOn(
  limit: string,
  makeRoom: "remove" | "raise",
  launcher: readonly string[] = [],
): Promise<FullDiskReport> {
  const directory = await mkdtemp(join(tmpdir(), "robota-full-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const worker = await bundleWorker(directory, "full-disk-worker.ts");
  const disk = join(directory, "disk");
  await mkdir(disk);
  const script = `${limit} && exec "$2" "$3" "$1" "$4"`;
  const shell = ["sh", "-c", script, "sh", disk, process.execPath, worker, makeRoom];
  const [program = "", ...args] = [...launcher, ...shell];
  const { stdout } = await execute(program, args);
  return JSON.parse(stdout) as FullDiskReport;
}

const LIVED = {
  whileFull: ["FULL"],
  after: expect.stringMatching(/^\d+ words of /),
  lost: [],
  isGapless: true,
  isReplayed: true,
};

it.runIf(process.platform === "linux")(
  "a session on a disk without space ends its turn with FULL, loses nothing, and goes on when there is space",
  async ({ skip }) => {
    if (!canMount()) return skip("no file system can be mounted here");
    const report = await liveOn(SMALL_DISK, "remove", ["unshare", "-Urm"]);
    expect(report).toMatchObject({
      ...LIVED,
      failed: { state: "failed", code: "FULL", hint: expect.stringContaining("Free some space") },
    });
    expect(report.completed).toBeGreaterThan(2);
  },
);

it.runIf(process.platform === "linux")(
  "a session whose files may not grow ends its turn with FULL, loses nothing, and goes on when they may",
  async () => {
    const report = await liveOn(SMALL_FILES, "raise");
    expect(report).toMatchObject({
      ...LIVED,
      failed: { state: "failed", code: "FULL", hint: expect.stringContaining("ulimit -f") },
    });
    expect(report.completed).toBeGreaterThan(2);
  },
);
