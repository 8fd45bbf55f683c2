import { errorMessage, RobotaError, ValidationError } from "../errors.ts";
import type { Content, JsonObject, JsonValue, Part } from "../messages/message.ts";
import type { Tool, ToolResult } from "../tools/tool.ts";

/** A server's name becomes part of its tools' names. */
const SERVER_NAME = /^[A-Za-z0-9_-]{1,32}$/;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA_LENGTH = 100_000;
/** What could change how a description reads to a person: controls other than line breaks, and marks that hide or reorder text. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}]/gu;

export interface McpOptions {
  /** Letters, digits, `_` and `-`, at most 32: tools are called `mcp__<name>__<tool>`. */
  name: string;
  /** The server's Streamable HTTP endpoint. */
  url: string;
  /** Such as `platform.fetch`. */
  fetch: typeof globalThis.fetch;
  /** Sent with every request, for example `authorization`. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** For each call; default 60,000. */
  timeoutMs?: number;
}

export interface McpConnection extends AsyncDisposable {
  /** The server's tools, as they were when the connection was made: a server can't change them later. */
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

/**
 * Connects to a Model Context Protocol server and offers its tools. They count as network tools to permissions, whatever
 * the server says of them, and their results are data.
 *
 * @throws {ValidationError} for a name or address that can't be used
 * @throws {RobotaError} `MCP_CONNECT` when the server does not answer
 */
export async function connectMcp(options: McpOptions): Promise<McpConnection> {
  const { name, url, headers = {}, timeoutMs: timeout = 60_000 } = options;
  if (!SERVER_NAME.test(name)) {
    throw new ValidationError(`"${name}" is no name for an MCP server`, {
      hint: "Use 1 to 32 letters, digits, _ or -.",
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
    const { tools } = await client.listTools(undefined, requestOptions);
    return {
      tools: tools.map((tool) =>
        asTool(name, tool, (args, signal) =>
          client.callTool({ name: tool.name, arguments: args }, { timeout, signal }),
        ),
      ),
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

interface ServerTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

interface ServerResult {
  content?: readonly ServerContent[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

type ServerContent = { type: string } & Record<string, unknown>;

function asTool(
  server: string,
  tool: ServerTool,
  call: (args: Record<string, unknown>, signal: AbortSignal) => Promise<ServerResult>,
): Tool {
  const schema = JSON.stringify(tool.inputSchema);
  if (schema.length > MAX_SCHEMA_LENGTH) {
    throw new ValidationError(
      `The schema of the MCP tool ${tool.name} has over ${MAX_SCHEMA_LENGTH} characters`,
    );
  }
  return {
    name: `mcp__${server}__${tool.name}`,
    description: (tool.description ?? "").replace(UNSEEN, "").slice(0, MAX_DESCRIPTION),
    // A copy by JSON: nothing of the server's object is shared.
    parameters: JSON.parse(schema) as JsonObject,
    access: "network",
    execute: async (args, { signal }) => resultOf(await call(args, signal)),
  };
}

function resultOf({ content = [], structuredContent, isError = false }: ServerResult): ToolResult {
  const parts = content.map(asPart);
  const isText = parts.every((part) => part.type === "text");
  const output: Content = isText
    ? parts.map((part) => ("text" in part ? part.text : "")).join("\n")
    : parts;
  const result: ToolResult = { success: !isError, output };
  if (isError) result.errorCode = "mcp_error";
  if (structuredContent !== undefined) result.data = structuredContent as JsonValue;
  return result;
}

function asPart(content: ServerContent): Part {
  const { type, text, data, mimeType } = content;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return { type: "image", data, mediaType: mimeType };
  }
  return { type: "text", text: JSON.stringify(content) };
}

function parseAddress(url: string): URL {
  const address = URL.parse(url);
  if (address && (address.protocol === "https:" || address.protocol === "http:")) return address;
  throw new ValidationError("An MCP server's address must be an http or https URL", {
    hint: "For example https://example.com/mcp.",
  });
}
