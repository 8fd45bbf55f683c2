import type { Platform } from "@robota/runtime";
import { LeaseTable } from "@robota/runtime/virtual";
import { VirtualShell, type VirtualShellOptions } from "@robota/shell";
import { createDatabase, type Database } from "./database.ts";
import { EdgeFileSystem } from "./file-system.ts";
import { Inodes } from "./inodes.ts";
import { EdgeStorage } from "./storage.ts";

const WORKSPACE = "/workspace";

/** What a host may want to have otherwise. */
export interface EdgePlatformOptions {
  /** The home in the object's file system; `/home/user` when omitted. Its files are the session's, as all others. */
  home?: string;
  /**
   * Names of the variables of `env` that sessions see (`$ENV:NAME` of your own settings); none when omitted. Name no key that
   * only the worker itself needs.
   */
  variables?: readonly string[];
  /**
   * Your own settings for the sessions of this worker: the layer that on a machine is the person's, in the form of a settings
   * file. Whatever lies in the files of a session is a project's and waits for trust.
   */
  userSettings?: Readonly<Record<string, unknown>>;
  /** How much one command may do. */
  shellLimits?: VirtualShellOptions["limits"];
  /**
   * What scripts of `js` (and `node`) may take, and what runs them: a deployed worker compiles no WebAssembly itself, so
   * without `wasm` they say that they can't run. `import quickjs from "@robota/shell/quickjs.wasm"` gives it.
   */
  scripts?: VirtualShellOptions["scripts"];
  fetch?: typeof globalThis.fetch;
  now?: () => number;
  randomUUID?: () => string;
}

/** What all platforms made on one object share: it has one database and one live instance. */
interface Shared {
  database: Database;
  inodes: Inodes;
  leaseTable: LeaseTable;
}

const shared = new WeakMap<DurableObjectState, Shared>();

/**
 * The platform of one Durable Object: files and sessions in its SQLite (the class needs `new_sqlite_classes`), commands in
 * a virtual shell. `env` is the worker's environment, of which a session sees the texts that `variables` lists, and nothing
 * else: all who call the worker share it, and so do its secrets.
 *
 * The shell is bounded by counts of commands, loops and bytes, because the clock of a deployed worker stands still
 * while it computes.
 */
export function edgePlatform(
  state: DurableObjectState,
  env: object = {},
  options: EdgePlatformOptions = {},
): Platform {
  const { now = Date.now, home = "/home/user", shellLimits, scripts } = options;
  const { database, inodes, leaseTable } = sharedBy(state);
  const fs = new EdgeFileSystem(database, inodes, now);
  const storage = new EdgeStorage(database, leaseTable);
  const listed = new Set(options.variables);
  const variables = new Map(Object.entries(env).filter(([name]) => listed.has(name)));

  const dispose = (): Promise<void> => storage.close();
  return {
    name: "edge",
    fs,
    shell: new VirtualShell({
      fs,
      home,
      ...(shellLimits ? { limits: shellLimits } : {}),
      ...(scripts ? { scripts } : {}),
    }),
    storage,
    cwd: WORKSPACE,
    home,
    ...(options.userSettings && { userSettings: options.userSettings }),
    // A worker's `fetch` refuses to be called as somebody's method.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    env(name) {
      const value: unknown = variables.get(name);
      return typeof value === "string" ? value : undefined;
    },
    now,
    randomUUID: options.randomUUID ?? (() => crypto.randomUUID()),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function sharedBy(state: DurableObjectState): Shared {
  const found = shared.get(state);
  if (found) return found;
  const database = createDatabase(state.storage);
  const inodes = new Inodes(database);
  const made: Shared = { database, inodes, leaseTable: new LeaseTable() };
  shared.set(state, made);
  return made;
}
