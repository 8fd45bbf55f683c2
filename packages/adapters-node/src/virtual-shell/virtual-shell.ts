import { Worker } from "node:worker_threads";
import {
  type FromThread,
  type Thread,
  type ThreadedShell,
  threadedShell,
  type ThreadedShellOptions,
} from "@robota/shell";

export interface NodeVirtualShellOptions extends Omit<
  ThreadedShellOptions,
  "createThread" | "failureHint"
> {
  /** A module that calls `serveShell` instead of the default one, such as one with custom commands. */
  thread?: URL;
  /**
   * Limit for JavaScript memory of one thread. A command that exceeds it ends, and with it those on the same thread.
   * Default 1,024.
   */
  maxHeapMegabytes?: number;
}

const DEFAULT_HEAP_MEGABYTES = 1_024;

/**
 * The virtual shell of Node, in worker threads: no command blocks the process's other sessions, and one that ignores a
 * stop is ended with its thread. The threads have no environment variables of the process.
 */
export function nodeVirtualShell(options: NodeVirtualShellOptions): ThreadedShell {
  return threadedShell({
    ...options,
    createThread: () =>
      createThread(options.thread ?? file, options.maxHeapMegabytes ?? DEFAULT_HEAP_MEGABYTES),
    failureHint:
      "Keep `dist/virtual-shell/shell-worker.js` of @robota/adapters-node beside what imports it when you bundle, " +
      "or pass a shell of your own, such as a `VirtualShell`.",
  });
}

// In this repository it runs from source, with imports of sources.
const isSource = import.meta.url.endsWith(".ts");
const file = new URL(isSource ? "./shell-worker.ts" : "./shell-worker.js", import.meta.url);

function createThread(module: URL, heapMegabytes: number): Thread {
  const worker = new Worker(module, {
    name: "robota-shell",
    env: {},
    argv: [],
    execArgv: isSource ? ["--conditions=@robota/source"] : [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  return {
    post: (message, transfer) => worker.postMessage(message, [...transfer]),
    listen: (listener) => worker.on("message", (message: FromThread) => listener(message)),
    onFailure(listener) {
      worker.on("error", ({ message }) => listener(message));
      worker.on("exit", () => listener("it ended"));
    },
    terminate: () => void worker.terminate(),
    keepsAlive: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
  };
}
