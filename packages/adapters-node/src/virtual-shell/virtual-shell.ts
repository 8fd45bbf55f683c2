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
  /** A module that calls `serveShell` in the place of the usual one, such as one with commands of its own. */
  thread?: URL;
  /**
   * Of JavaScript's own memory, for one thread. A command that needs more ends, and with it those that share its thread.
   * Default 1,024.
   */
  maxHeapMegabytes?: number;
}

const DEFAULT_HEAP_MEGABYTES = 1_024;

/**
 * The virtual shell of Node, in threads of its own: no command keeps the process from its other sessions, and one that does
 * not stop when told to is ended with its thread. Nothing of the process's environment is in these threads.
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

// As a source, in this repository, it is run as it is, and what it imports are sources too.
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
