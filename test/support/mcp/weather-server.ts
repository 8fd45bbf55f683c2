import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** The server's present tools, and its recorded requests. */
export interface Weather {
  server: () => McpServer;
  /** Behind HTTP, as on another machine. */
  fetch: typeof globalThis.fetch;
  /** Number of requests that came. */
  requests: () => number;
  /** The cities that were asked for. */
  cities: string[];
  /** Text of the forecast tool's description. */
  description: string;
  /** Resolves when a call of `wait` was cancelled. */
  cancelled: Promise<void>;
}

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });
const Name = z.object({ name: z.string(), polite: z.boolean().default(true) });

/** A real server with everything that a client may use. */
export function weather(): Weather {
  let cancel = (): void => undefined;
  let requests = 0;
  const facts: Weather = {
    server: () => build(facts, () => cancel()),
    fetch: async (input, init) => {
      requests += 1;
      return handler.fetch(new Request(input, init));
    },
    requests: () => requests,
    cities: [],
    description: "Weather of a city",
    cancelled: new Promise((resolve) => (cancel = resolve)),
  };
  const handler = createMcpHandler(() => facts.server());
  return facts;
}

function build(facts: Weather, cancel: () => void): McpServer {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "forecast",
    { description: facts.description, inputSchema: z.object({ city: z.string() }) },
    async ({ city }) => {
      facts.cities.push(city);
      return text(`12 °C in ${city}`);
    },
  );
  server.registerTool("greet", { description: "Greets" }, async (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "who", Name);
    if (given) return text(`Hello ${given.name}${given.polite ? ", pleased to meet you" : ""}`);
    if (context.mcpReq.inputResponses) return text("Hello nobody");
    return inputRequired({
      inputRequests: {
        who: inputRequired.elicit({ message: "Who are you?", requestedSchema: Name }),
      },
    });
  });
  server.registerTool("ponder", { description: "Asks a model" }, async (context) => {
    const { inputResponses } = context.mcpReq;
    if (inputResponses) return text(`It says ${JSON.stringify(inputResponses["thought"])}`);
    return inputRequired({
      inputRequests: {
        thought: inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: "Think of a number" } }],
          maxTokens: 100,
        }),
      },
    });
  });
  server.registerTool("wait", { description: "Waits" }, async (context) => {
    const { signal, notify, _meta } = context.mcpReq;
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined)
      await notify({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2, message: "half" },
      });
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    cancel();
    return text("too late");
  });
  server.registerResource("map", "weather://map", { description: "The map" }, async ({ href }) => ({
    contents: [{ uri: href, text: "It rains in the north" }],
  }));
  server.registerPrompt(
    "trip",
    { description: "Plans a trip", argsSchema: z.object({ to: z.string() }) },
    async ({ to }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Plan a trip to ${to}` } }],
    }),
  );
  return server;
}
