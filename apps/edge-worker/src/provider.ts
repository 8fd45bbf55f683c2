import type { Provider } from "@robota/runtime";
import { costOf } from "@robota/runtime/providers";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import {
  isAnonymousOwner,
  meteredProvider,
  type UsageLimits,
  type UseMeter,
} from "@robota/runtime/transports";
import { ANONYMOUS } from "./anonymous.ts";
import { type CountingDirectory, meterAt } from "./usage.ts";

/**
 * The model that a session of `owner` talks to: whichever key the worker has, else the offline provider, which is all
 * that anonymous callers ever get. Only the one that is chosen is loaded.
 * The keys are read here, by the worker: no session sees its environment.
 * @throws {ConfigurationError} when a key has no model to go with it
 */
export async function chooseProvider(
  env: object,
  owner: string,
  model?: string,
): Promise<Provider> {
  if (isAnonymousOwner(ANONYMOUS, owner)) return new OfflineProvider();
  const { providerFromEnvironment } = await import("@robota/runtime/providers/environment");
  const variables = new Map<string, unknown>(Object.entries(env));
  const { provider } = await providerFromEnvironment({
    env(name) {
      if (model !== undefined && name.endsWith("_MODEL")) return model;
      const value = variables.get(name);
      return typeof value === "string" ? value : undefined;
    },
    // A worker's `fetch` can't be called as another object's method.
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now(),
    randomUUID: () => crypto.randomUUID(),
  });
  return provider;
}

/** The provider of a principal, its use counted where all of the principal's sessions are. */
export function countedProvider(
  provider: Provider,
  directory: CountingDirectory,
  limits: UsageLimits,
): Provider {
  const { tokensPerDay, dollarsPerDay } = limits;
  if (tokensPerDay === undefined && dollarsPerDay === undefined) return provider;
  const isFree = provider instanceof OfflineProvider;
  const prices: UseMeter["costOf"] = (usage, model) => (isFree ? 0 : costOf(usage, model));
  return meteredProvider(provider, meterAt(directory, { limits, costOf: prices }));
}
