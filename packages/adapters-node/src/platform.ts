import { homedir } from "node:os";
import { join } from "node:path";
import {
  ConfigurationError,
  type FileSystem,
  type Platform,
  type Shell,
  type Storage,
} from "@robota/runtime";
import {
  type OptionForms,
  requireOptions,
  type RunningProcess,
  type UserSettings,
} from "@robota/runtime/ports";
import { NodeFileSystem } from "./file-system.ts";
import { createPinnedFetch, type ResolveHost } from "./pinned-fetch.ts";
import { startProgram } from "./processes/start-program.ts";
import { NodeShell } from "./shell.ts";
import { cleanEnvironment } from "./shell-environment.ts";
import { NodeStorage } from "./storage.ts";
import { nodeVirtualShell } from "./virtual-shell/virtual-shell.ts";

export interface NodePlatformOptions {
  /** The user's home; by default that of this process's user. */
  home?: string | undefined;
  /**
   * The person's own settings. `"home"` (default on the machine's files): the files at `home`. For a program that serves
   * several people: your own, as an object in the form of a settings file. With a `root` or an `fs` and without this,
   * there are none.
   */
  userSettings?: UserSettings | undefined;
  /**
   * Source of `$ENV:NAME`, and partly of the native shell's environment (see `allowEnv`); by default this process's
   * environment.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Names of variables that commands and hooks get besides known useful ones without secrets, such as `PATH`, `LANG`,
   * `CI` and `JAVA_HOME`.
   */
  allowEnv?: readonly string[] | undefined;
  /**
   * Replaces Node's `fetch`. Requests to addresses that a model names go through it too, so it is then its part to
   * connect to nothing private.
   */
  fetch?: typeof globalThis.fetch | undefined;
  /** Resolves names, for requests to addresses that a model names; by default the machine's own resolver. */
  resolveHost?: ResolveHost | undefined;
  /**
   * `native` runs the machine's bash with this process's rights; `virtual` interprets over the files, in processes of its
   * own, and starts no program and reaches no network. `native` unless there is a `root` or an `fs`.
   */
  shell?: "native" | "virtual" | Shell | undefined;
  /** A directory of the machine that sessions see as `/`. Nothing outside of it can be reached through `fs`. */
  root?: string | undefined;
  /** Files of their own instead of the machine's, such as those of `@robota/files-s3`; the shell is virtual then, as with a `root`. */
  fs?: FileSystem | undefined;
  /**
   * Storage of the sessions instead of files on this machine, such as that of `@robota/storage-postgres`. The platform does
   * not close it, as it does not dispose a `shell`: whoever made it does.
   */
  storage?: Storage | undefined;
  /** Directory of the sessions; `.robota` in the home by default. Always a path on disk. */
  storageDirectory?: string | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const OPTIONS: OptionForms<NodePlatformOptions> = {
  home: "string",
  userSettings: "any",
  env: "object",
  allowEnv: "array",
  fetch: "function",
  resolveHost: "function",
  shell: "any",
  root: "string",
  fs: "object",
  storage: "object",
  storageDirectory: "string",
  now: "function",
  randomUUID: "function",
};

/**
 * The machine as a platform: its files, its shell, and storage in plain files under `~/.robota`.
 * @throws {ConfigurationError} The native shell together with a `root` or an `fs`, which it ignores, or both of these; a
 * `storageDirectory` together with a `storage`; a misspelt option.
 */
export function nodePlatform(options: NodePlatformOptions = {}): Platform {
  requireOptions(options, OPTIONS);
  const env = options.env ?? process.env;
  const home = options.home ?? homedir();
  const fs = filesOf(options);
  const isConfined = options.root !== undefined || options.fs !== undefined;
  const shell = createShell(options, { fs, env, home });
  const storage = createStorage(options, home);
  const processes = new Set<RunningProcess>();
  const startProcess: Platform["startProcess"] = async (asked) => {
    const started = await startProgram(asked, cleanEnvironment(env, options.allowEnv));
    processes.add(started);
    void started.exited.then(() => processes.delete(started));
    return started;
  };
  const dispose = async (): Promise<void> => {
    await Promise.all([...processes].map((process) => process.end()));
    // What was passed in belongs to the caller.
    if (shell !== options.shell) await shell.dispose?.();
    if (storage !== options.storage) await storage.dispose?.();
  };

  // In other files, the home is a directory of the sessions as any other.
  const userSettings = options.userSettings ?? (isConfined ? undefined : "home");
  return {
    name: "node",
    fs,
    shell,
    storage,
    fetch: options.fetch ?? globalThis.fetch,
    pinnedFetch: options.fetch ? undefined : createPinnedFetch(options.resolveHost),
    cwd: isConfined ? "/" : process.cwd(),
    home,
    userSettings,
    warn: (message) => process.emitWarning(message, "RobotaWarning"),
    // On other files, no program of the machine runs.
    ...(!isConfined && { startProcess }),
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    now: options.now ?? Date.now,
    // Node makes a chain of pieces, which takes nine times the memory of one string. In lower case it is already.
    randomUUID: options.randomUUID ?? (() => crypto.randomUUID().toLowerCase()),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function filesOf({ fs, root }: NodePlatformOptions): FileSystem {
  if (!fs) return new NodeFileSystem({ root });
  if (root === undefined) return fs;
  throw new ConfigurationError("Files of their own have no `root` on the machine.", {
    hint: "Pass root, or fs.",
  });
}

function createStorage(
  { storage, storageDirectory }: NodePlatformOptions,
  home: string,
): Storage & { dispose?(): Promise<void> } {
  if (!storage) return new NodeStorage({ directory: storageDirectory ?? join(home, ".robota") });
  if (storageDirectory === undefined) return storage;
  throw new ConfigurationError("A storage of your own has no `storageDirectory`.", {
    hint: "Pass storage, or storageDirectory.",
  });
}

function createShell(
  { shell, root, fs, allowEnv = [] }: NodePlatformOptions,
  host: { fs: FileSystem; env: Readonly<Record<string, string | undefined>>; home: string },
): Shell & { dispose?(): Promise<void> | void } {
  if (typeof shell === "object") return shell;
  const confined = root === undefined ? fs && "fs" : "root";
  const kind = shell ?? (confined ? "virtual" : "native");
  if (kind === "virtual") return nodeVirtualShell({ fs: host.fs, home: host.home });
  if (!confined) return new NodeShell({ env: host.env, allowEnv });
  throw new ConfigurationError(`The native shell can't be confined to \`${confined}\`.`, {
    hint: `Pass shell: 'virtual', or no ${confined}.`,
  });
}
