import { PEERS } from "../peers/install.ts";

/** The shortest program of a system for one task: a question, a tool with typed arguments, and the answer as it streams. */
export interface HelloProgram {
  name: string;
  /** Packages to install, with their versions; this project's own are packed first. */
  packages: Readonly<Record<string, string>>;
  code: string;
  /** False for one that starts a program of its own, which offers the model's tools under other names than the server's. */
  isRun?: false;
  /** The same in a page; `undefined` when it can't run there. */
  inPage: string | undefined;
}

/** Version of a package of this project. */
export const PACKED = "packed";
/** First line of every program: the address of its model. It is not counted. */
export const GIVEN = `const { KEY, URL, MODEL } = globalThis.process?.env ?? {};\n`;

const QUESTION = "Echo hello";
const ZOD = "4.6.1";

const ROBOTA = `import { nodePlatform } from "@robota/adapters-node";
import { createZodFunctionTool, InteractiveSession } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { z } from "zod";

const echo = createZodFunctionTool("echo", "Echo the text back", z.object({ text: z.string(), n: z.number() }), ({ text }) => "ECHOED_" + text);
const provider = new AnthropicProvider({ apiKey: KEY, baseURL: URL, model: MODEL });
const session = new InteractiveSession({ platform: nodePlatform(), provider, tools: [echo], permissions: { allow: ["echo"] } });
session.on("text_delta", (delta) => process.stdout.write(delta));
await session.submit("${QUESTION}");
await session.shutdown();
`;

const LOOP = `import { createZodFunctionTool, Robota } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { z } from "zod";

const echo = createZodFunctionTool("echo", "Echo the text back", z.object({ text: z.string(), n: z.number() }), ({ text }) => "ECHOED_" + text);
const provider = new AnthropicProvider({ apiKey: KEY, baseURL: URL, model: MODEL });
const agent = new Robota({ provider, tools: [echo] });
await agent.run("${QUESTION}", { onTextDelta: (delta) => process.stdout.write(delta) });
`;

const AI_SDK = `import { createAnthropic } from "@ai-sdk/anthropic";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";

const echo = tool({ description: "Echo the text back", inputSchema: z.object({ text: z.string(), n: z.number() }), execute: async ({ text }) => "ECHOED_" + text });
const anthropic = createAnthropic({ apiKey: KEY, baseURL: URL + "/v1" });
const { textStream } = streamText({ model: anthropic(MODEL), tools: { echo }, stopWhen: isStepCount(10), prompt: "${QUESTION}" });
for await (const delta of textStream) process.stdout.write(delta);
`;

const PI = `import { Agent } from "@earendil-works/pi-agent-core";
import { Type } from "@earendil-works/pi-ai";
import { streamSimple } from "@earendil-works/pi-ai/api/anthropic-messages";

const echo = { name: "echo", label: "Echo", description: "Echo the text back", parameters: Type.Object({ text: Type.String(), n: Type.Number() }), execute: async (id, { text }) => ({ content: [{ type: "text", text: "ECHOED_" + text }], details: {} }) };
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const model = { id: MODEL, name: MODEL, api: "anthropic-messages", provider: "anthropic", baseUrl: URL, reasoning: false, input: ["text"], cost, contextWindow: 200_000, maxTokens: 4096 };
const agent = new Agent({ initialState: { systemPrompt: "", model, tools: [echo], messages: [] }, streamFn: streamSimple, getApiKey: () => KEY });
agent.subscribe(({ type, assistantMessageEvent: part }) => {
  if (type === "message_update" && part?.type === "text_delta") process.stdout.write(part.delta);
});
await agent.prompt("${QUESTION}");
`;

export const PROGRAMS: readonly HelloProgram[] = [
  {
    name: "Robota, InteractiveSession",
    packages: { "@robota/runtime": PACKED, "@robota/adapters-node": PACKED, zod: ZOD },
    code: ROBOTA,
    inPage: ROBOTA.replace("adapters-node", "adapters-web").replaceAll(
      "nodePlatform",
      "browserPlatform",
    ),
  },
  {
    name: "Robota, loop only",
    packages: { "@robota/runtime": PACKED, zod: ZOD },
    code: LOOP,
    inPage: LOOP,
  },
  {
    name: "AI SDK, streamText",
    packages: {
      ai: PEERS["ai-sdk"].ai,
      "@ai-sdk/anthropic": PEERS["ai-sdk"]["@ai-sdk/anthropic"],
      zod: ZOD,
    },
    code: AI_SDK,
    inPage: AI_SDK,
  },
  {
    name: "pi, Agent",
    packages: PEERS.pi,
    code: PI,
    inPage: PI,
  },
  {
    name: "Claude Agent SDK, query",
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.332", zod: ZOD },
    code: `import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const echo = tool("echo", "Echo the text back", { text: z.string(), n: z.number() }, async ({ text }) => ({ content: [{ type: "text", text: "ECHOED_" + text }] }));
const mcpServers = { own: createSdkMcpServer({ name: "own", tools: [echo] }) };
const env = { ...process.env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: URL };
const options = { model: MODEL, env, mcpServers, allowedTools: ["mcp__own__echo"], includePartialMessages: true };
for await (const { type, event } of query({ prompt: "${QUESTION}", options }))
  if (type === "stream_event" && event.type === "content_block_delta" && event.delta.type === "text_delta") process.stdout.write(event.delta.text);
`,
    isRun: false,
    inPage: undefined,
  },
];
