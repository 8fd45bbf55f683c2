import type { FileSystem, ShellResult } from "@robota/runtime";
import {
  type GitOptions,
  ShellError,
  type ShellLimits,
  type StatefulShell,
} from "@robota/runtime/virtual";
import { startThread, type WorkerThread } from "./worker-thread.ts";

export interface WorkerShellOptions {
  /** The files that commands see; they stay on the page. */
  fs: FileSystem;
  /** Exported to every command. */
  env?: Record<string, string>;
  /** `$HOME`; made on demand. Default `/home/user`. */
  home?: string;
  limits?: ShellLimits;
  /** Gives `curl` the network through this function of the page; without it there is no `curl`. */
  fetch?: typeof globalThis.fetch;
  /** The network of `git`, through functions of the page, and who commits; without it `git` works on the files only. */
  git?: GitOptions;
  /** Commands that run at once, each in a worker of its own; more share one. Default 4. */
  maxWorkers?: number;
  /**
   * Makes the worker, for bundlers that don't understand `new Worker(new URL(…, import.meta.url))` in a dependency:
   * start `@robota/adapters-web/shell-worker` as a module worker.
   */
  createWorker?: () => Worker;
}

export interface WorkerShell extends StatefulShell, Disposable {
  readonly kind: "virtual";
  /** Ends every command and lets the workers go. */
  dispose(): void;
}

/**
 * A `VirtualShell` off the page's thread, over the page's files: the page stays responsive whatever a script does, and
 * a command that does not stop when told to is ended with its worker, 200 ms after the abort.
 *
 * Workers start with the first command; one stays for the next.
 */
export function workerShell(options: WorkerShellOptions): WorkerShell {
  const { fs, fetch, env = {}, home, limits, maxWorkers = 4 } = options;
  const { fetch: gitFetch, ...git } = options.git ?? {};
  const createWorker = options.createWorker ?? createDefaultWorker;
  let threads: WorkerThread[] = [];
  let isDisposed = false;

  const pickThread = (): WorkerThread => {
    threads = threads.filter((thread) => !thread.isOver);
    const [idlest] = threads.toSorted((one, other) => one.load - other.load);
    if (idlest && (idlest.load === 0 || threads.length >= maxWorkers)) return idlest;
    const thread = startThread({
      createWorker,
      host: { fs, fetch, gitFetch },
      git,
      env,
      home,
      limits,
    });
    threads.push(thread);
    return thread;
  };
  const retire = (thread: WorkerThread): void => {
    const isSpare =
      thread.load === 0 && threads.some((other) => other !== thread && other.load === 0);
    if (!isSpare) return;
    thread.terminate();
    threads = threads.filter((other) => other !== thread);
  };
  const dispose = (): void => {
    isDisposed = true;
    for (const thread of threads) thread.terminate();
    threads = [];
  };

  const over = (files: FileSystem): StatefulShell => ({
    kind: "virtual",
    beyondFiles: [...(fetch ? ["curl"] : []), ...(gitFetch ? ["git"] : [])],
    async exec(command, execOptions): Promise<ShellResult> {
      if (isDisposed) throw new ShellError("The shell was disposed.");
      if (execOptions.signal?.aborted) {
        return { exitCode: 130, stdout: "", stderr: "", timedOut: false, truncated: false };
      }
      const thread = pickThread();
      try {
        return await thread.exec(command, files, execOptions);
      } finally {
        retire(thread);
      }
    },
    over,
  });

  return {
    ...over(fs),
    kind: "virtual",
    dispose,
    [Symbol.dispose]: dispose,
  };
}

function createDefaultWorker(): Worker {
  return new Worker(new URL("./shell-worker.js", import.meta.url), {
    type: "module",
    name: "robota-shell",
  });
}
