import { createServer, type IncomingMessage } from "node:http";
import { nodePlatform } from "@robota/adapters-node";
import { createOpenAPITools, type OpenAPITool, Robota } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

interface Seen {
  method: string;
  url: string;
  authorization: string | undefined;
  cookie: string | undefined;
  body: string;
}

const seen: Seen[] = [];
const server = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, authorization: headers.authorization, cookie: headers.cookie, body });
    if (url.startsWith("/api/notes/404")) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "no such note", key: headers.authorization }));
    } else if (url.startsWith("/api/away")) {
      response.writeHead(302, { location: "/api/notes/1" }).end();
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: 1, text: "Buy milk" }));
    }
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
  return body;
}

const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const document = {
  openapi: "3.1.0",
  info: { title: "Notes", version: "1" },
  servers: [{ url: "/api" }],
  security: [{ token: [] }],
  paths: {
    "/notes/{id}": {
      parameters: [id, { name: "session", in: "cookie", schema: { type: "string" } }],
      get: { operationId: "getNote" },
      patch: {
        operationId: "changeNote",
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      },
    },
    "/away": { get: { operationId: "away" } },
  },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
};

let tools: OpenAPITool[] = [];
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no address");
  origin = `http://127.0.0.1:${address.port}`;
  tools = await createOpenAPITools(document, {
    documentUrl: `${origin}/openapi.json`,
    credentials: { token: "t0p-s3cret" },
  });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it("calls an API on a real server, and reports failures to the model", async () => {
  await using platform = nodePlatform();
  const provider = new ScriptedProvider([
    {
      toolCalls: [
        { name: "getNote", args: { id: 1, session: "a b" } },
        { name: "changeNote", args: { id: 1, body: { text: "Buy bread" } } },
        { name: "getNote", args: { id: 404 } },
        { name: "away", args: {} },
      ],
    },
    { text: "done" },
  ]);
  const agent = new Robota({ provider, tools, platform });
  expect((await agent.run("Look at note 1")).text).toBe("done");

  expect(
    seen.toSorted((a, b) => a.url.localeCompare(b.url) || a.method.localeCompare(b.method)),
  ).toEqual([
    {
      method: "GET",
      url: "/api/away",
      authorization: "Bearer t0p-s3cret",
      cookie: undefined,
      body: "",
    },
    {
      method: "GET",
      url: "/api/notes/1",
      authorization: "Bearer t0p-s3cret",
      cookie: "session=a%20b",
      body: "",
    },
    {
      method: "PATCH",
      url: "/api/notes/1",
      authorization: "Bearer t0p-s3cret",
      cookie: undefined,
      body: '{"text":"Buy bread"}',
    },
    {
      method: "GET",
      url: "/api/notes/404",
      authorization: "Bearer t0p-s3cret",
      cookie: undefined,
      body: "",
    },
  ]);
  const results = agent.getHistory().filter((message) => message.role === "tool");
  expect(results).toMatchObject([
    { content: '{"id":1,"text":"Buy milk"}' },
    { content: '{"id":1,"text":"Buy milk"}' },
    { isError: true, errorCode: "http_404", content: expect.stringContaining("no such note") },
    { isError: true, errorCode: "redirect" },
  ]);
  expect(JSON.stringify(results)).not.toContain("s3cret");
});

it("explains why a server can't be reached", async () => {
  await using platform = nodePlatform();
  const [tool] = await createOpenAPITools(document, {
    baseUrl: "http://127.0.0.1:9",
    credentials: { token: "t0p-s3cret" },
  });
  const agent = new Robota({
    provider: new ScriptedProvider([
      { toolCalls: [{ name: tool?.name ?? "", args: { id: 1 } }] },
      { text: "ok" },
    ]),
    tools: tool ? [tool] : [],
    platform,
  });
  await agent.run("go");
  expect(agent.getHistory().find(({ role }) => role === "tool")).toMatchObject({
    errorCode: "network_error",
    content: expect.stringContaining("GET /notes/{id} got no answer"),
  });
});
