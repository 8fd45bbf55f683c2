// This project: the loop alone, and a session with everything on, on any host.
import type {
  AssistantMessage,
  ChatOptions,
  HooksConfig,
  Message,
  Platform,
  Provider,
  ProviderEvent,
  RobotaOptions,
  Session,
  SessionOptions,
  Tool,
} from "@robota/runtime";
import type * as RobotaRuntime from "@robota/runtime";
import {
  type Adapter,
  API_KEY,
  type Connect,
  type Conversation,
  ECHO,
  echo,
  IN_PAGE,
  MODEL,
  pastAnswer,
  pastQuestion,
  type Target,
} from "../adapter.ts";
import type { Wire } from "../wires.ts";

/** So that no scenario is about compaction. */
const contextWindow = 1e9;

export const robota: Adapter = { load: loadRobota };

async function loadRobota(wire: Wire): Promise<Connect> {
  const [{ Robota, createFunctionTool }, connect] = await Promise.all([
    import("@robota/runtime"),
    providerOf(wire),
  ]);
  return (target) => {
    const provider = connect(target);
    return {
      async conversation(history = 0) {
        const seeded = new ProviderWithPast(provider);
        const { tools, calls } = toolsOf(target, createFunctionTool);
        const options: RobotaOptions = {
          provider: history > 0 ? seeded : provider,
          tools,
          contextWindow,
          maxExecutionRounds: 0,
        };
        const agent = new Robota(options);
        for (let index = 0; index < history; index++) await agent.run(pastQuestion(index));
        seeded.isPast = false;
        return {
          async turn(prompt, onTextDelta) {
            calls.count = 0;
            const { text, error } = await agent.run(prompt, { onTextDelta });
            if (error !== undefined) throw error;
            return { text, toolCalls: calls.count };
          },
        };
      },
    };
  };
}

export const sessionInMemory: Adapter = {
  async load(wire) {
    const [parts, connect, { memoryPlatform }] = await Promise.all([
      import("@robota/runtime"),
      providerOf(wire),
      import("@robota/runtime/testing"),
    ]);
    return (target) => {
      const provider = connect(target);
      const platform = memoryPlatform();
      return {
        conversation: (history) => openSession(parts, { platform, provider, target }, history),
      };
    };
  },
};

type Runtime = typeof RobotaRuntime;

/** Hooks that let everything pass, rules that are looked at, context and log as they always are. */
export async function openSession(
  { Session, createFunctionTool }: Pick<Runtime, "Session" | "createFunctionTool">,
  parts: { platform: Platform; provider: Provider; target: Target },
  history = 0,
): Promise<Conversation> {
  const { tools, calls } = toolsOf(parts.target, createFunctionTool);
  let onDelta: (delta: string) => void = () => {};
  const hooks: HooksConfig = {
    PreToolUse: [{ matcher: ECHO.name, hooks: [{ type: "function", run: () => {} }] }],
    PostToolUse: [{ matcher: ECHO.name, hooks: [{ type: "function", run: () => {} }] }],
  };
  const options: SessionOptions = {
    platform: parts.platform,
    provider: parts.provider,
    tools,
    hooks,
    permissions: { allow: [ECHO.name], deny: ["Bash(rm *)"] },
    contextWindow,
    onTextDelta: (delta) => onDelta(delta),
  };
  const session = new Session(options);
  await addPast(session, history);
  return {
    async turn(prompt, listener) {
      onDelta = listener;
      calls.count = 0;
      return { text: await session.run(prompt), toolCalls: calls.count };
    },
    dispose: () => session.shutdown(),
  };
}

async function addPast(session: Session, history: number): Promise<void> {
  if (history === 0) return;
  await session.injectMessage("user", pastQuestion(0));
  const rest = [session.injectMessage("assistant", pastAnswer(0))];
  for (let index = 1; index < history; index++) {
    rest.push(session.injectMessage("user", pastQuestion(index)));
    rest.push(session.injectMessage("assistant", pastAnswer(index)));
  }
  await Promise.all(rest);
}

function toolsOf(
  target: Target,
  create: Runtime["createFunctionTool"],
): { tools: Tool[]; calls: { count: number } } {
  const calls = { count: 0 };
  if (!target.tools) return { tools: [], calls };
  const tool = create<{ text: string }>(ECHO.name, ECHO.description, ECHO.parameters, (args) => {
    calls.count += 1;
    return echo(args);
  });
  return { tools: [tool], calls };
}

export async function providerOf(wire: Wire): Promise<(target: Target) => Provider> {
  const model = { apiKey: API_KEY, model: MODEL, ...IN_PAGE };
  if (wire === "anthropic") {
    const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
    return ({ baseURL }) => new AnthropicProvider({ ...model, baseURL, maxRetries: 0 });
  }
  const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
  const api = wire === "openai-chat" ? "chat" : "responses";
  return ({ baseURL }) =>
    new OpenAIProvider({ ...model, baseURL: `${baseURL}/v1`, api, maxRetries: 0 });
}

/** Answers by itself while `isPast`, to give an agent a history. */
class ProviderWithPast implements Provider {
  readonly name: string;
  readonly model: string;
  readonly #inner: Provider;
  isPast = true;
  #answers = 0;

  constructor(inner: Provider) {
    this.name = inner.name;
    this.model = inner.model;
    this.#inner = inner;
  }

  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage> {
    return this.#inner.chat(messages, options);
  }

  chatStream(messages: readonly Message[], options?: ChatOptions): AsyncIterable<ProviderEvent> {
    return this.#inner.chatStream(messages, options);
  }

  async generate(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    if (!this.isPast && this.#inner.generate)
      return this.#inner.generate(messages, options, onEvent);
    return {
      role: "assistant",
      id: crypto.randomUUID(),
      timestamp: new Date(),
      state: "complete",
      content: pastAnswer(this.#answers++),
    };
  }
}
