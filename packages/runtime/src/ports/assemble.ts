import { ConfigurationError } from "../errors.ts";
import type { FileSystem } from "./file-system.ts";
import type { Platform } from "./platform.ts";
import { randomUUID } from "./random-uuid.ts";
import type { Shell } from "./shell.ts";
import type { Storage } from "./storage.ts";

/** The parts of a platform that a session accepts one by one. */
export interface PlatformParts {
  platform?: Platform | undefined;
  fs?: FileSystem | undefined;
  shell?: Shell | undefined;
  storage?: Storage | undefined;
}

/** The platform as a session's tools see it, with parts replaced; missing parts fail with a clear error when used. */
export function assemblePlatform(parts: PlatformParts): Platform {
  const { platform, fs, shell, storage } = parts;
  const base = platform ?? BARE;
  if (!fs && !shell && !storage) return base;
  const dispose = (): Promise<void> => base.dispose();
  return {
    name: base.name,
    fs: fs ?? base.fs,
    shell: shell ?? base.shell,
    storage: storage ?? base.storage,
    fetch: base.fetch,
    pinnedFetch: base.pinnedFetch,
    // The directory of other files.
    cwd: fs ? undefined : base.cwd,
    home: base.home,
    userSettings: base.userSettings,
    ...(base.warn && { warn: (message) => base.warn?.(message) }),
    env: (name) => base.env(name),
    ...clockOf(base),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** A platform's clock and ids, free to be passed on. */
export interface Clock {
  now: () => number;
  randomUUID: () => string;
}

/** All sessions of a platform share one. */
const clocks = new WeakMap<Platform, Clock>();

export function clockOf(platform: Platform): Clock {
  const known = clocks.get(platform);
  if (known) return known;
  const clock = { now: () => platform.now(), randomUUID: () => platform.randomUUID() };
  clocks.set(platform, clock);
  return clock;
}

/** A clock, ids and fetch, and nothing else: for conversations whose tools need no files. It holds nothing, so all share it. */
const BARE: Platform = {
  name: "memory",
  fs: missing<FileSystem>("fs"),
  // Starts no program of the machine, which is all that rules ask of a shell.
  shell: missing<Shell>("shell", { kind: "virtual" }),
  storage: missing<Storage>("storage"),
  fetch: (...args) => globalThis.fetch(...args),
  home: "/home/user",
  env: () => undefined,
  now: () => Date.now(),
  randomUUID,
  dispose: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function missing<Port extends object>(part: string, facts: Partial<Port> = {}): Port {
  return new Proxy(facts as Port, {
    get(_, name): unknown {
      if (Object.hasOwn(facts, name)) return facts[name as keyof Port];
      throw new ConfigurationError(`The session has no ${part}`, {
        hint: "Give the session a platform, for example nodePlatform(), browserPlatform() or memoryPlatform().",
      });
    },
  });
}
