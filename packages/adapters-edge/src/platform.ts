import type { Platform } from "@robota/runtime";
import { type OptionForms, requireOptions } from "@robota/runtime/ports";
import { LeaseTable } from "@robota/runtime/virtual";
import { VirtualShell, type VirtualShellOptions } from "@robota/shell";
import { createDatabase, type SqlDatabase } from "./database.ts";
import { EdgeFileSystem } from "./file-system.ts";
import { Inodes } from "./inodes.ts";
import { EdgeStorage } from "./storage.ts";

const WORKSPACE = "/workspace";

/** Options of the platform. */
export interface EdgePlatformOptions {
  /** The home in the object's file system; `/home/user` when omitted. Its files are the session's, as all others. */
  home?: string | undefined;
  /**
   * Names of the variables of `env` that sessions see (`$ENV:NAME` of your own settings); none when omitted. Name no key that
   * only the worker itself needs.
   */
  variables?: readonly string[] | undefined;
  /**
   * Your own settings for the sessions of this worker, in the form of a settings file: the layer that is the person's
   * on a machine. Settings in a session's files are a project's and wait for trust.
   */
  userSettings?: Readonly<Record<string, unknown>> | undefined;
  /** Limits of one command. */
  shellLimits?: VirtualShellOptions["limits"] | undefined;
  /**
   * Limits of `js` (and `node`) scripts, and their engine: a deployed worker compiles no WebAssembly itself, so without
   * `wasm` scripts fail with an explanation. `import quickjs from "@robota/shell/quickjs.wasm"` provides it.
   */
  scripts?: VirtualShellOptions["scripts"] | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const OPTIONS: OptionForms<EdgePlatformOptions> = {
  home: "string",
  variables: "array",
  userSettings: "object",
  shellLimits: "object",
  scripts: "object",
  fetch: "function",
  now: "function",
  randomUUID: "function",
};

/** State shared by all platforms on one object: it has one database and one live instance. */
interface Shared {
  database: SqlDatabase;
  inodes: Inodes;
  leaseTable: LeaseTable;
}

const shared = new WeakMap<DurableObjectState, Shared>();

/**
 * The platform of one Durable Object: files and sessions in its SQLite (the class needs `new_sqlite_classes`), commands
 * in a virtual shell. `env` is the worker's environment; a session sees only the texts in `variables`, since all
 * callers share the worker and its secrets.
 *
 * The shell is bounded by counts of commands, loops and bytes, because the clock of a deployed worker stands still
 * while it computes.
 * @throws {ConfigurationError} for a misspelt option
 */
export function edgePlatform(
  state: DurableObjectState,
  env: object = {},
  options: EdgePlatformOptions = {},
): Platform {
  requireOptions(options, OPTIONS);
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
      limits: shellLimits,
      scripts,
    }),
    storage,
    cwd: WORKSPACE,
    home,
    userSettings: options.userSettings,
    // A worker's `fetch` can't be called as another object's method.
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
