import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, type FileSystem, type Platform, type Shell } from "@robota/runtime";
import { type UserSettings } from "@robota/runtime/ports";
import { NodeFileSystem } from "./file-system.ts";
import { createPinnedFetch, type ResolveHost } from "./pinned-fetch.ts";
import { NodeShell } from "./shell.ts";
import { NodeStorage } from "./storage.ts";
import { nodeVirtualShell } from "./virtual-shell/virtual-shell.ts";

export interface NodePlatformOptions {
  /** The user's home; the one of this process's user unless told. */
  home?: string;
  /**
   * The person's own settings. `"home"` (unless there is a `root`): the files at `home`. For a program that serves several
   * people: your own, as an object in the form of a settings file. With a `root` and without this, nobody has any.
   */
  userSettings?: UserSettings;
  /**
   * What `$ENV:NAME` sees, and what commands of the native shell get a part of (see `allowEnv`); this process's environment
   * unless told.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /**
   * Names of variables that commands and hooks get beside those that are known to be of use and hold no secret, such as
   * `PATH`, `LANG`, `CI` and `JAVA_HOME`.
   */
  allowEnv?: readonly string[];
  /**
   * Instead of Node's. Requests to addresses that a model names go through it too, so it is then its part to connect to
   * nothing private.
   */
  fetch?: typeof globalThis.fetch;
  /** The addresses of a name, for requests to addresses that a model names; the machine's own resolver unless told. */
  resolveHost?: ResolveHost;
  /**
   * `native` runs the machine's bash with this process's rights; `virtual` interprets over the files, in threads of its
   * own, and starts no process and reaches no network. `native` unless there is a `root`.
   */
  shell?: "native" | "virtual" | Shell;
  /** A directory of the machine that sessions see as `/`. Nothing outside of it can be reached through `fs`. */
  root?: string;
  /** Where sessions are kept; `.robota` in the home unless told. Always a path of the machine. */
  storageDirectory?: string;
  now?: () => number;
  randomUUID?: () => string;
}

/**
 * The machine, for sessions: its files, its shell, and storage in plain files under `~/.robota`.
 * @throws {ConfigurationError} A `root` together with the native shell, which knows nothing of it.
 */
export function nodePlatform(options: NodePlatformOptions = {}): Platform {
  const env = options.env ?? process.env;
  const home = options.home ?? homedir();
  const fs = new NodeFileSystem(options.root === undefined ? {} : { root: options.root });
  const shell = createShell(options, { fs, env, home });
  const storage = new NodeStorage({
    directory: options.storageDirectory ?? join(home, ".robota"),
  });
  const dispose = async (): Promise<void> => {
    // A shell that was passed in belongs to whoever made it.
    if (shell !== options.shell) await shell.dispose?.();
    await storage.dispose();
  };

  // Below a root, the home is a directory of the sessions as any other.
  const userSettings = options.userSettings ?? (options.root === undefined ? "home" : undefined);
  return {
    name: "node",
    fs,
    shell,
    storage,
    fetch: options.fetch ?? globalThis.fetch,
    ...(!options.fetch && { pinnedFetch: createPinnedFetch(options.resolveHost) }),
    cwd: options.root === undefined ? process.cwd() : "/",
    home,
    ...(userSettings !== undefined && { userSettings }),
    warn: (message) => process.emitWarning(message, "RobotaWarning"),
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    now: options.now ?? Date.now,
    // Node makes a chain of pieces, which takes nine times the memory of one string. In lower case it is already.
    randomUUID: options.randomUUID ?? (() => crypto.randomUUID().toLowerCase()),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function createShell(
  { shell, root, allowEnv = [] }: NodePlatformOptions,
  host: { fs: FileSystem; env: Readonly<Record<string, string | undefined>>; home: string },
): Shell & { dispose?(): Promise<void> | void } {
  if (typeof shell === "object") return shell;
  const kind = shell ?? (root === undefined ? "native" : "virtual");
  if (kind === "virtual") return nodeVirtualShell({ fs: host.fs, home: host.home });
  if (root === undefined) return new NodeShell({ env: host.env, allowEnv });
  throw new ConfigurationError("The native shell can't be kept within `root`.", {
    hint: "Pass shell: 'virtual', or no root.",
  });
}
