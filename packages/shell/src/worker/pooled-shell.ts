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
import { type ShellWorker, WorkerClient } from "./worker-client.ts";

export interface PooledShellOptions {
  /** The files that commands see; they stay with the creator of the shell. */
  fs: FileSystem;
  /** Variables exported to every command. */
  env?: Record<string, string> | undefined;
  /** `$HOME`; made on demand. Default `/home/user`. */
  home?: string | undefined;
  limits?: ShellLimits | undefined;
  /** Gives `curl` network access through this function; without it there is no `curl`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Replaces `fetch` on hosts that resolve names, as in `VirtualShellOptions`. */
  pinnedFetch?: PinnedFetch | undefined;
  /** Egress policy for `curl` and `git`, as in `VirtualShellOptions`. */
  policy?: EgressPolicy | undefined;
  /** The network access and identity of `git`; without it `git` works on the files only. */
  git?: GitOptions | undefined;
  /** Maximum workers, each with one command; further commands share one. Default 4. */
  maxWorkers?: number | undefined;
  /** Names of commands that the workers add (`serveShell`) and that access more than files. */
  beyondFiles?: readonly string[];
  /** Starts a worker that calls `serveShell`. */
  createWorker: () => ShellWorker;
  /** Advice for a worker that fails to start. */
  failureHint: string;
}

export interface PooledShell extends StatefulShell, Disposable {
  readonly kind: "virtual";
  /** Ends every command and terminates the workers. */
  dispose(): void;
}

/**
 * A `VirtualShell` in workers of its own, over the files of its creator. It also runs commands without
 * approval: to preview their changes, or because they are read-only. An interpreter can limit its own work, but not
 * each call of the host's own engine (a regular expression, a sort, a long text), so it must run where it can be
 * terminated from outside. The caller stays responsive, and a command that does not stop is terminated with its worker,
 * 200 ms after the abort or its timeout.
 *
 * Workers start with the first command; one stays for the next.
 */
export function pooledShell(options: PooledShellOptions): PooledShell {
  const { fs, fetch, env = {}, home, limits, maxWorkers = 4, createWorker, failureHint } = options;
  const { fetch: gitFetch, pinnedFetch: gitPinnedFetch, ...git } = options.git ?? {};
  let workers: WorkerClient[] = [];
  let isDisposed = false;
  /** The worker that `load` has started and that is soon there for commands. */
  let starting: Promise<unknown> | undefined;

  const pickWorker = (): WorkerClient => {
    workers = workers.filter((worker) => !worker.isOver);
    const [idlest] = workers.toSorted((one, other) => one.load - other.load);
    if (idlest && (idlest.load === 0 || workers.length >= maxWorkers)) return idlest;
    const worker = new WorkerClient({
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
    beyondFiles: [...(fetch ? ["curl"] : []), ...(options.beyondFiles ?? [])],
    async exec(command, execOptions): Promise<ShellResult> {
      if (starting) await settled(starting, execOptions.signal);
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
    async load() {
      // A worker loads with its first command.
      if (workers.length === 0)
        starting = this.exec(":", { cwd: "/" }).finally(() => (starting = undefined));
      await starting;
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

/** Resolves when the worker is there, or is not to be had, or when the command is aborted. The failure is that of `load`. */
async function settled(starting: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => resolve();
  starting.then(done, done);
  signal?.addEventListener("abort", done, { once: true });
  await promise;
  signal?.removeEventListener("abort", done);
}
