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
    ...methodsOf(base),
  };
}

/** A platform's clock and ids, free to be passed on. */
export interface Clock {
  now: () => number;
  randomUUID: () => string;
}

export const clockOf = sharedBySessions((platform): Clock => {
  return { now: () => platform.now(), randomUUID: () => platform.randomUUID() };
});

/** The methods of a platform that stay when its files, shell or storage are replaced. */
const methodsOf = sharedBySessions((platform) => {
  const dispose = (): Promise<void> => platform.dispose();
  return {
    ...(platform.warn && { warn: (message: string) => platform.warn?.(message) }),
    env: (name: string) => platform.env(name),
    ...clockOf(platform),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
});

/** Makes something of a platform once, for all of its sessions. */
function sharedBySessions<Made>(make: (platform: Platform) => Made): (platform: Platform) => Made {
  const known = new WeakMap<Platform, Made>();
  return (platform) => {
    const made = known.get(platform) ?? make(platform);
    known.set(platform, made);
    return made;
  };
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
