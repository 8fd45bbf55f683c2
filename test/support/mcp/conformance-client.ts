// The client for the conformance suite of the protocol: a session that connects to the server whose address is the last
// argument, lists what there is, reads it, and calls every tool.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession, type Provider, type ToolArgs, type ToolCall } from "@robota/runtime";
import type { McpAuthorization } from "@robota/runtime/mcp";
import type { ToolSchema } from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";

interface Context {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: ToolArgs }[];
}

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;

/** Servers of these scenarios are of the newer protocol, but have no answer to the question whether they are. */
const SAYS_NOTHING = new Set([
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "sep-2322-client-request-state",
]);

/** The network, where that question is answered for the server. */
const network: typeof fetch = async (input, init) => {
  const message = typeof init?.body === "string" ? (JSON.parse(init.body) as Question) : undefined;
  if (message?.method !== "server/discover") return fetch(input, init);
  const result = {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1" } },
  };
  return Response.json({ jsonrpc: "2.0", id: message.id, result });
};

interface Question {
  id?: number | string;
  method: string;
}

/** A person who agrees at once: their browser is sent back by the authorization server. */
const authorization: McpAuthorization = {
  redirectUrl: "http://localhost:3000/callback",
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  authorize: async ({ url: page, signal }) => {
    const answer = await fetch(page, { redirect: "manual", signal });
    return answer.headers.get("location") ?? "";
  },
};

/** A model that calls every tool of the server with each prompt, or makes the calls that the scenario names. */
function calling(): Provider {
  const end = { text: "done" };
  return {
    name: "scripted",
    model: "scripted",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(messages, options) {
      const tools = (options?.tools ?? []).filter(({ name }) => name.startsWith("mcp__"));
      const named = context.toolCalls?.map(({ name, arguments: args }) => {
        // A session checks arguments by the tool's schema, so that absence is absence.
        const given = Object.entries(args).filter(([, value]) => value !== null);
        return { name: `mcp__s__${name}`, args: Object.fromEntries(given) };
      });
      const every = tools.map(({ name, parameters }) => ({
        name,
        args: name.endsWith("_echo") ? echoed(tools) : sampleOf(parameters),
      }));
      const calls = (named ?? every).map((call, at): ToolCall => ({ id: `c${at}`, ...call }));
      const isAsked = messages.at(-1)?.role === "user" && calls.length > 0;
      const script = new ScriptedProvider([isAsked ? { toolCalls: calls } : end]);
      yield* script.chatStream(messages, options);
    },
  };
}

/** The other tool's schema as the model is given it. */
function echoed(tools: readonly ToolSchema[]): ToolArgs {
  const other = tools.find(({ name }) => !name.endsWith("_echo"));
  return { schema: other?.parameters ?? {} };
}

function sampleOf({ properties }: ToolSchema["parameters"]): ToolArgs {
  const samples: ToolArgs = { string: "us-west1", number: 3, integer: 3, boolean: true };
  const fields = Object.entries((properties ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(fields.map(([name, { type = "" }]) => [name, samples[type] ?? {}]));
}

const home = await realpath(await mkdtemp(join(tmpdir(), "robota-conformance-")));
const platform = nodePlatform({ home, ...(SAYS_NOTHING.has(scenario) && { fetch: network }) });
const { client_id: clientId, client_secret: clientSecret } = context;
const session = new InteractiveSession({
  platform,
  cwd: home,
  provider: calling(),
  trackFiles: false,
  permissionMode: "bypassPermissions",
  permissionHandler: (_tool, args) => {
    const fields = (args["fields"] ?? {}) as Record<string, unknown>;
    return {
      allow: true,
      ...("confirmed" in fields && { updatedArgs: { answer: { confirmed: true } } }),
    };
  },
  settings: {
    mcpServers: {
      s: {
        url,
        ...(clientId !== undefined && {
          oauth: { clientId, ...(clientSecret && { clientSecret }) },
        }),
      },
    },
  },
  mcp: { authorization },
});
if (scenario.startsWith("auth/")) await session.executeCommand("mcp", "authorize s");
const shown = await session.executeCommand("mcp");
console.log(shown?.message);
const mentioned = scenario === "http-standard-headers" ? " @s:file:///path/to/file%20name.txt" : "";
const turn = await session.submit(`Call them all${mentioned}`);
if (scenario === "auth/scope-step-up") {
  // The call was refused for want of a scope, which the person grants now.
  await session.executeCommand("mcp", "authorize s");
  await session.submit("Call them all");
}
console.log(JSON.stringify(turn, undefined, 1));
for (const { name } of await session.getCommands())
  if (name.startsWith("mcp__")) console.log(JSON.stringify(await session.executeCommand(name)));
await session.shutdown();
await platform.dispose();
await rm(home, { recursive: true, force: true });
