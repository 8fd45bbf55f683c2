/** A channel of messages with one peer: any transport of the SDK is one. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/**
 * A server of the same program, such as an `McpServer` of `@modelcontextprotocol/server`. It serves one connection: give
 * a function for a server that several sessions use.
 */
export interface McpServerObject {
  connect(transport: McpTransport): Promise<void>;
  close?(): Promise<void>;
}
