// The Vercel AI SDK: `streamText`, its agent loop, with the history kept by the caller.
import { type Adapter, API_KEY, ECHO, echo, MODEL, pastAnswer, pastQuestion } from "../adapter.ts";
import { importPeer } from "../install.ts";

interface StreamPart {
  type: string;
  text?: string;
  error?: unknown;
}

interface StreamResult {
  fullStream: AsyncIterable<StreamPart>;
  response: Promise<{ messages: object[] }>;
}

interface Core {
  streamText(options: object): StreamResult;
  tool(definition: object): object;
  jsonSchema(schema: object): object;
  stepCountIs?: (count: number) => unknown;
  isStepCount?: (count: number) => unknown;
}

interface Service {
  (model: string): object;
  chat(model: string): object;
  responses(model: string): object;
}

interface Services {
  createAnthropic?: (options: object) => Service;
  createOpenAI?: (options: object) => Service;
}

export const aiSdk: Adapter = {
  async load(wire) {
    const name = wire === "anthropic" ? "@ai-sdk/anthropic" : "@ai-sdk/openai";
    const [core, services] = await Promise.all([
      importPeer<Core>("ai-sdk", "ai"),
      importPeer<Services>("ai-sdk", name),
    ]);
    const stopWhen = (core.isStepCount ?? core.stepCountIs)?.(1000);
    return ({ baseURL, tools }) => {
      const create = services.createAnthropic ?? services.createOpenAI;
      const service = create?.({ apiKey: API_KEY, baseURL: `${baseURL}/v1` });
      const model =
        wire === "anthropic"
          ? service?.(MODEL)
          : wire === "openai-chat"
            ? service?.chat(MODEL)
            : service?.responses(MODEL);
      const echoTool = core.tool({
        description: ECHO.description,
        inputSchema: core.jsonSchema(ECHO.parameters),
        execute: async (args: { text: string }) => echo(args),
      });
      const call = {
        model,
        stopWhen,
        maxRetries: 0,
        maxOutputTokens: 4096,
        ...(tools && { tools: { echo: echoTool } }),
        ...(wire === "openai-responses" && { providerOptions: { openai: { store: false } } }),
      };
      return {
        conversation(history = 0) {
          const messages: object[] = Array.from({ length: history }, (_, index) => [
            { role: "user", content: pastQuestion(index) },
            { role: "assistant", content: [{ type: "text", text: pastAnswer(index) }] },
          ]).flat();
          return {
            async turn(prompt, onDelta) {
              messages.push({ role: "user", content: prompt });
              const answer = core.streamText({ ...call, messages });
              const result = { text: "", toolCalls: 0 };
              for await (const { type, text = "", error } of answer.fullStream) {
                if (type === "error") throw error;
                if (type === "tool-result") result.toolCalls += 1;
                if (type !== "text-delta") continue;
                result.text += text;
                onDelta(text);
              }
              messages.push(...(await answer.response).messages);
              return result;
            },
          };
        },
      };
    };
  },
};
