import type { ContextWindowState } from "../../context/tracker.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { ModelChoice } from "../../session/log/events.ts";

/** The state of a session that is not, or not yet, in the events that its client has. */
export interface RemoteState {
  name?: string;
  permissionMode: PermissionMode;
  context: ContextWindowState;
  model: ModelChoice;
  /** The number of the last event. */
  seq: number;
}

export interface RemoteRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Behind the session's address; empty for the session itself. */
  path: string;
  body?: unknown;
  /** Makes it safe to send again. */
  key?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface RemoteAnswer {
  status: number;
  /** Parsed JSON; `undefined` for an answer without a body. */
  body: unknown;
  /** The number of the last event when the answer was made, if the server says so. */
  seq?: number | undefined;
  /** Milliseconds that the server asks to wait. */
  retryAfterMs?: number | undefined;
}

export interface ConnectOptions {
  /** Chooses, by the session's state, the number behind which events are wanted. */
  after: (state: RemoteState) => number;
  /** Called with every event as parsed JSON, in order. What it throws ends the connection, and is thrown. */
  onEvent: (event: unknown) => void;
  signal: AbortSignal;
}

/** The way to a session on a server. */
export interface SessionLink {
  /**
   * Passes events on until the connection ends.
   * @throws {RemoteError} `UNREACHABLE`, also for an interrupted or silent connection
   * @throws {RobotaError} the server's refusal
   */
  connect(options: ConnectOptions): Promise<void>;
  /** Resolves to any answer, also a refusal. @throws {RemoteError} `UNREACHABLE` */
  request(request: RemoteRequest): Promise<RemoteAnswer>;
  /** The session's log as lines. @throws as `connect` */
  log(query: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}
