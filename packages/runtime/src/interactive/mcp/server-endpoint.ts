import type { Transport } from "@modelcontextprotocol/client";
import { sha256 } from "../../digest.ts";
import { ConfigurationError } from "../../errors.ts";
import {
  inProcess,
  type OpenTransport,
  overHttp,
  overProcess,
  parseAddress,
} from "../../mcp/endpoint.ts";
import { authorizedFetch } from "../../mcp/authorization.ts";
import type { McpAuthorization } from "../../mcp/authorization-options.ts";
import { policedFetch } from "../../mcp/policed-fetch.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import type { Platform } from "../../ports/platform.ts";
import type { McpServerSettings } from "../settings/settings.ts";
import type { McpServerOption } from "./mcp-options.ts";

/** A server as it is configured, and by whom. */
export interface ConfiguredServer {
  name: string;
  options: McpServerOption;
  /** The layer of settings, or `option`. */
  layer: string;
  /** True when the person or the program configured it, and neither a project nor a bundle. */
  isOwn: boolean;
}

/** How to reach a server. */
export interface ServerEndpoint {
  open: OpenTransport;
  /** For people: no path and no query, which may hold keys. */
  place: string;
  /** The server's identity over time. */
  identity: readonly unknown[];
  hint: string;
}

export interface EndpointHost {
  platform: Platform;
  cwd: string;
  authorization: McpAuthorization | undefined;
  /** The attempt under way that a person asked for, who may be shown a page. */
  person: () => { signal: AbortSignal } | undefined;
  /** Takes what a process writes on its standard error. */
  onErrorOutput: (text: string) => void;
}

/** @throws {RobotaError} for a server that this host can't reach */
export function endpointOf(
  { name, options, isOwn }: ConfiguredServer,
  host: EndpointHost,
): ServerEndpoint {
  const { platform, cwd, onErrorOutput } = host;
  if (isInProcess(options)) {
    return {
      open: inProcess(options.server),
      place: "in-process",
      identity: [name, "in-process", cwd],
      hint: "Check that the server's `connect` works.",
    };
  }
  const { url, command } = options;
  if (url !== undefined && command !== undefined)
    throw unusable(name, "has both a url and a command", "Keep one of the two.");
  if (url !== undefined) return webEndpoint({ name, options, url, isOwn }, host);
  if (command === undefined)
    throw unusable(name, "has neither a url nor a command", "Give it one of the two.");
  const { args = [], env } = options;
  const start = platform.startProcess?.bind(platform);
  if (!start)
    throw unusable(name, "is a process", "Only Node starts processes. Name a server by its url.");
  return {
    open: overProcess(() => start({ command, args, cwd, env, onErrorOutput })),
    place: command.split("/").at(-1) ?? command,
    identity: [name, command, args, isOwn ? "" : cwd],
    hint: `Check that ${command} runs on this machine, and speaks MCP on its standard input and output.`,
  };
}

function isInProcess(
  options: McpServerOption,
): options is Extract<McpServerOption, { server: unknown }> & { server: object } {
  return typeof options.server === "object" || typeof options.server === "function";
}

function webEndpoint(
  { name, options, url, isOwn }: Omit<ConfiguredServer, "layer" | "options"> & WebServer,
  { platform, authorization, person }: EndpointHost,
): ServerEndpoint {
  const { headers, oauth: credentials } = options;
  const { origin, host, href } = parseAddress(url);
  const { hostname } = new URL(origin);
  // A person's server may be on their own machine or network, beside the server that authorizes for it; no project's
  // leads there.
  const policy = (address: URL): EgressPolicy =>
    isOwn && address.hostname === hostname ? { allowPrivateOrigins: [address.origin] } : {};
  const identity = [name, href];
  const network = policedFetch(platform, policy);
  const open = async (): Promise<Transport> => {
    const storageKey = `mcp-tokens/${await sha256(JSON.stringify(identity))}`;
    const { storage } = platform;
    const asked = { server: name, url, fetch: network, storage, storageKey, credentials };
    const fetch = authorizedFetch({ ...asked, authorization, person });
    return overHttp(url, { fetch, headers })();
  };
  // A key that was configured is the only one.
  const hasKey = Object.keys(headers ?? {}).some((key) => key.toLowerCase() === "authorization");
  return {
    open: hasKey ? overHttp(url, { fetch: network, headers }) : open,
    place: host,
    identity,
    hint: `Check that ${origin} is reachable and speaks Streamable HTTP.`,
  };
}

interface WebServer {
  options: McpServerSettings;
  url: string;
}

function unusable(name: string, what: string, hint: string): ConfigurationError {
  return new ConfigurationError(`The MCP server ${name} ${what}`, { hint });
}
