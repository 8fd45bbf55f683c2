import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { type FetchServer, serveFetch } from "../network/serve-fetch.ts";
import { type Weather, weather } from "./weather-server.ts";

/** A server behind Streamable HTTP on loopback, for clients of other processes and of pages from anywhere. */
export interface HttpMcpServer extends AsyncDisposable {
  readonly url: string;
  readonly weather: Weather;
  /** Ends the process' part: open connections break, nothing answers, and sessions of clients are forgotten. */
  stop(): Promise<void>;
  /** Answers on the same address again. */
  start(): Promise<void>;
  /** Adds a tool without arguments, and tells every client that the list is another one. */
  addTool(name: string): void;
}

/** The protocol's dates: the older one has sessions, the newer one has none. */
export type Revision = "2025-11-25" | "2026-07-28";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "mcp-session-id, mcp-protocol-version",
};

export async function serveWeather(revision: Revision): Promise<HttpMcpServer> {
  const facts = weather();
  const added: string[] = [];
  const build = (): McpServer => {
    const server = facts.server();
    for (const name of added) addTool(server, name);
    return server;
  };
  const open = revision === "2026-07-28" ? modern : sessionful;
  let backend = open(build);
  const handle = async (request: Request): Promise<Response> => {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
    const response = await backend.fetch(request);
    for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
    return response;
  };
  let server: FetchServer | undefined = await serveFetch(handle);
  const { origin, port } = new URL(server.url);
  return {
    url: `${origin}/mcp`,
    weather: facts,
    async stop() {
      await backend.close();
      await server?.[Symbol.asyncDispose]();
      server = undefined;
    },
    async start() {
      backend = open(build);
      server = await serveFetch(handle, Number(port));
    },
    addTool(name) {
      added.push(name);
      backend.addTool(name);
    },
    async [Symbol.asyncDispose]() {
      await backend.close();
      await server?.[Symbol.asyncDispose]();
    },
  };
}

interface Backend extends Pick<McpHttpHandler, "close"> {
  fetch: (request: Request) => Promise<Response>;
  addTool: (name: string) => void;
}

function modern(build: () => McpServer): Backend {
  const handler = createMcpHandler(build, { legacy: "reject" });
  const { fetch, close } = handler;
  return { fetch, close, addTool: () => handler.notify.toolsChanged() };
}

/** One server for each client, which is known by the id that it got. */
function sessionful(build: () => McpServer): Backend {
  const sessions = new Map<
    string,
    { server: McpServer; transport: WebStandardStreamableHTTPServerTransport }
  >();
  return {
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      if (id !== null) {
        const known = sessions.get(id);
        return known?.transport.handleRequest(request) ?? new Response(null, { status: 404 });
      }
      const server = build();
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (given) => void sessions.set(given, { server, transport }),
      });
      await server.connect(transport);
      return transport.handleRequest(request);
    },
    async close() {
      for (const { transport } of sessions.values()) await transport.close();
      sessions.clear();
    },
    addTool(name) {
      for (const { server } of sessions.values()) addTool(server, name);
    },
  };
}

function addTool(server: McpServer, name: string): void {
  server.registerTool(name, { description: "New" }, async () => ({
    content: [{ type: "text", text: "I am new" }],
  }));
}
