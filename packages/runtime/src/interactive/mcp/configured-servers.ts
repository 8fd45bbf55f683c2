import type { ConfigureContext } from "../../session/configuration.ts";
import type { SessionLogger } from "../../session/trace/logger.ts";
import type { Platform } from "../../ports/platform.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import type { McpServerOption, McpSessionOptions } from "./mcp-options.ts";
import type { ConfiguredServer } from "./server-endpoint.ts";
import { SessionServers } from "./session-servers.ts";

/** The part of a session's options that is about servers. */
export interface ServerOptions {
  mcpServers?: Readonly<Record<string, McpServerOption>> | undefined;
  mcp?: McpSessionOptions | undefined;
  logger?: SessionLogger | undefined;
}

/** The servers of a session, by its options and the settings that `loaded` returns as they are then. */
export function sessionServers(
  { mcpServers = {}, mcp = {}, logger }: ServerOptions,
  { platform, cwd, ...context }: ConfigureContext & { platform: Platform; cwd: string },
  loaded: () => LoadedSettings,
): SessionServers {
  const configured = (): ConfiguredServer[] => {
    const given = Object.entries(mcpServers).map(([name, options]) => {
      return { name, options, layer: "option", isOwn: true };
    });
    const own = new Set(given.map(({ name }) => name));
    return [...given, ...serversOf(loaded()).filter(({ name }) => !own.has(name))];
  };
  return new SessionServers({ platform, cwd, context, options: mcp, logger, configured });
}

/** The servers of settings in force, which for a project and a bundle means after trust. */
function serversOf({ resolved, layers }: LoadedSettings): ConfiguredServer[] {
  const { mcpServers = {} } = resolved.values;
  return Object.entries(mcpServers).map(([name, options]) => {
    const layer = resolved.sources[`mcpServers.${name}`] ?? "";
    const from = layers.filter((one) => one.name === layer);
    const isOwn =
      from.length > 0 && from.every(({ scope, isBundle }) => scope !== "project" && !isBundle);
    return { name, options, layer, isOwn };
  });
}
