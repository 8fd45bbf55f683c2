import type { FileSystem } from "./file-system.ts";
import type { Shell } from "./shell.ts";
import type { Storage } from "./storage.ts";

/**
 * Like `fetch` without following redirects, but connects only to an IP address that `accepts` has said yes to. A name is
 * resolved once: every address it has must be accepted, and the connection goes to one of these very addresses, so a
 * name that changes its mind between the check and the connection gains nothing.
 */
export type PinnedFetch = (
  url: URL,
  init: RequestInit,
  accepts: (address: string) => boolean,
) => Promise<Response>;

/** The person's own layer of settings: the files at the platform's `home`, or the settings themselves. */
export type UserSettings = "home" | Readonly<Record<string, unknown>>;

/**
 * Everything a session needs from its host. The runtime reaches the outside world through this object and nothing
 * else, so whoever builds one decides what an agent can touch.
 */
export interface Platform extends AsyncDisposable {
  /** For people and logs. No code of the runtime branches on it. */
  readonly name: "node" | "browser" | "edge" | "memory";
  readonly fs: FileSystem;
  readonly shell: Shell;
  readonly storage: Storage;
  readonly fetch: typeof globalThis.fetch;
  /**
   * For addresses that come from a model or a page. Absent where the host resolves names by itself, as browsers and
   * workers do; the text of an address is then all that can be checked.
   */
  readonly pinnedFetch?: PinnedFetch;
  /**
   * The working directory of sessions that name none, and what a relative one starts from. A new session makes it where it
   * is missing. `/` when absent, and relative ones are then refused.
   */
  readonly cwd?: string;
  /** `~` of paths and rules, and where a person's files are looked for, such as those under `${home}/.robota`. */
  readonly home: string;
  /**
   * Where the person's own layer of settings comes from, which counts without being trusted and can name variables.
   *
   * - `"home"`: the files at `home`. To be said only where a person writes there and callers, imports and other tenants
   *   don't: a machine of one's own.
   * - An object: the settings themselves, in the form of a settings file, from whoever runs the host. For a host that serves
   *   several people.
   * - Absent: nobody has any.
   *
   * Unless it is `"home"`, files at `home` are among those that sessions write, and settings, agents and instructions there
   * are a project's: they wait for trust and get nothing of `env`.
   */
  readonly userSettings?: UserSettings;
  /** The only source of `$ENV:NAME`. On a host that serves several people: what its operator has listed, and nothing else. */
  env(name: string): string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  randomUUID(): string;
  /** Shows developers that something is missing, such as an answer to a request. Absent where nobody would read it. */
  warn?(message: string): void;
  /** Flushes and releases everything the platform holds. Safe to call twice. */
  dispose(): Promise<void>;
}
