import type { Platform, Provider } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { ANONYMOUS } from "./environment.ts";

/**
 * The model that a session of `owner` talks to: whichever key the worker has, else the offline provider, which is all
 * that anonymous callers ever get. Only the one that is chosen is loaded.
 * @throws {ConfigurationError} when a key has no model to go with it
 */
export async function chooseProvider(
  platform: Pick<Platform, "env" | "fetch" | "now" | "randomUUID">,
  owner: string,
): Promise<Provider> {
  if (owner === ANONYMOUS) return new OfflineProvider();
  const { providerFromEnvironment } = await import("@robota/runtime/providers/environment");
  return (await providerFromEnvironment(platform)).provider;
}
