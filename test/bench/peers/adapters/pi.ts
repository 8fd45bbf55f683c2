// pi: its agent core with the stream function of one API, which is its lean way in.
import {
  type Adapter,
  API_KEY,
  type Conversation,
  ECHO,
  echo,
  MODEL,
  pastAnswer,
  pastQuestion,
} from "../adapter.ts";
import { importPeer } from "../install.ts";
import type { Wire } from "../wires.ts";

interface AgentEvent {
  type: string;
  assistantMessageEvent?: { type: string; delta: string };
}

interface Agent {
  state: { errorMessage?: string };
  subscribe(listener: (event: AgentEvent) => void): void;
  prompt(text: string): Promise<void>;
}

interface Core {
  Agent: new (options: object) => Agent;
}

interface TypeBuilder {
  Object(fields: object): object;
  String(): object;
  Number(): object;
}

const APIS: Record<Wire, { api: string; provider: string; suffix: string }> = {
  anthropic: { api: "anthropic-messages", provider: "anthropic", suffix: "" },
  "openai-chat": { api: "openai-completions", provider: "openai", suffix: "/v1" },
  "openai-responses": { api: "openai-responses", provider: "openai", suffix: "/v1" },
};
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const USAGE = {
  ...NO_COST,
  input: 25,
  output: 15,
  totalTokens: 40,
  cost: { ...NO_COST, total: 0 },
};
const MODEL_FACTS = {
  id: MODEL,
  name: MODEL,
  reasoning: false,
  input: ["text"],
  cost: NO_COST,
  contextWindow: 1e9,
  maxTokens: 4096,
};

export const pi: Adapter = {
  async load(wire) {
    const { api, provider, suffix } = APIS[wire];
    const [{ Agent }, { Type }, { streamSimple }] = await Promise.all([
      importPeer<Core>("pi", "@earendil-works/pi-agent-core"),
      importPeer<{ Type: TypeBuilder }>("pi", "@earendil-works/pi-ai"),
      importPeer<{ streamSimple: unknown }>("pi", `@earendil-works/pi-ai/api/${api}`),
    ]);
    const echoTool = {
      ...ECHO,
      label: "Echo",
      parameters: Type.Object({ text: Type.String(), n: Type.Number() }),
      execute: async (_: string, args: { text: string }) => ({
        content: [{ type: "text", text: echo(args) }],
        details: {},
      }),
    };
    const answer = {
      role: "assistant",
      api,
      provider,
      model: MODEL,
      usage: USAGE,
      stopReason: "stop",
    };
    return ({ baseURL, tools }) => {
      const model = { ...MODEL_FACTS, api, provider, baseUrl: baseURL + suffix };
      return {
        conversation(history = 0) {
          const initialState = {
            systemPrompt: "",
            model,
            tools: tools ? [echoTool] : [],
            messages: pastMessages(history, answer),
          };
          return conversationWith(
            new Agent({ initialState, streamFn: streamSimple, getApiKey: () => API_KEY }),
          );
        },
      };
    };
  },
};

/** An earlier conversation of this many rounds. */
function pastMessages(count: number, answer: object): object[] {
  return Array.from({ length: count }, (_, index) => [
    { role: "user", content: [{ type: "text", text: pastQuestion(index) }], timestamp: index },
    { ...answer, content: [{ type: "text", text: pastAnswer(index) }], timestamp: index },
  ]).flat();
}

function conversationWith(agent: Agent): Conversation {
  let result = { text: "", toolCalls: 0 };
  let show: (delta: string) => void = () => {};
  agent.subscribe(({ type, assistantMessageEvent: part }) => {
    if (type === "message_update" && part?.type === "text_delta") {
      result.text += part.delta;
      show(part.delta);
    } else if (type === "tool_execution_end") result.toolCalls += 1;
  });
  return {
    async turn(prompt, onDelta) {
      result = { text: "", toolCalls: 0 };
      show = onDelta;
      await agent.prompt(prompt);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
      return result;
    },
  };
}
