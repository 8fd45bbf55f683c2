import {
  Client,
  type ClientOptions,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { requestWith } from "../../../../../test/support/network/request-with.ts";
import { echo, echoCall } from "../../../../../test/support/support.ts";
import { InteractiveSession } from "../../interactive/interactive-session.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type ScriptedReply, ScriptedProvider } from "../../testing/scripted-provider.ts";
import {
  mcpTransport,
  type McpServerTransport,
  type McpTransportOptions,
} from "./mcp-transport.ts";
import { ARCHIVE, DOT_PNG } from "../../../../../test/support/protocols/files.ts";

type Answer = (message: string) => ElicitResult | Promise<ElicitResult>;
type Connect = (
  transport: McpServerTransport,
  options?: { answer?: Answer; token?: string; isOld?: boolean },
) => Promise<Client>;

async function serve(
  script: readonly ScriptedReply[],
  options: McpTransportOptions = {},
): Promise<{
  session: InteractiveSession;
  transport: McpServerTransport;
  provider: ScriptedProvider;
}> {
  const platform = memoryPlatform({
    files: { "/project/": "", "/project/readme.md": "# Hello", "/outside.txt": "secret" },
  });
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({ platform, provider, cwd: "/project", tools: [echo] });
  const files = { fs: platform.fs, root: "/project" };
  const transport = mcpTransport({ token: "t", files, ...options });
  session.attachTransport(transport);
  await transport.start();
  return { session, transport, provider };
}

function clientWith(answer: Answer | undefined, options: ClientOptions = {}): Client {
  const client = new Client(
    { name: "test", version: "1" },
    { ...options, capabilities: answer ? { elicitation: {} } : {} },
  );
  if (answer)
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params.message));
  return client;
}

const overHttp: Connect = async (transport, { answer, token = "t", isOld = false } = {}) => {
  const client = clientWith(answer, { versionNegotiation: { mode: isOld ? "legacy" : "auto" } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      fetch: (input, init) => transport.fetch(new Request(input, init)),
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return client;
};
const overConnection: Connect = async (transport, { answer } = {}) => {
  const [own, other] = InMemoryTransport.createLinkedPair();
  const server = await transport.createServer({ era: "legacy" });
  await server.connect(other);
  const client = clientWith(answer);
  await client.connect(own);
  return client;
};

const allow = (): ElicitResult => ({
  action: "accept",
  content: { decision: "allow", scope: "turn" },
});

function textIn(result: { content?: unknown }): string {
  const [first] = result.content as { text: string }[];
  return first?.text ?? "";
}

describe.each([
  ["Streamable HTTP", overHttp],
  ["a connection of the older protocol", overConnection],
])("a session as an MCP server over %s", (_name, connect) => {
  it("S-288: runs a prompt as a tool, and tells its progress", async () => {
    const { session, transport } = await serve([
      { toolCalls: [{ name: "Read", args: { filePath: "/project/readme.md" } }] },
      { text: "It says hello." },
    ]);
    expect(transport.name).toBe("mcp");
    const client = await connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["submit", "command_context"]),
    );
    const steps: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: "submit", arguments: { text: "What is in the readme?" } },
      { onprogress: ({ message }) => steps.push(message) },
    );
    expect(textIn(result)).toBe("It says hello.");
    expect(result.isError).toBeFalsy();
    expect(steps).toEqual(["Began", "Read /project/readme.md"]);
    await client.close();
    await session.shutdown();
  });

  it("takes images and files with a prompt, and says which it takes none of", async () => {
    const { session, transport } = await serve([{ text: "A dot." }]);
    const client = await connect(transport);
    const submit = (attachments: object[]) =>
      client.callTool({ name: "submit", arguments: { text: "look", attachments } });
    const refused = await submit([{ data: ARCHIVE, mediaType: "application/zip", name: "a.zip" }]);
    expect(refused.isError).toBe(true);
    expect(textIn(refused)).toMatch(/a\.zip is no image.*workspace/);
    expect(textIn(await submit([{ data: DOT_PNG, mediaType: "image/png" }]))).toBe("A dot.");
    expect(session.getMessages()[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image", mediaType: "image/png", data: DOT_PNG },
    ]);
    await client.close();
    await session.shutdown();
  });

  it("puts requests for permission to the client's user", async () => {
    const { session, transport } = await serve([
      { toolCalls: [echoCall("x")] },
      { toolCalls: [echoCall("y")] },
      { text: "Done" },
    ]);
    const asked: string[] = [];
    const client = await connect(transport, {
      answer: (message) => {
        asked.push(message);
        return asked.length === 1
          ? { action: "accept", content: { decision: "allow", scope: "once" } }
          : { action: "decline" };
      },
    });
    const result = await client.callTool({ name: "submit", arguments: { text: "go" } });
    expect(textIn(result)).toBe("Done");
    expect(asked).toEqual([
      expect.stringMatching(/echo[^]*"x"/),
      expect.stringMatching(/echo[^]*"y"/),
    ]);
    const results = session.getMessages().filter(({ role }) => role === "tool");
    expect(results).toMatchObject([{ content: "said x" }, { isError: true }]);
    expect(session.getMessages().filter(({ role }) => role === "user")).toHaveLength(1);
    await client.close();
    await session.shutdown();
  });

  it("denies where the client can't ask", async () => {
    const { session, transport } = await serve([{ toolCalls: [echoCall("x")] }, { text: "No" }]);
    const client = await connect(transport);
    const result = await client.callTool({ name: "submit", arguments: { text: "go" } });
    expect(textIn(result)).toBe("No");
    expect(session.getMessages()).toContainEqual(
      expect.objectContaining({ role: "tool", isError: true }),
    );
    await client.close();
    await session.shutdown();
  });

  it("stops the turn of a call that is called off", async () => {
    const { session, transport } = await serve([{ text: "never", delayMs: Infinity }]);
    const client = await connect(transport);
    const cancel = new AbortController();
    const call = client.callTool(
      { name: "submit", arguments: { text: "go" } },
      { signal: cancel.signal },
    );
    call.catch(() => undefined);
    await expect.poll(() => session.isExecuting()).toBe(true);
    cancel.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => session.isExecuting()).toBe(false);
    await client.close();
    await session.shutdown();
  });

  it("stops only the call that is called off, also while another one's turn runs", async () => {
    const { session, transport, provider } = await serve([
      { toolCalls: [echoCall("x")] },
      { text: "First" },
      { text: "Third" },
    ]);
    const answers = Promise.withResolvers<ElicitResult>();
    const client = await connect(transport, { answer: () => answers.promise });
    const submit = (text: string, signal?: AbortSignal): Promise<unknown> =>
      client.callTool({ name: "submit", arguments: { text } }, signal ? { signal } : {});
    const first = submit("one");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const cancel = new AbortController();
    const second = submit("two", cancel.signal);
    second.catch(() => undefined);
    await expect.poll(() => session.getQueue()).toEqual(["two"]);
    cancel.abort();
    await expect(second).rejects.toThrow();
    await expect.poll(() => session.getQueue()).toEqual([]);
    const third = submit("three");
    answers.resolve(allow());
    expect(textIn((await first) as object)).toBe("First");
    expect(textIn((await third) as object)).toBe("Third");
    expect(provider.requests).toHaveLength(3);
    await client.close();
    await session.shutdown();
  });

  it("leaves another turn's requests alone", async () => {
    const { session, transport } = await serve([
      { toolCalls: [echoCall("x")] },
      { text: "First" },
      { text: "Second" },
    ]);
    const own = session.submit("by a person here");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const client = await connect(transport);
    const call = client.callTool({ name: "submit", arguments: { text: "go" } });
    await expect.poll(() => session.getQueue()).toHaveLength(1);
    const [request] = session.pendingPermissions();
    await session.resolvePermission(request?.id ?? "", { allow: true, scope: "once" });
    expect((await own).response).toBe("First");
    expect(textIn(await call)).toBe("Second");
    expect(session.getMessages()).toContainEqual(
      expect.objectContaining({ role: "tool", content: "said x" }),
    );
    await client.close();
    await session.shutdown();
  });

  it("runs the commands that it may, and reads files that need no approval", async () => {
    const { session, transport } = await serve([]);
    const client = await connect(transport);
    const context = await client.callTool({ name: "command_context", arguments: {} });
    expect(textIn(context)).toContain("token");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("command_rename");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["workspace:///readme.md"]);
    const read = await client.readResource({ uri: "workspace:///readme.md" });
    expect(read.contents).toMatchObject([{ text: "# Hello" }]);
    for (const uri of ["workspace:///nothing.md", "workspace:///%2e%2e/outside.txt"])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
    await client.close();
    await session.shutdown();
  });
});

