import { ConfigurationError } from "../../errors.ts";
import { assemblePlatform } from "../../ports/assemble.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Storage } from "../../ports/storage.ts";
import type { Script } from "./recorded-calls.ts";

/** What a session that is replayed sees of the world: the record's time, ids that are told apart, and no network. */
export function replayPlatform(script: Script, storage: Storage, platform?: Platform): Platform {
  const base = assemblePlatform({ storage });
  const clock = {
    now: () => (script.at(script.next) ?? script.at(script.next - 1))?.time ?? 0,
    randomUUID: () => script.ids.make(),
  };
  if (!platform) return { ...base, fetch: noNetwork, ...clock };
  return {
    name: platform.name,
    fs: platform.fs,
    shell: platform.shell,
    storage,
    fetch: noNetwork,
    ...(platform.cwd !== undefined && { cwd: platform.cwd }),
    home: platform.home,
    env: () => undefined,
    ...clock,
    dispose: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

const noNetwork: typeof globalThis.fetch = () =>
  Promise.reject(
    new ConfigurationError("A replay has no network", {
      hint: "Take the results of tools that use it from the record.",
    }),
  );
