import { writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/** Pause between looks while the process works; filling a gigabyte takes longer. */
const BUSY_MS = 50;
const IDLE_MS = 2_000;
/** Share of processor time above which the process works. */
const BUSY_SHARE = 0.02;

export interface WatchdogOptions {
  /** Id of the process that started this one. */
  parent: number;
  /** Limit for the resident memory of this process. */
  maxMegabytes: number;
}

interface Watched extends WatchdogOptions {
  /** Count of messages, each of which may bring work; and a cell that nobody changes, to sleep on. */
  cells: Int32Array;
}

const [MESSAGES, NOTHING] = [0, 1];

/**
 * Kills this process when its parent has ended, or when its memory exceeds `maxMegabytes`: V8's heap limit does not count
 * buffers. Runs on a thread of its own, because a command may block the main one for ever. The returned function wakes it
 * when work arrives, so an idle process is seldom polled.
 */
export function startWatchdog(options: WatchdogOptions): () => void {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  const watched: Watched = { ...options, cells };
  new Worker(new URL(import.meta.url), { name: "robota-watchdog", workerData: watched }).unref();
  return () => {
    Atomics.add(cells, MESSAGES, 1);
    Atomics.notify(cells, MESSAGES);
  };
}

function watch({ cells, parent, maxMegabytes }: Watched): never {
  let [pause, messages] = [BUSY_MS, 0];
  let usage = process.cpuUsage();
  for (;;) {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    if (process.memoryUsage.rss() > maxMegabytes * 1024 * 1024) {
      writeSync(2, `out of memory: more than ${maxMegabytes} MB\n`);
      process.kill(process.pid, "SIGKILL");
    }
    // While the process works, messages come faster than anybody needs to look.
    if (pause === BUSY_MS) Atomics.wait(cells, NOTHING, 0, pause);
    else Atomics.wait(cells, MESSAGES, messages, pause);
    const before = messages;
    messages = Atomics.load(cells, MESSAGES);
    const { user, system } = process.cpuUsage(usage);
    usage = process.cpuUsage();
    const isBusy = messages !== before || user + system > pause * 1_000 * BUSY_SHARE;
    pause = isBusy ? BUSY_MS : Math.min(pause * 2, IDLE_MS);
  }
}

if (!isMainThread) watch(workerData);