it("is closed to clients without its token, and to pages of other origins", async () => {
  const { session, transport } = await serve([]);
  const status = async (headers: Record<string, string>): Promise<number> => {
    const request = requestWith("http://localhost/mcp", { method: "POST", headers, body: "{}" });
    return (await transport.fetch(request)).status;
  };
  expect(await status({})).toBe(401);
  expect(await status({ authorization: "Bearer guess" })).toBe(401);
  expect(await status({ authorization: "Bearer t", origin: "https://evil.example" })).toBe(403);
  await expect(overHttp(transport, { token: "guess" })).rejects.toThrow();
  const open = mcpTransport();
  session.attachTransport(open);
  const refused = await open.fetch(new Request("http://localhost/mcp", { method: "POST" }));
  expect(await refused.json()).toMatchObject({ status: 503, code: "NOT_CONFIGURED" });
  const client = await overHttp(transport, { answer: allow });
  await client.close();
  await transport.stop();
  await expect(overHttp(transport)).rejects.toThrow();
  await session.shutdown();
});

it("ends the calls and connections of its clients when it is stopped", async () => {
  const endless = { deltas: ["never"], delayMs: Infinity };
  const { session, transport } = await serve([endless, endless]);
  const [there, back] = [new TransformStream(), new TransformStream()];
  const connection = await transport.serve({
    readable: there.readable,
    writable: back.writable,
  });
  for (const isOld of [false, true]) {
    const client = await overHttp(transport, { isOld });
    client.callTool({ name: "submit", arguments: { text: "go" } }).catch(() => undefined);
    await expect.poll(() => session.isExecuting()).toBe(true);
  }
  await expect.poll(() => session.getQueue()).toEqual(["go"]);
  await transport.stop();
  await connection.closed;
  await expect.poll(() => session.isExecuting()).toBe(false);

  await transport.start();
  const client = await overHttp(transport);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  await session.shutdown();
});

it("takes as much over HTTP as a prompt may have, and nothing beyond", async () => {
  const { session, transport, provider } = await serve([{ text: "Seen." }]);
  const client = await overHttp(transport);
  const submit = (length: number) =>
    client.callTool({
      name: "submit",
      arguments: {
        text: "look",
        attachments: [{ data: btoa(atob(DOT_PNG).padEnd(length)), mediaType: "image/png" }],
      },
    });
  expect(textIn(await submit(5 * 1024 * 1024))).toBe("Seen.");
  await expect(submit(14 * 1024 * 1024)).rejects.toThrow("Too Large");
  expect(provider.requests).toHaveLength(1);
  await client.close();
  await session.shutdown();
});
