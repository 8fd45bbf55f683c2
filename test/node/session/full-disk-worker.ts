// Runs as a process of its own, on a disk that is small or may not be used up: `full-disk-worker <directory> <way to make room>`.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { liveThroughFullDisk } from "../../support/recovery/full-disk.ts";

const [directory = "", way = ""] = process.argv.slice(2);
const ballast = join(directory, "ballast");
if (way === "remove") writeFileSync(ballast, new Uint8Array(300_000));
const report = await liveThroughFullDisk({
  open: () => nodePlatform({ home: directory }),
  cwd: directory,
  makeRoom() {
    if (way === "remove") return rmSync(ballast);
    return execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited"]);
  },
});
process.stdout.write(`${JSON.stringify(report)}\n`);
