import { ConfigurationError } from "../errors.ts";
import type { FileSystem } from "../ports/file-system.ts";
import type { Platform, UserSettings } from "../ports/platform.ts";
import { randomUUID } from "../ports/random-uuid.ts";
import type { Shell } from "../ports/shell.ts";
import type { Storage } from "../ports/storage.ts";
import { MemoryFileSystem } from "../virtual/memory-file-system.ts";
import { MemoryStorage } from "../virtual/memory-storage.ts";
import { missingShell } from "./missing-shell.ts";

/** The parts of a platform in memory that its shell uses. */
export interface MemoryShellParts {
  fs: FileSystem;
  home: string;
  fetch?: typeof globalThis.fetch | undefined;
}

export interface MemoryPlatformOptions {
  /**
   * Initial content of the new file system, by absolute path; not together with `fs`. A path that ends in `/` is a
   * directory.
   */
  files?: Record<string, string | Uint8Array> | undefined;
  fs?: FileSystem | undefined;
  /**
   * Runs commands, or makes the shell that does from the platform's other parts. Without it every command fails and says so;
   * `memoryPlatform` of `@robota/shell/testing` comes with a bash.
   */
  shell?: Shell | ((parts: MemoryShellParts) => Shell) | undefined;
  storage?: Storage | undefined;
  /** Network access; when omitted, every request fails and says so. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Values of `$ENV:NAME`. */
  env?: Record<string, string> | undefined;
  /**
   * The person's own settings; none by default, because sessions can write files at the home. `"home"` is for tests of
   * a personal machine.
   */
  userSettings?: UserSettings | undefined;
  /** Uses a clock that starts in 2026 and advances a millisecond with each read, and counting ids. */
  deterministic?: boolean | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const HOME = "/home/user";

/** A whole host in memory, for tests and for trying things out: no network, no disk, no process. */
export function memoryPlatform(options: MemoryPlatformOptions = {}): Platform {
  const { files, env = {}, deterministic = false } = options;
  if (files && options.fs) {
    throw new ConfigurationError("memoryPlatform takes either files or fs", {
      hint: "Write the files to the file system that you pass.",
    });
  }
  const now = options.now ?? (deterministic ? tickingClock() : Date.now);
  const makeId = options.randomUUID ?? (deterministic ? countingIds() : randomUUID);
  const fs = options.fs ?? new MemoryFileSystem({ files: { [`${HOME}/`]: "", ...files }, now });
  const { fetch, shell = missingShell } = options;

  return {
    name: "memory",
    fs,
    shell: typeof shell === "function" ? shell({ fs, home: HOME, fetch }) : shell,
    storage: options.storage ?? new MemoryStorage(),
    fetch: fetch ?? noNetwork,
    home: HOME,
    userSettings: options.userSettings,
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    now,
    randomUUID: makeId,
    dispose: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

function tickingClock(): () => number {
  let time = Date.UTC(2026, 0, 1);
  return () => time++;
}

function countingIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${(++count).toString(16).padStart(12, "0")}`;
}

const noNetwork: typeof globalThis.fetch = async (input) => {
  const url = input instanceof Request ? input.url : String(input);
  throw new ConfigurationError(`This memoryPlatform has no network, so it can't fetch ${url}`, {
    hint: "Pass a `fetch` to memoryPlatform that answers the request.",
  });
};
