import {
  ShellError,
  type FileSystem,
  type PinnedFetch,
  type ShellResult,
} from "@robota/runtime/ports";
import type { EgressPolicy } from "@robota/runtime/network";
import type { GitOptions } from "../git/options.ts";
import type { ShellLimits } from "../limits.ts";
import type { StatefulShell } from "../session.ts";
import { type ShellThread, startThread, type Thread } from "./shell-thread.ts";

export interface ThreadedShellOptions {
  /** The files that commands see; they stay with who made the shell. */
  fs: FileSystem;
  /** Exported to every command. */
  env?: Record<string, string>;
  /** `$HOME`; made on demand. Default `/home/user`. */
  home?: string;
  limits?: ShellLimits;
  /** Gives `curl` the network through this function; without it there is no `curl`. */
  fetch?: typeof globalThis.fetch;
  /** In place of `fetch` where the host resolves names, as in `VirtualShellOptions`. */
  pinnedFetch?: PinnedFetch;
  /** Where `curl` and `git` may go, as in `VirtualShellOptions`. */
  policy?: EgressPolicy;
  /** The network of `git`, and who commits; without it `git` works on the files only. */
  git?: GitOptions;
  /** Commands that run at once, each in a thread of its own; more share one. Default 4. */
  maxThreads?: number;
  /** Names of commands that the threads add (`serveShell`) and that reach more than files. */
  beyondFiles?: readonly string[];
  /** Starts a thread that calls `serveShell`. */
  createThread: () => Thread;
  /** What to do about a thread that does not start. */
  failureHint: string;
}

export interface ThreadedShell extends StatefulShell, Disposable {
  readonly kind: "virtual";
  /** Ends every command and lets the threads go. */
  dispose(): void;
}

/**
 * A `VirtualShell` in threads of its own, over the files of who made it. Commands that nobody has approved run too: to
 * show what they would do, or because they only read. An interpreter can bound what it does itself, but not each call of
 * the host's own engine (a regular expression, a sort, a long text), so whatever it runs has to be where it can be ended
 * from outside. Who uses the shell stays responsive, and a command that does not stop when told to is ended with its
 * thread, 200 ms after the abort or the end of its time.
 *
 * Threads start with the first command; one stays for the next.
 */
export function threadedShell(options: ThreadedShellOptions): ThreadedShell {
  const { fs, fetch, env = {}, home, limits, maxThreads = 4, createThread, failureHint } = options;
  const { fetch: gitFetch, pinnedFetch: gitPinnedFetch, ...git } = options.git ?? {};
  let threads: ShellThread[] = [];
  let isDisposed = false;

  const pickThread = (): ShellThread => {
    threads = threads.filter((thread) => !thread.isOver);
    const [idlest] = threads.toSorted((one, other) => one.load - other.load);
    if (idlest && (idlest.load === 0 || threads.length >= maxThreads)) return idlest;
    const thread = startThread({
      createThread,
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
    threads.push(thread);
    return thread;
  };
  const retire = (thread: ShellThread): void => {
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
