import {
  ShellError,
  type FileSystem,
  type PinnedFetch,
  type ShellResult,
} from "@robota/runtime/ports";
import type { EgressPolicy } from "@robota/runtime/network";
import { describeShell } from "../description.ts";
import type { GitOptions } from "../git/options.ts";
import type { ShellLimits } from "../limits.ts";
import type { StatefulShell } from "../session.ts";
import { type WorkerClient, startWorker, type ShellWorker } from "./worker-client.ts";

export interface PooledShellOptions {
  /** The files that commands see; they stay with who made the shell. */
  fs: FileSystem;
  /** Exported to every command. */
  env?: Record<string, string> | undefined;
  /** `$HOME`; made on demand. Default `/home/user`. */
  home?: string | undefined;
  limits?: ShellLimits | undefined;
  /** Gives `curl` the network through this function; without it there is no `curl`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** In place of `fetch` where the host resolves names, as in `VirtualShellOptions`. */
  pinnedFetch?: PinnedFetch | undefined;
  /** Where `curl` and `git` may go, as in `VirtualShellOptions`. */
  policy?: EgressPolicy | undefined;
  /** The network of `git`, and who commits; without it `git` works on the files only. */
  git?: GitOptions;
  /** Commands that run at once, each in a worker of its own; more share one. Default 4. */
  maxWorkers?: number;
  /** Names of commands that the workers add (`serveShell`) and that reach more than files. */
  beyondFiles?: readonly string[];
  /** Starts a worker that calls `serveShell`. */
  createWorker: () => ShellWorker;
  /** What to do about a worker that does not start. */
  failureHint: string;
}

export interface PooledShell extends StatefulShell, Disposable {
  readonly kind: "virtual";
  /** Ends every command and lets the workers go. */
  dispose(): void;
}

/**
 * A `VirtualShell` in workers of its own, over the files of who made it. Commands that nobody has approved run too: to
 * show what they would do, or because they only read. An interpreter can bound what it does itself, but not each call of
 * the host's own engine (a regular expression, a sort, a long text), so whatever it runs has to be where it can be ended
 * from outside. Who uses the shell stays responsive, and a command that does not stop when told to is ended with its
 * worker, 200 ms after the abort or the end of its time.
 *
 * Workers start with the first command; one stays for the next.
 */
export function pooledShell(options: PooledShellOptions): PooledShell {
  const { fs, fetch, env = {}, home, limits, maxWorkers = 4, createWorker, failureHint } = options;
  const { fetch: gitFetch, pinnedFetch: gitPinnedFetch, ...git } = options.git ?? {};
  let workers: WorkerClient[] = [];
  let isDisposed = false;

  const pickWorker = (): WorkerClient => {
    workers = workers.filter((worker) => !worker.isOver);
    const [idlest] = workers.toSorted((one, other) => one.load - other.load);
    if (idlest && (idlest.load === 0 || workers.length >= maxWorkers)) return idlest;
    const worker = startWorker({
      createWorker,
      failureHint,
      fs,
      network: {
        fetch,
        pinnedFetch: options.pinnedFetch,
        gitFetch,
        gitPinnedFetch,
        corsProxy: git.corsProxy,
        policy: options.policy,
      },
      git,
      env,
      home,
      limits,
    });
    workers.push(worker);
    return worker;
  };
  const retire = (worker: WorkerClient): void => {
    const isSpare =
      worker.load === 0 && workers.some((other) => other !== worker && other.load === 0);
    if (!isSpare) return;
    worker.terminate();
    workers = workers.filter((other) => other !== worker);
  };
  const dispose = (): void => {
    isDisposed = true;
    for (const worker of workers) worker.terminate();
    workers = [];
  };

  const over = (files: FileSystem): StatefulShell => ({
    kind: "virtual",
    describe: () => describeShell(options, options.beyondFiles),
    beyondFiles: [
      ...(fetch ? ["curl"] : []),
      ...(gitFetch ? ["git"] : []),
      ...(options.beyondFiles ?? []),
    ],
    async exec(command, execOptions): Promise<ShellResult> {
      if (isDisposed) throw new ShellError("The shell was disposed.");
      if (execOptions.signal?.aborted) {
        return { exitCode: 130, stdout: "", stderr: "", timedOut: false, truncated: false };
      }
      const worker = pickWorker();
      try {
        return await worker.exec(command, files, execOptions);
      } finally {
        retire(worker);
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
