import type { InteractiveSessionOptions } from "@robota/runtime";
import { UsageError } from "./arguments/usage-error.ts";
import { readJsonOption } from "./json-option.ts";

type McpServers = InteractiveSessionOptions["mcpServers"];

/**
 * The servers of `--mcp-config`: files or JSON in the form that other agents have too, with later ones before earlier
 * ones of the same name.
 * @throws {UsageError}
 */
export async function readMcpConfig(configs: readonly string[], cwd: string): Promise<McpServers> {
  let servers: McpServers;
  for (const config of configs) servers = { ...servers, ...(await readOne(config, cwd)) };
  return servers;
}

async function readOne(config: string, cwd: string): Promise<NonNullable<McpServers>> {
  const parsed = await readJsonOption("--mcp-config", config, cwd);
  const { mcpServers } = parsed as { mcpServers?: unknown };
  if (typeof mcpServers === "object" && mcpServers !== null && !Array.isArray(mcpServers)) {
    // The session checks each server, and names the one that is not usable.
    return mcpServers as NonNullable<McpServers>;
  }
  throw new UsageError('--mcp-config needs {"mcpServers": {"name": {"command": …} or {"url": …}}}');
}
