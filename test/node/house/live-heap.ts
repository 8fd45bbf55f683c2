import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: (options?: { type: "minor" }) => void = runInNewContext("gc");

/** An object that survives two collections of new ones is old. */
const MINOR_COLLECTIONS = 3;

/** Bytes of the heap that are in use, without the garbage that other tests of this process have left, too. */
export function liveHeap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** The same with old garbage, which only a full collection removes. */
export function oldHeap(): number {
  for (let count = 0; count < MINOR_COLLECTIONS; count++) collect({ type: "minor" });
  return process.memoryUsage().heapUsed;
}
