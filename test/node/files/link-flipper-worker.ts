// Swaps a directory for a link to a closed one and back, as fast as it can, until it is killed:
// node link-flipper-worker.ts <the directory> <where it is kept meanwhile> <the closed directory>
import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";

const [place = "", aside = "", closed = ""] = process.argv.slice(2);
const link = `${aside}-link`;

/** A wait of up to a tenth of a millisecond, so that each swap falls into another moment. */
function dwell(): void {
  const end = performance.now() + Math.random() / 10;
  while (performance.now() < end);
}

/** Tries again while somebody makes parents where there are none just now, and puts files into them. */
function renameOver(from: string, to: string): void {
  for (let isInTheWay = false; ;) {
    try {
      if (isInTheWay) rmSync(to, { recursive: true, force: true });
      return renameSync(from, to);
    } catch (error) {
      if (!(error instanceof Error) || !/EEXIST|ENOTEMPTY|EISDIR|ENOTDIR/.test(error.message)) {
        throw error;
      }
      isInTheWay = true;
    }
  }
}

console.log("flipping");
for (;;) {
  symlinkSync(closed, link);
  renameSync(place, aside);
  renameOver(link, place);
  dwell();
  unlinkSync(place);
  renameOver(aside, place);
  dwell();
}
