import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { ValidationError } from "../errors.ts";
import type { RunningProcess } from "../ports/process.ts";
import type { McpServerObject } from "./server-object.ts";

/** Opens a new transport to a server; called again for each attempt to connect. */
export type OpenTransport = () => Promise<Transport>;

/** Streamable HTTP. A redirect is not followed, so that no header reaches another address. */
export function overHttp(
  url: string,
  options: { fetch: FetchLike; headers?: Readonly<Record<string, string>> | undefined },
): OpenTransport {
  const address = parseAddress(url);
  return async () => {
    const { StreamableHTTPClientTransport } = await import("./sdk.ts");
    return new StreamableHTTPClientTransport(address, {
      fetch: options.fetch,
      requestInit: { headers: { ...options.headers }, redirect: "manual" },
    });
  };
}

/** A pair of linked transports, one of which a new or given server object gets. */
export function inProcess(
  server: McpServerObject | (() => McpServerObject | Promise<McpServerObject>),
): OpenTransport {
  return async () => {
    const { InMemoryTransport } = await import("./sdk.ts");
    const [own, others] = InMemoryTransport.createLinkedPair();
    const object = typeof server === "function" ? await server() : server;
    await object.connect(others);
    return own;
  };
}

/** Messages as lines on the streams of a process. */
export function overProcess(start: () => Promise<RunningProcess>): OpenTransport {
  return async () => {
    const { ProcessTransport } = await import("./process-transport.ts");
    return new ProcessTransport(start);
  };
}

/** @throws {ValidationError} unless it is an http or https address without a password */
export function parseAddress(url: string): URL {
  const address = URL.parse(url);
  const isWeb = address && /^https?:$/.test(address.protocol);
  if (isWeb && `${address.username}${address.password}` === "") return address;
  throw new ValidationError("An MCP server's address must be an http or https URL", {
    hint: "For example https://example.com/mcp.",
  });
}
