/** Version of the entry format. A reader refuses a higher one and keeps fields unknown to it. */
export const LOG_ENTRY_FORMAT = 1;

/** Kinds of entries of a session's trace; `docs/session-log.md` lists the fields of each. */
export const LOG_EVENTS = [
  "session_init",
  "server_tool",
  "pre_run",
  "provider_request",
  "provider_native_raw_payload",
  "provider_stream_raw_delta",
  "provider_response_raw",
  "provider_response_normalized",
  "tool_batch_started",
  "tool_execution_request",
  "tool_execution_result",
  "tool_message_committed",
  "history_mutation",
  "text_delta",
  "assistant",
  "session_shutdown",
  "context_compact",
  "error",
] as const;

/** The name of an entry of the trace. */
export type LogEvent = (typeof LOG_EVENTS)[number];

/** The facts of an event. Fields that are `undefined` are omitted. */
export type SessionLogData = Record<string, string | number | boolean | object | null | undefined>;

/** One line of a session's trace. */
export interface SessionLogEntry {
  v: number;
  /** ISO 8601. */
  timestamp: string;
  sessionId: string;
  /** One of `LOG_EVENTS`, or another name of the logging program. */
  event: string;
  data: Record<string, unknown>;
}

/** A reference to the messages of the conversation after all changes whose `sequence` is at most `upTo`. */
export interface HistoryReference {
  kind: "history";
  upTo: number;
}

/** A reference to a field that is stored beside the log, once for all entries that have it. */
export interface ExternalPayloadReference {
  kind: "external-payload";
  encoding: "json";
  /** Digest of the payload's UTF-8 bytes, in hex. */
  sha256: string;
  byteLength: number;
  /** Path relative to the log: `{sessionId}.payloads/{sha256}.json`. */
  relativePath: string;
}

/** A reader's substitute for a missing or damaged payload. */
export interface MissingPayload {
  kind: "payload-missing";
  sha256: string;
  /** An explanation for people. */
  message: string;
}

/** One change of the conversation. `sequence` increases from change to change of a session, across restarts. */
export type HistoryMutation = { sequence: number } & (
  | { operation: "append"; message: object }
  /** The conversation at a time when the log did not have all of it. */
  | { operation: "restore"; messages: object[] }
  | { operation: "clear" }
  /** A summary replaces everything but the messages with the ids `kept`. */
  | { operation: "compact"; message: object; kept: string[] }
  /** Tool results but the last `keep` lose their text. */
  | { operation: "clear_tool_results"; keep: number }
  /** The conversation as it was after all changes up to `upTo`. */
  | { operation: "rewind"; upTo: number }
);

export function isHistoryReference(value: unknown): value is HistoryReference {
  return isOfKind(value, "history") && typeof value.upTo === "number";
}

export function isPayloadReference(value: unknown): value is { kind: "external-payload" } {
  return isOfKind(value, "external-payload");
}

export function isMissingPayload(value: unknown): value is MissingPayload {
  return isOfKind(value, "payload-missing") && typeof value.sha256 === "string";
}

function isOfKind<Kind extends string>(
  value: unknown,
  kind: Kind,
): value is { kind: Kind; [field: string]: unknown } {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
}
