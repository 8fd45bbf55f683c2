import type { JSONRPCMessage, McpServer, Transport } from "@modelcontextprotocol/server";
import type { McpByteStream, McpClientConnection } from "./mcp-transport.ts";

/** Characters of one message; more ends the connection. */
const MAX_MESSAGE = 64 * 1024 * 1024;

/** Serves one client over lines; `create` makes the server when the client has said which protocol it speaks. */
export async function serveLines(
  stream: McpByteStream,
  create: (context: { era: "legacy" | "modern" }) => Promise<McpServer>,
  onError: (error: Error) => void = () => undefined,
): Promise<McpClientConnection> {
  const sdk = await import("./sdk.ts");
  const lines = new Lines(stream, sdk.deserializeMessage);
  const connection = sdk.serveStdio(create, { transport: lines, onerror: onError });
  return { closed: lines.closed, close: () => connection.close() };
}

/** One JSON message a line. */
class Lines implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly closed: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #end: () => void;
  readonly #parse: (line: string) => JSONRPCMessage;
  #isClosed = false;

  constructor({ readable, writable }: McpByteStream, parse: (line: string) => JSONRPCMessage) {
    this.#parse = parse;
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#end = resolve;
  }

  async start(): Promise<void> {
    this.#read()
      .catch((error: unknown) => this.onerror?.(asError(error)))
      .finally(() => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("The client has gone");
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#reader.cancel().catch(() => undefined);
    this.#writer.releaseLock();
    this.onclose?.();
    this.#end();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line.trim());
      if (rest.length > MAX_MESSAGE) throw new Error("A message of the client is too long");
    }
  }

  #take(line: string): void {
    if (line === "" || this.#isClosed) return;
    let message: JSONRPCMessage;
    try {
      message = this.#parse(line);
    } catch (error) {
      this.onerror?.(asError(error));
      return;
    }
    this.onmessage?.(message);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
