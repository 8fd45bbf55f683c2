import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { TransportAdapter } from "../../interactive/transport-adapter.ts";
import type { McpServerSettings } from "../../interactive/settings/settings.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { AcpSessionInfo } from "./updates.ts";

/** A session that a client asks for. */
export interface AcpSessionRequest {
  /** Absolute, on the agent's machine. */
  cwd: string;
  /** Further directories of the workspace, absolute. */
  additionalDirectories?: readonly string[] | undefined;
  /** The client's MCP servers, for the option `mcpServers` of a session; empty unless `takesMcpServers`. */
  mcpServers: Readonly<Record<string, McpServerSettings>>;
  /** Opens this stored session instead of a new one. */
  resumeSessionId?: string | undefined;
}

/** One end of a channel of texts: a WebSocket or a `MessagePort`. */
export type MessageChannelEnd = {
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: () => void): void;
  start?(): void;
  close(): void;
} & ({ send(text: string): void } | { postMessage(text: string): void });

export type AcpTransportOptions = {
  /** Opens a session for the client; without it, the client gets the attached ones. */
  open?: ((request: AcpSessionRequest) => Promise<InteractiveSession>) | undefined;
  /** The stored sessions, newest first; of one directory when given. */
  list?: ((cwd: string | undefined) => Promise<AcpSessionInfo[]>) | undefined;
  /**
   * True when `open` gives the client's MCP servers to the session, which may be programs of this machine; otherwise a
   * request with any is refused.
   */
  takesMcpServers?: boolean | undefined;
  /** Modes that the client may set; `plan`, `default` and `acceptEdits` when omitted. */
  permissionModes?: readonly PermissionMode[] | undefined;
  agentInfo?: { name: string; version: string } | undefined;
  /** Called with failures that no request can be answered with; `console.error` when omitted. */
  onError?: ((error: unknown) => void) | undefined;
} & (
  | {
      /** Bytes in both directions, such as standard input and output: one message a line. */
      stream: { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> };
      channel?: undefined;
    }
  | {
      /** One message a text. */
      channel: MessageChannelEnd;
      stream?: undefined;
    }
);

/** An agent of the Agent Client Protocol. */
export interface AcpTransport extends TransportAdapter {
  /** Resolves when the client has gone, or after `stop`. */
  readonly closed: Promise<void>;
}

/**
 * Sessions for an editor that speaks the Agent Client Protocol, version 1. It opens sessions by `open`; an attached session
 * is the first that it gets, and stays open when the client goes.
 */
export function acpTransport(options: AcpTransportOptions): AcpTransport {
  const attached = new Map<string, InteractiveSession>();
  const closed = Promise.withResolvers<void>();
  let close: (() => Promise<void>) | undefined;
  return {
    name: "acp",
    closed: closed.promise,
    attach: (session) => void attached.set(session.sessionId, session),
    async start() {
      const { connectAgent } = await import("./acp-agent.ts");
      const connection = connectAgent(options, attached);
      close = connection.close;
      connection.closed.then(closed.resolve, closed.reject);
    },
    async stop() {
      await close?.();
      closed.resolve();
    },
  };
}
