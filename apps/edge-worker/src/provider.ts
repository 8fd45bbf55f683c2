import type { Provider } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { isAnonymousOwner } from "@robota/runtime/transports";
import { ANONYMOUS } from "./anonymous.ts";

/**
 * The model that a session of `owner` talks to: whichever key the worker has, else the offline provider, which is all
 * that anonymous callers ever get. Only the one that is chosen is loaded.
 * The keys are read here, by the worker: no session sees its environment.
 * @throws {ConfigurationError} when a key has no model to go with it
 */
export async function chooseProvider(env: object, owner: string): Promise<Provider> {
  if (isAnonymousOwner(ANONYMOUS, owner)) return new OfflineProvider();
  const { providerFromEnvironment } = await import("@robota/runtime/providers/environment");
  const variables = new Map<string, unknown>(Object.entries(env));
  const { provider } = await providerFromEnvironment({
    env(name) {
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
