// MCP both ways: a session uses the tools of a server, and is itself a server for an MCP client.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { contentText, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { mcpTransport } from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { z } from "zod";

// A server in this program. One elsewhere is `{ url }`, one in a process of its own `{ command, args }`.
function weatherServer(): McpServer {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "forecast",
    { description: "The weather in a city", inputSchema: z.object({ city: z.string() }) },
    async ({ city }) => ({ content: [{ type: "text", text: `12 °C in ${city}` }] }),
  );
  return server;
}

const session = new InteractiveSession({
  platform: memoryPlatform(),
  // Stands in for a model that calls the server's tool.
  provider: new ScriptedProvider([
    { toolCalls: [{ name: "mcp__weather__forecast", args: { city: "Oslo" } }] },
    ({ messages }) => ({ text: `The forecast: ${contentText(messages.at(-1)?.content ?? "")}` }),
  ]),
  mcpServers: { weather: { server: weatherServer } },
});

// The other way: the session as a server. `transport.fetch` is what an HTTP server calls.
const transport = mcpTransport({ token: "secret" });
session.attachTransport(transport);
await transport.start();

const client = new Client(
  { name: "example", version: "1.0.0" },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } },
);
// The session's approvals are questions to the client's user; this one says yes.
client.setRequestHandler("elicitation/create", ({ params }) => {
  console.log(params.message);
  return { action: "accept", content: { decision: "allow", scope: "turn" } };
});
await client.connect(
  new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (input, init) => transport.fetch(new Request(input, init)),
    requestInit: { headers: { authorization: "Bearer secret" } },
  }),
);
const { content } = await client.callTool({
  name: "submit",
  arguments: { text: "How is the weather in Oslo?" },
});
console.log(content);
await client.close();
await session.shutdown();
