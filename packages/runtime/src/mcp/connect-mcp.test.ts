import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../tools/tool.ts";
import { connectMcp } from "./connect-mcp.ts";

/** A real server behind a `fetch`, so that the same test runs on every host. */
function serve(): { fetch: typeof globalThis.fetch; authorizations: (string | null)[] } {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "weather", version: "1.0.0" });
    server.registerTool(
      "forecast",
      { description: "Weather of a\u202e city", inputSchema: z.object({ city: z.string() }) },
      async ({ city }) => {
        if (city === "Atlantis")
          return { content: [{ type: "text", text: "No such city" }], isError: true };
        return { content: [{ type: "text", text: `12 °C in ${city}` }] };
      },
    );
    return server;
  });
  const authorizations: (string | null)[] = [];
  return {
    authorizations,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      authorizations.push(request.headers.get("authorization"));
      return handler.fetch(request);
    },
  };
}

const context = { signal: new AbortController().signal } as ToolContext;

it("offers a server's tools under its name and calls them", async () => {
  const { fetch, authorizations } = serve();
  const connection = await connectMcp({
    name: "weather",
    url: "http://mcp.example/mcp",
    fetch,
    headers: { authorization: "Bearer t" },
  });
  const [forecast] = connection.tools;
  expect(forecast).toMatchObject({
    name: "mcp__weather__forecast",
    description: "Weather of a city",
    access: "network",
    parameters: { type: "object", required: ["city"] },
  });
  expect(await forecast?.execute({ city: "Bern" }, context)).toEqual({
    success: true,
    output: "12 °C in Bern",
  });
  expect(await forecast?.execute({ city: "Atlantis" }, context)).toMatchObject({
    success: false,
    output: "No such city",
    errorCode: "mcp_error",
  });
  expect(new Set(authorizations)).toEqual(new Set(["Bearer t"]));
  await connection.close();
});

it("says what is wrong with a name, an address, or a server that is not there", async () => {
  const { fetch } = serve();
  await expect(connectMcp({ name: "a b", url: "http://x/", fetch })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  await expect(connectMcp({ name: "a", url: "file:///x", fetch })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  const absent = async (): Promise<Response> => Promise.reject(new TypeError("Failed to fetch"));
  await expect(connectMcp({ name: "a", url: "http://x/", fetch: absent })).rejects.toMatchObject({
    code: "MCP_CONNECT",
    hint: expect.stringContaining("http://x"),
  });
});
