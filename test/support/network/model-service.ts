import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The parts of a request to the model that tests look at. */
export interface AskedModel {
  model: string;
  system?: unknown;
  messages: unknown[];
  tools?: { name: string; description: string }[];
  output_config?: { format?: unknown };
}

/** A service on loopback that speaks Anthropic's protocol. */
export interface ModelService extends AsyncDisposable {
  /** Its address, and a key for it, as the command line reads them. */
  readonly environment: { ANTHROPIC_API_KEY: string; ANTHROPIC_BASE_URL: string };
  readonly address: string;
  /** Every request so far. */
  readonly asked: AskedModel[];
  /** Texts of the next answers; `done` when none is left. */
  readonly answers: string[];
}

/** Starts a service that answers with texts. */
export async function serveModel(): Promise<ModelService> {
  const asked: AskedModel[] = [];
  const answers: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await Array.fromAsync(request as AsyncIterable<Buffer>);
    asked.push(JSON.parse(Buffer.concat(body).toString()) as AskedModel);
    if (!request.url?.includes("/messages")) return void response.writeHead(400).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of answerOf(answers.shift() ?? "done"))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: { ANTHROPIC_API_KEY: "key-on-loopback", ANTHROPIC_BASE_URL: address },
    address,
    asked,
    answers,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerOf(text: string) {
  const message = { id: "msg_1", model: "m", usage: { input_tokens: 10, output_tokens: 1 } };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}
