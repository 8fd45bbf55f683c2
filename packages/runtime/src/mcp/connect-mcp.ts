import { errorMessage, RobotaError, ValidationError } from "../errors.ts";
import type { Tool } from "../tools/tool.ts";
import { patternWarnings } from "../tools/validate-args.ts";
import { listTools } from "./list-tools.ts";
import { asTool, inputOf, pinOf, type ServerTool, unusable } from "./server-tool.ts";

/** A server's name becomes part of its tools' names, and ends there at the first `__`: no other server's tool has the same name. */
const SERVER_NAME = /^(?!.*__)[A-Za-z0-9_-]{0,31}[A-Za-z0-9-]$/;
const MAX_TOOLS = 500;

export interface McpOptions {
  /** Letters, digits, `-` and single `_` within, at most 32: tools are called `mcp__<name>__<tool>`. */
  name: string;
  /** The server's Streamable HTTP endpoint. */
  url: string;
  /** Fetch of the transport, such as `platform.fetch`. */
  fetch: typeof globalThis.fetch;
  /** Sent with every request, for example `authorization`. */
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** Timeout of each call in milliseconds; default 60,000. */
  timeoutMs?: number | undefined;
  /**
   * The `pins` of an earlier connection, whose tools a person has approved: a tool that is new or no longer the same to the
   * last letter is withheld until it is approved as well. Without them, every tool is offered.
   */
  pins?: McpPins | undefined;
}

/** Pins by the server's name of a tool: SHA-256 in hex of its whole definition. */
export type McpPins = Readonly<Record<string, string>>;

/** A withheld tool. To approve it, connect again with its `pin` among the pins. */
export interface WithheldTool {
  /** Name on the server; may contain any characters. */
  name: string;
  reason: "new" | "changed" | "unusable";
  /** The reason why it is unusable, for a person. */
  problem?: string;
  pin: string;
}

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
 * the server claims, and their results are data.
 * @throws {ValidationError} for an invalid name or address
 * @throws {RobotaError} `MCP_CONNECT` when the server does not answer
 */
export async function connectMcp(options: McpOptions): Promise<McpConnection> {
  const { name, url, headers = {}, timeoutMs: timeout = 60_000 } = options;
  if (!SERVER_NAME.test(name)) {
    throw new ValidationError(`"${name}" is not a name for an MCP server`, {
      hint: "Use 1 to 32 letters, digits, - or _, without __ and without _ at the end.",
    });
  }
  const address = parseAddress(url);
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "robota", version: "0.1.0" });
  const transport = new StreamableHTTPClientTransport(address, {
    fetch: options.fetch,
    requestInit: { headers, redirect: "manual" },
  });
  const requestOptions = { timeout, ...(options.signal ? { signal: options.signal } : {}) };
  try {
    await client.connect(transport, requestOptions);
    const tools = await listTools(client, requestOptions);
    const { offered, withheld } = await sift(tools, options.pins);
    const usable = offered.map(({ tool }) =>
      asTool(name, tool, (args, signal) =>
        client.callTool(
          { name: tool.name, arguments: args },
          // Without `outputSchema`: the client would check it by patterns that take exponential time.
          { timeout, signal, toolDefinition: { name: tool.name, inputSchema: inputOf(tool) } },
        ),
      ),
    );
    return {
      tools: usable,
      pins: Object.fromEntries(offered.map(({ tool, pin }) => [tool.name, pin])),
      withheld,
      warnings: await schemaWarnings(usable),
      close: () => client.close(),
      [Symbol.asyncDispose]: () => client.close(),
    };
  } catch (cause) {
    await client.close();
    throw new RobotaError(`The MCP server ${name} did not answer: ${errorMessage(cause)}`, {
      code: "MCP_CONNECT",
      category: "system",
      recoverable: true,
      cause,
      hint: `Check that ${address.origin} is reachable and speaks Streamable HTTP.`,
    });
  }
}

interface Sifted {
  offered: { tool: ServerTool; pin: string }[];
  withheld: WithheldTool[];
}

/** Offers approved tools; reports new, changed and unusable ones. */
async function sift(tools: readonly ServerTool[], pins: McpPins | undefined): Promise<Sifted> {
  const sifted: Sifted = { offered: [], withheld: [] };
  for (const [index, tool] of tools.entries()) {
    const pin = await pinOf(tool);
    const known = pins && Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined;
    const isNew = pins !== undefined && known === undefined;
    const problem = index >= MAX_TOOLS ? `the server has over ${MAX_TOOLS} tools` : unusable(tool);
    if (problem !== undefined)
      sifted.withheld.push({ name: tool.name, reason: "unusable", problem, pin });
    else if (isNew) sifted.withheld.push({ name: tool.name, reason: "new", pin });
    else if (known !== undefined && known !== pin)
      sifted.withheld.push({ name: tool.name, reason: "changed", pin });
    else sifted.offered.push({ tool, pin });
  }
  return sifted;
}

/** Patterns that would take no bounded time to check are not checked. */
async function schemaWarnings(tools: readonly Tool[]): Promise<string[]> {
  return (await Promise.all(tools.map(patternWarnings))).flat();
}

function parseAddress(url: string): URL {
  const address = URL.parse(url);
  if (address && (address.protocol === "https:" || address.protocol === "http:")) return address;
  throw new ValidationError("An MCP server's address must be an http or https URL", {
    hint: "For example https://example.com/mcp.",
  });
}
