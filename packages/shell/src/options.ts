import type { EgressPolicy } from "@robota/runtime/network";
import type { FileSystem, PinnedFetch } from "@robota/runtime/ports";
import type { ShellCommand } from "./command.ts";
import type { GitOptions } from "./git/options.ts";
import type { ScriptOptions } from "./commands/js/options.ts";
import type { ShellLimits } from "./limits.ts";

export interface VirtualShellOptions {
  /** The files that commands see, and the only ones in reach. */
  fs: FileSystem;
  /** Variables exported to every command. */
  env?: Record<string, string> | undefined;
  /** `$HOME`; made on demand. Default `/home/user`. */
  home?: string | undefined;
  limits?: ShellLimits | undefined;
  /** Gives `curl` network access through this function; without it there is no `curl`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Replaces `fetch` on hosts that resolve names, such as a platform's own: `curl` then connects to no name that
   * resolves to a private address. `fetch` still enables the network.
   */
  pinnedFetch?: PinnedFetch | undefined;
  /**
   * Egress policy for `curl` and `git`: by default any public host on the ports of web servers. An origin in
   * `allowPrivateOrigins` may be private. Rules such as a denied `WebFetch(domain:example.com)` apply in any case.
   */
  policy?: EgressPolicy | undefined;
  /** The network access and identity of `git`; without it `git` works on the files only. */
  git?: GitOptions | undefined;
  /** Limits and options of `js`, which is also available as `node`. */
  scripts?: ScriptOptions | undefined;
  /** Commands to add, or to replace those of the same name. */
  customCommands?: readonly ShellCommand[] | undefined;
}
