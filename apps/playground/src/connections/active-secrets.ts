import { servers } from "../remote/servers.ts";
import { savedConnections } from "./connections.ts";

/** Every key that this page holds, for exports to leave out wherever a model or a tool may have repeated it. */
export async function activeSecrets(): Promise<string[]> {
  if (savedConnections().length === 0 && servers.get().length === 0) return [];
  const { keyRing } = await import("./keys/key-ring.ts");
  const { tokenPlace } = await import("../remote/server-access.ts");
  return [...savedConnections(), ...servers.get().map(tokenPlace)].flatMap(
    (each) => keyRing.keyOf(each) ?? [],
  );
}
