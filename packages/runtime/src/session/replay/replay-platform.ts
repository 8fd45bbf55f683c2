import { ConfigurationError } from "../../errors.ts";
import { assemblePlatform } from "../../ports/assemble.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Storage } from "../../ports/storage.ts";
import type { ReplayCursor } from "./replay-cursor.ts";

/** The platform of a replayed session: the recorded time, generated ids, and no network. */
export function replayPlatform(
  cursor: ReplayCursor,
  storage: Storage,
  platform?: Platform,
): Platform {
  const base = assemblePlatform({ storage });
  const clock = {
    now: () => (cursor.at(cursor.next) ?? cursor.at(cursor.next - 1))?.time ?? 0,
    randomUUID: () => cursor.ids.make(),
  };
  if (!platform) return { ...base, fetch: noNetwork, ...clock };
  return {
    name: platform.name,
    fs: platform.fs,
    shell: platform.shell,
    storage,
    fetch: noNetwork,
    cwd: platform.cwd,
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
