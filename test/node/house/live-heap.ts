import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Bytes of the heap that are in use, without the garbage that other tests of this process have left, too. */
export function liveHeap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
