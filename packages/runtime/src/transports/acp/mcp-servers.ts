import type { McpServer } from "@agentclientprotocol/sdk";
import type { McpServerSettings } from "../../interactive/settings/settings.ts";

/** The reason why servers can't be used, in words for a person. */
type Unusable = { unusable: string };

/** Length of a server's name, which is part of its tools' names. */
const MAX_NAME = 32;

/** The client's servers as a session takes them. Names become such as a server may have. */
export function mcpServersOf(
  servers: readonly McpServer[],
): { byName: Record<string, McpServerSettings> } | Unusable {
  const byName: Record<string, McpServerSettings> = {};
  for (const server of servers) {
    const name = nameOf(server.name);
    if (Object.hasOwn(byName, name)) return { unusable: `Two MCP servers have the name ${name}.` };
    if ("command" in server) {
      const { command, args, env } = server;
      byName[name] = { command, args, env: record(env) };
    } else if (server.type === "http") {
      byName[name] = { url: server.url, headers: record(server.headers) };
    } else {
      return { unusable: `The MCP server ${name} speaks SSE, which this agent does not.` };
    }
  }
  return { byName };
}

function nameOf(name: string): string {
  const safe = name
    .replaceAll(/[^A-Za-z0-9_-]/g, "-")
    .replaceAll(/_{2,}/g, "_")
    .slice(0, MAX_NAME)
    .replace(/_$/, "-");
  return safe === "" ? "server" : safe;
}

function record(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
