import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { InteractiveSessionOptions } from "@robota/runtime";
import { UsageError } from "./arguments/usage-error.ts";

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

/** The JSON object that an option has itself or in a file. @throws {UsageError} */
async function readJsonOption(
  option: string,
  given: string,
  cwd: string,
): Promise<Record<string, unknown>> {
  const isJson = given.trimStart().startsWith("{");
  const text = isJson ? given : await readOptionFile(option, given, cwd);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${option} ${isJson ? "" : `${given} `}is not JSON: ${String(cause)}`, {
      cause,
    });
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
    return parsed as Record<string, unknown>;
  throw new UsageError(`${option} needs a JSON object`);
}

async function readOptionFile(option: string, path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (cause) {
    throw new UsageError(`${option} can't read ${path}`, { cause });
  }
}
