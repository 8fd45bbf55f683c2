import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../tools/tool.ts";
import { validateArgs } from "../tools/validate-args.ts";
import { connectMcp, type McpConnection, type McpPins } from "./connect-mcp.ts";

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

// The first connection loads the client, which on a busy machine takes seconds from its sources.
beforeAll(async () => {
  const connection = await connectMcp({ name: "a", url: "http://a/", fetch: serve().fetch });
  await connection.close();
});

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

it("explains an invalid name, an invalid address and an unreachable server", async () => {
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

it("closes a connection that is there when nobody waits for it any more", async () => {
  const { promise: late, resolve: arrive } = Promise.withResolvers<void>();
  const server = new McpServer({ name: "late", version: "1.0.0" });
  const closed = new Promise<void>((resolve) => (server.server.onclose = resolve));
  const connecting = connectMcp({
    name: "late",
    server: async () => (await late, server),
    timeoutMs: 20,
  });
  await expect(connecting).rejects.toMatchObject({
    code: "MCP_CONNECT",
    message: expect.stringContaining("it took too long"),
  });
  arrive();
  await closed;
});

/** Connects to a server that declares these tools. */
function connectTo(
  tools: readonly object[],
  pins?: McpPins,
  answer: object = {},
): Promise<McpConnection> {
  return connectMcp({
    name: "s",
    url: "http://mcp.example/mcp",
    pins,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const result =
        method === "initialize"
          ? {
              protocolVersion: "2025-06-18",
              capabilities: { tools: {} },
              serverInfo: { name: "s", version: "1" },
            }
          : method === "tools/list"
            ? { tools }
            : { content: [{ type: "text", text: "a\u200bb\u202ec\u001b[31m" }], ...answer };
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });
}

const tool = (fields: object = {}): object => ({
  name: "read",
  description: "Reads",
  inputSchema: { type: "object", properties: { path: { type: "string", description: "Where" } } },
  ...fields,
});

it("T-22: uses a tool's hints about itself only to restrict it", async () => {
  const accessWith = async (annotations?: unknown): Promise<unknown> => {
    const { tools } = await connectTo([tool(annotations === undefined ? {} : { annotations })]);
    return tools.map(({ access }) => access);
  };
  expect(await accessWith()).toEqual(["network"]);
  expect(await accessWith({ readOnlyHint: true })).toEqual(["network"]);
  expect(await accessWith({ destructiveHint: false, openWorldHint: false })).toEqual(["network"]);
  expect(await accessWith("none")).toEqual(["network"]);
  expect(await accessWith({ readOnlyHint: false })).toEqual(["network-write"]);
  expect(await accessWith({ readOnlyHint: true, destructiveHint: true })).toEqual([
    "network-write",
  ]);
});

it("T-22: withholds a tool that changed in any part after its approval", async () => {
  const { pins } = await connectTo([tool()]);
  const changes = [
    { description: "Reads all" },
    { title: "Read (safe)" },
    { annotations: { readOnlyHint: true } },
    {
      inputSchema: {
        type: "object",
        properties: { path: { type: "string", description: "Send it" } },
      },
    },
    { outputSchema: { type: "object" } },
    { _meta: { note: "x" } },
    { anythingElse: "a field that no version of the protocol knows" },
  ];
  for (const change of changes) {
    const connection = await connectTo([tool(change)], pins);
    expect(connection.tools).toEqual([]);
    expect(connection.withheld).toMatchObject([{ name: "read", reason: "changed" }]);
    const [withheld] = connection.withheld;
    const approved = await connectTo([tool(change)], { read: withheld?.pin ?? "" });
    expect(approved.tools).toHaveLength(1);
  }
  const reordered = await connectTo([Object.fromEntries(Object.entries(tool()).reverse())], pins);
  expect(reordered.tools).toHaveLength(1);
  const grown = await connectTo([tool(), tool({ name: "write" })], pins);
  expect(grown.tools.map(({ name }) => name)).toEqual(["mcp__s__read"]);
  expect(grown.withheld).toMatchObject([{ name: "write", reason: "new" }]);
});

it("T-22: removes hidden characters, shadows no tool, and refuses unbounded schemas", async () => {
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 50; depth++) deep = { type: "object", properties: { deep } };
  const { tools, withheld } = await connectTo([
    tool({
      description: "Reads\u200b a\u202e file\u0007",
      inputSchema: {
        type: "object",
        properties: { path: { type: "string", description: "Wh\u2066ere" } },
      },
    }),
    tool({ name: "Bash" }),
    tool({ name: "__proto__" }),
    tool({ name: "a b" }),
    tool({ name: "huge", inputSchema: { type: "object", description: "x".repeat(100_001) } }),
    tool({ name: "deep", inputSchema: deep }),
  ]);
  expect(tools.map(({ name }) => name)).toEqual([
    "mcp__s__read",
    "mcp__s__Bash",
    "mcp__s____proto__",
  ]);
  expect(tools[0]?.description).toBe("Reads a file");
  expect(JSON.stringify(tools[0]?.parameters)).toContain('"Where"');
  expect(withheld.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
    "a b unusable",
    "huge unusable",
    "deep unusable",
  ]);
  expect(await tools[0]?.execute({}, context)).toMatchObject({ output: "abc[31m" });
});

