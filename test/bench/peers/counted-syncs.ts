import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let syncs = 0;

function counted<Args extends unknown[]>(sync: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    syncs += 1;
    sync(...args);
  };
}

fs.fsync = Object.assign(counted(fs.fsync), { __promisify__: fs.fsync.__promisify__ });
fs.fdatasync = Object.assign(counted(fs.fdatasync), {
  __promisify__: fs.fdatasync.__promisify__,
});
syncBuiltinESMExports();

/** How often this process has asked the system to make a file or a directory durable, but for those by a `FileHandle`. */
export function countedSyncs(): number {
  return syncs;
}
