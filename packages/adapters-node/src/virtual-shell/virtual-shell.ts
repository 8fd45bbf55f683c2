import {
  type GitOptions,
  type PooledShell,
  pooledShell,
  type PooledShellOptions,
} from "@robota/shell";
import { createPinnedFetch, type ResolveHost } from "../pinned-fetch.ts";
import { startProcess } from "./start-process.ts";

export interface NodeVirtualShellOptions extends Omit<
  PooledShellOptions,
  "createWorker" | "failureHint"
> {
  /** Resolves the names that `curl` and `git` ask for; the machine's own resolver by default. */
  resolveHost?: ResolveHost | undefined;
  /**
   * A module whose export `customCommands` adds commands, as in `VirtualShellOptions`. The shell's processes import it, since
   * functions can't be sent there.
   */
  commands?: URL | undefined;
  /**
   * Limit for the JavaScript heap of one process; its memory in all may be twice as much plus 256 MB. A command that exceeds
   * it ends with exit code 137, and with it those in the same process. Default 1,024.
   */
  maxHeapMegabytes?: number | undefined;
}

const DEFAULT_HEAP_MEGABYTES = 1_024;

/**
 * The virtual shell of Node, in child processes: no command blocks this process's other sessions or takes its memory, and
 * one that ignores a stop is killed with its process. The children have no environment variables of this process, may
 * write no files and start no programs, and end with this process, however it ends.
 *
 * With `fetch: globalThis.fetch`, for `curl` or in `git`, names are resolved here, and none that leads to a private address is
 * connected to. Any other function connects by itself and must refuse such names.
 */
export function nodeVirtualShell(options: NodeVirtualShellOptions): PooledShell {
  const {
    commands,
    maxHeapMegabytes: heapMegabytes = DEFAULT_HEAP_MEGABYTES,
    resolveHost,
    ...shell
  } = options;
  const { git } = shell;
  return pooledShell({
    ...shell,
    ...pinning(shell, resolveHost),
    git: git && { ...git, ...pinning(git, resolveHost) },
    createWorker: () => startProcess({ heapMegabytes, commands }),
    failureHint:
      "Keep `dist/virtual-shell` of @robota/adapters-node beside what imports it when you bundle, " +
      "or pass a shell of your own, such as a `VirtualShell`.",
  });
}

/** Pins the requests of Node's own `fetch`, unless the caller does. */
function pinning(
  { fetch, pinnedFetch }: Pick<GitOptions, "fetch" | "pinnedFetch">,
  resolveHost: ResolveHost | undefined,
): Pick<GitOptions, "pinnedFetch"> {
  const isPinned = pinnedFetch !== undefined || fetch !== globalThis.fetch;
  return isPinned ? {} : { pinnedFetch: createPinnedFetch(resolveHost) };
}
