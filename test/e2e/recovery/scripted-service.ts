import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request to the service, as far as an answer depends on it. */
export interface Asked {
  /** The last prompt. */
  prompt: string;
  /** Results of the calls since, oldest first. */
  results: string[];
}

/** An answer: words, or calls of tools. */
export type Reply = { words: string[] } | { calls: { name: string; args: object }[] };

export interface ScriptedService extends AsyncDisposable {
  /** Base address, with the API's version. */
  readonly url: string;
  readonly requests: Asked[];
  /** The last words of an answer were sent, by prompt. */
  readonly finished: Map<string, number>;
}

interface WireMessage {
  role: string;
  content?: string;
}

/** A model service over HTTP that speaks Chat Completions, and answers by the conversation alone, word by word. */
export async function scriptedService(
  answer: (asked: Asked) => Reply,
  { delayMs }: { delayMs: number },
): Promise<ScriptedService> {
  const requests: Asked[] = [];
  const finished = new Map<string, number>();
  let count = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const { messages } = JSON.parse(await textOf(request)) as { messages: WireMessage[] };
      const at = messages.findLastIndex(({ role }) => role === "user");
      const asked: Asked = {
        prompt: messages[at]?.content ?? "",
        results: messages
          .slice(at)
          .flatMap(({ role, content }) => (role === "tool" ? [content ?? ""] : [])),
      };
      requests.push(asked);
      const number = (count += 1);
      const chunk = (delta: object, finish: string | null = null): string =>
        `data: ${JSON.stringify({
          id: `answer-${number}`,
          object: "chat.completion.chunk",
          created: 0,
          model: "scripted-1",
          choices: [{ index: 0, delta, finish_reason: finish }],
        })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const reply = answer(asked);
      const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));
      await pause();
      if ("words" in reply) {
        for (const content of reply.words) {
          response.write(chunk({ role: "assistant", content }));
          await pause();
        }
        response.write(chunk({}, "stop"));
        if (!response.destroyed) finished.set(asked.prompt, (finished.get(asked.prompt) ?? 0) + 1);
      } else {
        for (const [index, { name, args }] of reply.calls.entries()) {
          const call = { name, arguments: JSON.stringify(args) };
          const id = `call-${number}-${index}`;
          response.write(chunk({ tool_calls: [{ index, id, type: "function", function: call }] }));
        }
        response.write(chunk({}, "tool_calls"));
      }
      response.end("data: [DONE]\n\n");
    })().catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    finished,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
