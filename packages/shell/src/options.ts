import type { EgressPolicy } from "@robota/runtime/network";
import type { FileSystem, PinnedFetch } from "@robota/runtime/ports";
import type { ShellCommand } from "./command.ts";
import type { GitOptions } from "./git/options.ts";
import type { ScriptOptions } from "./commands/js/options.ts";
import type { ShellLimits } from "./limits.ts";

export interface VirtualShellOptions {
  /** The files that commands see. Nothing else can be reached. */
  fs: FileSystem;
  /** Exported to every command. */
  env?: Record<string, string> | undefined;
  /** `$HOME`; made on demand. Default `/home/user`. */
  home?: string | undefined;
  limits?: ShellLimits | undefined;
  /** Gives `curl` the network through this function; without it there is no `curl`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * In place of `fetch` where the host resolves names, such as a platform's own: `curl` then connects to none that leads to
   * a private address. `fetch` still says that there is a network.
   */
  pinnedFetch?: PinnedFetch | undefined;
  /**
   * Where `curl` and `git` may go: by default any public host on the ports of web servers. An origin in `allowPrivateOrigins`
   * may be private. What a rule such as `WebFetch(domain:example.com)` denies is refused in any case.
   */
  policy?: EgressPolicy | undefined;
  /** The network of `git`, and who commits; without it `git` works on the files only. */
  git?: GitOptions | undefined;
  /** What scripts of `js` (and `node`, by which it is called too) may take. */
  scripts?: ScriptOptions | undefined;
  /** Added to the commands that are there, or in place of those of the same name. */
  customCommands?: readonly ShellCommand[] | undefined;
}