it("offers tools of every name that the protocol allows, under names that services take", async () => {
  const long = "n".repeat(128);
  const { tools } = await connectTo(
    ["files.read", "files_read", long, `${long.slice(1)}m`].map((name) => tool({ name })),
  );
  const names = tools.map(({ name }) => name);
  for (const name of names) expect(name).toMatch(/^mcp__s__[A-Za-z0-9_-]{1,56}$/);
  expect(names.slice(0, 2)).toEqual([
    expect.stringMatching(/^mcp__s__files_read_[0-9a-f]{8}$/),
    "mcp__s__files_read",
  ]);
  expect(new Set(names).size).toBe(4);
  expect(await tools[0]?.execute({}, context)).toMatchObject({ success: true });
});

it("checks a server's patterns in linear time, and reports one that it can't check", async () => {
  const text = (pattern: string): object => ({
    inputSchema: { type: "object", properties: { text: { type: "string", pattern } } },
  });
  const { tools, warnings } = await connectTo([
    tool({ name: "slow", ...text("^(a+)+$") }),
    tool({ name: "ahead", ...text("^(?!a)(b+)+$") }),
  ]);
  const [slow, ahead] = tools;
  if (!slow || !ahead) throw new Error("two tools are offered");
  const args = { text: `${"a".repeat(40)}!` };
  expect(await validateArgs(slow, args)).toMatchObject({ ok: false });
  expect(await validateArgs(ahead, args)).toMatchObject({ ok: true });
  expect(warnings).toEqual([expect.stringMatching(/^mcp__s__ahead: .*\(b\+\)\+\$/)]);
});

it("validates a structured result by its schema, in linear time", async () => {
  const { tools } = await connectTo(
    [
      tool({
        outputSchema: {
          type: "object",
          properties: { text: { type: "string", pattern: "^(a+)+$" } },
          required: ["text"],
        },
      }),
    ],
    undefined,
    { structuredContent: { text: `${"a".repeat(40)}!` } },
  );
  expect(await tools[0]?.execute({}, context)).toMatchObject({
    success: false,
    errorCode: "mcp_error",
    output: expect.stringMatching(/read.*schema[^]*\/text/),
  });
});

it("T-22: gives the tools of two servers distinct names", async () => {
  const { fetch } = serve();
  for (const name of ["a__b", "a_", "a__", "__a"]) {
    await expect(connectMcp({ name, url: "http://x/", fetch })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      hint: expect.stringContaining("without __"),
    });
  }
  for (const name of ["a_b", "_a", "a-", "a"]) {
    await using connection = await connectMcp({ name, url: "http://x/", fetch });
    expect(connection.tools.map((one) => one.name)).toEqual([`mcp__${name}__forecast`]);
  }
});

it("T-22: removes variation selectors, fillers and private-use characters", async () => {
  const hidden = "\ufe0f\u{e0101}\u115f\u1160\u3164\uffa0\u034f\u180b\ue000\u{f0000}\u2028";
  const { tools } = await connectTo([
    tool({
      description: `Re${hidden}ads`,
      inputSchema: {
        type: "object",
        properties: { path: { type: "string", description: `Wh${hidden}ere` } },
      },
    }),
  ]);
  expect(tools[0]?.description).toBe("Reads");
  expect(JSON.stringify(tools[0]?.parameters)).toContain('"Where"');
});
