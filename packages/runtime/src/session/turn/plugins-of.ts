import { PluginChain } from "../../plugins/plugin-chain.ts";
import type { SessionOptions } from "../options.ts";

/** A session's plugins, which most sessions have none of. */
export function pluginsOf(options: Pick<SessionOptions, "onPluginError" | "plugins">): PluginChain {
  return new PluginChain(options.plugins ?? [], (error) => options.onPluginError?.(error));
}
