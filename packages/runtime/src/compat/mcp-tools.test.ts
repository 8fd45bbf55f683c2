import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { z } from "zod";
import { Robota } from "../agent/robota.ts";
import { connectMcp, type McpConnection } from "../mcp/connect-mcp.ts";
import { contentText } from "../messages/message.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import type { Tool } from "../tools/tool.ts";
import { MCPTool, RelayMcpTool } from "./index.ts";

/** A connection to a real server behind a `fetch`. */
function connect(): Promise<McpConnection> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "sums", version: "1.0.0" });
    const inputSchema = z.object({ a: z.number(), b: z.number() });
    server.registerTool("add", { description: "Adds", inputSchema }, async ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
    }));
    server.registerTool("fail", { description: "Fails" }, async () => ({
      content: [{ type: "text", text: "No way" }],
      isError: true,
    }));
    return server;
  });
  return connectMcp({
    name: "sums",
    url: "http://mcp.example/mcp",
    fetch: async (input, init) => handler.fetch(new Request(input, init)),
  });
}

/** The text that an agent's model reads for each of the calls. */
async function answers(tool: Tool, ...calls: Record<string, unknown>[]): Promise<string[]> {
  const provider = new ScriptedProvider([
    { toolCalls: calls.map((args) => ({ name: tool.name, args })) },
    { text: "done" },
  ]);
  const agent = new Robota({ provider, tools: [tool] });
  await agent.run("go");
  return agent
    .getHistory()
    .filter(({ role }) => role === "tool")
    .map(({ content }) => contentText(content));
}

it("wraps one tool of a server as a class", async () => {
  await using connection = await connect();
  const add = new MCPTool(connection, "add");
  expect(add).toMatchObject({ name: "mcp__sums__add", description: "Adds", access: "network" });
  const [sum, refused] = await answers(add, { a: 1, b: 2 }, { a: "1" });
  expect(sum).toBe("3");
  expect(refused).toContain("/a: must be of type number, not string");
  expect(() => new MCPTool(connection, "ad")).toThrow(
    expect.objectContaining({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining("add"),
    }),
  );
});

it("dispatches the calls of one tool to all tools of a server", async () => {
  await using connection = await connect();
  const relay = new RelayMcpTool({ connection, name: "sums", description: "Reckons." });
  expect(relay.schema.description).toBe("Reckons. Its tools:\n- add: Adds\n- fail: Fails");
  expect(JSON.stringify(relay.schema.parameters)).not.toContain('"a"');
  const [sum, failed, wrong, unknown] = await answers(
    relay,
    { tool: "add", arguments: { a: 2, b: 3 } },
    { tool: "fail" },
    { tool: "add", arguments: { a: 2 } },
    { tool: "subtract" },
  );
  expect([sum, failed]).toEqual(["5", "No way"]);
  expect(wrong).toContain("/b: required");
  expect(wrong).toContain('"properties":{"a":');
  expect(unknown).toContain('/tool: must be one of "add", "fail"');
  expect(() => new RelayMcpTool({ connection: { tools: [] }, name: "x" })).toThrow("no tools");
});
