import type { Tool } from "../tools/tool.ts";
import { patternWarnings } from "../tools/validate-args.ts";
import { CallTime } from "./call-time.ts";
import { inProcess, type OpenTransport, overHttp, parseAddress } from "./endpoint.ts";
import { type McpPins, sift, type WithheldTool } from "./offered-tools.ts";
import { ServerConnection } from "./server-connection.ts";
import { requireServerName } from "./server-name.ts";
import type { McpServerObject } from "./server-object.ts";
import { asTool } from "./server-tool.ts";

export type { McpPins, WithheldTool } from "./offered-tools.ts";

/** A server behind an address. */
export interface McpEndpoint {
  /** The server's Streamable HTTP endpoint. */
  url: string;
  /** Fetch of the transport, such as `platform.fetch`. */
  fetch: typeof globalThis.fetch;
  /** Sent with every request, for example `authorization`. */
  headers?: Record<string, string> | undefined;
}

/** A server of this program. */
export interface McpInProcess {
  server: McpServerObject | (() => McpServerObject | Promise<McpServerObject>);
}

export type McpOptions = (McpEndpoint | McpInProcess) & {
  /** Letters, digits, `-` and single `_` within, at most 32: tools are called `mcp__<name>__<tool>`. */
  name: string;
  signal?: AbortSignal | undefined;
  /** Timeout of each call in milliseconds; default 60,000. Progress restarts it. */
  timeoutMs?: number | undefined;
  /**
   * The `pins` of an earlier connection, whose tools a person has approved: a tool that is new or no longer the same to the
   * last letter is withheld until it is approved as well. Without them, every tool is offered.
   */
  pins?: McpPins | undefined;
};

/** A connection to an MCP server with its tools; `close` ends it. */
export interface McpConnection extends AsyncDisposable {
  /** The server's tools, as they were when the connection was made: a server can't change them later. */
  readonly tools: readonly Tool[];
  /** Pins of the offered tools; keep them for the next connection. */
  readonly pins: McpPins;
  readonly withheld: readonly WithheldTool[];
  /** Parts of the offered tools' schemas that only the server checks, for a person. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/**
 * Connects to a Model Context Protocol server and offers its tools. Permissions treat them as network tools, whatever
 * the server claims, and their results are data. Its questions to a person or to the model are not answered: for these,
 * give the server to a session as `mcpServers`.
 * @throws {ValidationError} for an invalid name or address
 * @throws {RobotaError} `MCP_CONNECT` when the server does not answer
 */
export async function connectMcp(options: McpOptions): Promise<McpConnection> {
  const { name, signal, timeoutMs = 60_000, pins } = options;
  requireServerName(name);
  using time = new CallTime(timeoutMs, signal);
  const connection = await ServerConnection.open({ name, time, ...endpointOf(options) });
  try {
    const { offered, withheld } = await sift(await connection.listTools(time), pins);
    const tools = offered.map(({ tool }) =>
      asTool(name, tool, async (args, context) => {
        using callTime = new CallTime(timeoutMs, context.signal);
        return connection.callTool(tool, args, { time: callTime });
      }),
    );
    return {
      tools,
      pins: Object.fromEntries(offered.map(({ tool, pin }) => [tool.name, pin])),
      withheld,
      // Patterns that would take no bounded time to check are not checked.
      warnings: (await Promise.all(tools.map(patternWarnings))).flat(),
      close: () => connection.close(),
      [Symbol.asyncDispose]: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function endpointOf(options: McpEndpoint | McpInProcess): { open: OpenTransport; hint: string } {
  if ("server" in options)
    return { open: inProcess(options.server), hint: "Check that the server's `connect` works." };
  const { url, fetch, headers } = options;
  const { origin } = parseAddress(url);
  return {
    open: overHttp(url, { fetch: (address, init) => fetch(address, init), headers }),
    hint: `Check that ${origin} is reachable and speaks Streamable HTTP.`,
  };
}
