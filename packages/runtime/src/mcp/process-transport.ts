import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { errorMessage } from "../errors.ts";
import type { RunningProcess } from "../ports/process.ts";

/** Characters of one message; more ends the connection. */
const MAX_MESSAGE = 10 * 1024 * 1024;

/** One JSON message a line on a process's streams. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  // By these two the client recognizes a process, where silence means a server of the older protocol and not an outage.
  readonly pid = null;
  readonly stderr = null;
  readonly #start: () => Promise<RunningProcess>;
  #process: RunningProcess | undefined;
  #isClosed = false;

  constructor(start: () => Promise<RunningProcess>) {
    this.#start = start;
  }

  async start(): Promise<void> {
    const process = await this.#start();
    this.#process = process;
    // Closed while it started.
    if (this.#isClosed) return process.end();
    this.#serve(process).catch(() => undefined);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process || this.#isClosed) throw new Error("The process does not run");
    await this.#process.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.#process?.end();
    } finally {
      // Pending requests get no answer.
      this.onclose?.();
    }
  }

  /** Reads until its output ends, or can't be read any more. */
  async #serve(process: RunningProcess): Promise<void> {
    try {
      await this.#read(process);
    } catch (error) {
      this.onerror?.(new Error(errorMessage(error), { cause: error }));
    }
    await this.close();
  }

  async #read({ output }: RunningProcess): Promise<void> {
    const { deserializeMessage } = await import("./sdk.ts");
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of output) {
      rest += decoder.decode(bytes, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line.trim(), deserializeMessage);
      if (rest.length > MAX_MESSAGE) throw new Error("A message of the server is too long");
    }
  }

  /** Servers also print other lines, which are not part of the protocol. */
  #take(line: string, read: (line: string) => JSONRPCMessage): void {
    if (line === "") return;
    let message: JSONRPCMessage;
    try {
      message = read(line);
    } catch (error) {
      this.onerror?.(
        new Error("The server printed a line that is not a message", { cause: error }),
      );
      return;
    }
    this.onmessage?.(message);
  }
}
