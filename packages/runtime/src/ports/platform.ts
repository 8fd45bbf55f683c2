import type { FileSystem } from "./file-system.ts";
import type { Shell } from "./shell.ts";
import type { Storage } from "./storage.ts";

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
  /** User-level settings live under `${home}/.robota`. */
  readonly home: string;
  /** The only source of `$ENV:NAME`. */
  env(name: string): string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  randomUUID(): string;
  /** Flushes and releases everything the platform holds. Safe to call twice. */
  dispose(): Promise<void>;
}
