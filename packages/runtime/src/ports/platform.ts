import type { FileSystem } from "./file-system.ts";
import type { ProcessOptions, RunningProcess } from "./process.ts";
import type { Shell } from "./shell.ts";
import type { Storage } from "./storage.ts";

/**
 * Like `fetch` without following redirects, but connects only to an IP address that `accepts` approves. A name is
 * resolved once: every address must be accepted, and the connection goes to one of these very addresses, so DNS
 * rebinding gains nothing.
 */
export type PinnedFetch = (
  url: URL,
  init: RequestInit,
  accepts: (address: string) => boolean,
) => Promise<Response>;

/** The person's own layer of settings: the files at the platform's `home`, or the settings themselves. */
export type UserSettings = "home" | Readonly<Record<string, unknown>>;

/**
 * The host as a session sees it. The runtime reaches the outside world only through this object, so its creator decides
 * on an agent's reach.
 */
export interface Platform extends AsyncDisposable {
  /** Label for people and logs. The runtime never branches on it. */
  readonly name: "node" | "browser" | "edge" | "memory";
  readonly fs: FileSystem;
  readonly shell: Shell;
  readonly storage: Storage;
  readonly fetch: typeof globalThis.fetch;
  /**
   * Fetch for addresses from a model or a page. Absent where the host resolves names by itself, as browsers and workers
   * do; only the text of an address can then be checked.
   */
  readonly pinnedFetch?: PinnedFetch | undefined;
  /**
   * The working directory of sessions without one, and the base of a relative one. A new session creates it if missing.
   * `/` when absent; relative ones are then refused.
   */
  readonly cwd?: string | undefined;
  /** `~` in paths and rules, and the place of a person's files, such as those under `${home}/.robota`. */
  readonly home: string;
  /**
   * The source of the person's own layer of settings, which applies without trust and can name variables.
   *
   * - `"home"`: the files at `home`. Only where nobody but the person writes there, no callers, imports or other
   *   tenants: a personal machine.
   * - An object: the settings themselves, in the form of a settings file, from the operator of the host. For a host
   *   that serves several people.
   * - Absent: there are none.
   *
   * Unless it is `"home"`, sessions may write files at `home`, and settings, agents and instructions there are a
   * project's: they wait for trust and get nothing of `env`.
   */
  readonly userSettings?: UserSettings | undefined;
  /** The only source of `$ENV:NAME`. On a host that serves several people: only what its operator has listed. */
  env(name: string): string | undefined;
  /**
   * Starts a program of the machine beside the session, such as an MCP server on stdio. Absent where there are none.
   * @throws {ShellError} when it can't be started
   */
  startProcess?(options: ProcessOptions): Promise<RunningProcess>;
  /** Milliseconds since the epoch. */
  now(): number;
  randomUUID(): string;
  /** Shows developers a warning, such as a request without an answer. Absent on hosts without a place for it. */
  warn?(message: string): void;
  /** Flushes and releases everything the platform holds. Safe to call twice. */
  dispose(): Promise<void>;
}
