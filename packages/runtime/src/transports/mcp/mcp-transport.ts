import type { McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { ConfigurationError } from "../../errors.ts";
import { OWN_CLIENT_LIMITS } from "../../interactive/attachments.ts";
import type { CommandScope } from "../../interactive/commands/command.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { McpServerObject } from "../../interactive/mcp/mcp-options.ts";
import type { TransportAdapter } from "../../interactive/transport-adapter.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { authenticate } from "../http/authenticate.ts";
import { HttpProblem, problemResponse } from "../http/problem.ts";

export interface McpTransportOptions {
  /** Name of the server, for people; `robota` when omitted. */
  name?: string | undefined;
  /** The scopes of commands that clients may call as tools: `read` when omitted; none with an empty list. */
  commandScopes?: readonly CommandScope[] | undefined;
  /** Files that clients read as resources, as far as the session reads them without asking; none when omitted. */
  files?: { fs: FileSystem; root: string } | undefined;
  /**
   * The bearer token of clients that come over HTTP. `null` checks none, for a handler behind a server that checks who calls;
   * without either, HTTP is refused.
   */
  token?: string | null | undefined;
}

/** Bytes in both directions, such as standard input and output. */
export interface McpByteStream {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}

export interface McpServeOptions {
  /** Called with failures that no request can be answered with, such as a line that is no message. */
  onError?: ((error: Error) => void) | undefined;
}

/** The connection of one client. */
export interface McpClientConnection {
  /** Resolves when the client has gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * A session as a Model Context Protocol server, by the official SDK: prompts and commands are tools, files are resources, and
 * its requests for permission are put to the client's user, or denied where the client can't ask.
 */
export interface McpServerTransport extends TransportAdapter {
  /** Answers requests of Streamable HTTP. */
  fetch(request: Request): Promise<Response>;
  /** Serves one client over bytes in both directions, such as standard input and output: one message a line. */
  serve(stream: McpByteStream, options?: McpServeOptions): Promise<McpClientConnection>;
  /**
   * Makes a server for one connection of another kind, by its `connect`. `era`: whether the client speaks the protocol of
   * 2026-07-28 and later (`modern`) or an older one.
   */
  createServer(context: { era: "legacy" | "modern" }): Promise<McpServerObject>;
}

/** The attachments of a prompt as Base64, with its text around them. */
const MAX_BODY_BYTES = OWN_CLIENT_LIMITS.dataLength + 1024 * 1024;

/** Serves a session as an MCP server: prompts and commands as tools, files as resources, approvals as questions. */
export function mcpTransport(options: McpTransportOptions = {}): McpServerTransport {
  let session: InteractiveSession | undefined;
  let isStopped = false;
  const attached = (): InteractiveSession => {
    if (session && !isStopped) return session;
    throw new ConfigurationError("The transport has no session", {
      hint: "Call session.attachTransport(transport), and start it before it serves.",
    });
  };
  const createServer = async (context: { era: "legacy" | "modern" }): Promise<McpServer> => {
    const { serverOf } = await import("./session-server.ts");
    return serverOf(attached(), options, context);
  };
  let handler: Promise<McpHttpHandler> | undefined;
  const loadHandler = async (): Promise<McpHttpHandler> => {
    const { createMcpHandler } = await import("./sdk.ts");
    return createMcpHandler(createServer, { maxRequestBodySize: MAX_BODY_BYTES });
  };
  const connections = new Set<McpClientConnection>();
  let stopping = new AbortController();

  return {
    name: "mcp",
    attach: (attachedSession) => void (session = attachedSession),
    // Serves whenever it is called: by a server's `fetch`, or by a connection that was made for it.
    async start() {
      isStopped = false;
      await attached().ready;
    },
    async stop() {
      isStopped = true;
      const stopped = handler;
      handler = undefined;
      stopping.abort();
      stopping = new AbortController();
      await Promise.all([...connections].map((connection) => connection.close()));
      await (await stopped)?.close();
    },
    createServer,
    async serve(stream, { onError } = {}) {
      attached();
      const { serveLines } = await import("./serve-lines.ts");
      const connection = await serveLines(stream, createServer, onError);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
      return connection;
    },
    async fetch(request) {
      try {
        await admit(request, options);
        attached();
        handler ??= loadHandler();
        // By its signal, a request of an older protocol is ended.
        const signal = AbortSignal.any([request.signal, stopping.signal]);
        return await (await handler).fetch(new Request(request, { signal }));
      } catch (error) {
        return problemResponse(error);
      }
    },
  };
}

/** @throws {HttpProblem} 401, 403, or 503 for a server that nobody may call */
async function admit(request: Request, { token }: McpTransportOptions): Promise<void> {
  if (token === null) return;
  if (token === undefined || token === "") {
    throw new HttpProblem(503, "NOT_CONFIGURED", "This server has no token.", {
      hint: "Give `mcpTransport` a `token`, or `null` behind a server that checks who calls.",
    });
  }
  const origin = request.headers.get("origin");
  // A page that was sent here, also under a name that leads to this machine, has no token; this tells it earlier.
  if (
    origin !== null &&
    (!URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host)
  ) {
    throw new HttpProblem(
      403,
      "ORIGIN_NOT_ALLOWED",
      `Pages of ${origin} may not call this server.`,
    );
  }
  await authenticate(request.headers.get("authorization") ?? undefined, {
    tokens: { client: token },
  });
}
