/** Version of an entry's form. A reader refuses a higher one and keeps fields it does not know. */
export const LOG_ENTRY_FORMAT = 1;

/** What is logged of a session; `docs/session-log.md` says which fields each of them has. */
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

export type LogEvent = (typeof LOG_EVENTS)[number];

/** The facts of an event. What is `undefined` is left out. */
export type SessionLogData = Record<string, string | number | boolean | object | null | undefined>;

/** One line of a session's log. */
export interface SessionLogEntry {
  v: number;
  /** ISO 8601. */
  timestamp: string;
  sessionId: string;
  /** One of `LOG_EVENTS`, or another one of whoever logs. */
  event: string;
  data: Record<string, unknown>;
}

/** Stands for the messages of the conversation after all changes whose `sequence` is at most `upTo`. */
export interface HistoryReference {
  kind: "history";
  upTo: number;
}

/** Stands for a field that is kept beside the log, once for all entries that have it. */
export interface ExternalPayloadReference {
  kind: "external-payload";
  encoding: "json";
  /** Of the payload's UTF-8 bytes, in hex. */
  sha256: string;
  byteLength: number;
  /** From the log's own place: `{sessionId}.payloads/{sha256}.json`. */
  relativePath: string;
}

/** What a reader puts in the place of a payload that is gone or damaged. */
export interface MissingPayload {
  kind: "payload-missing";
  sha256: string;
  /** For people. */
  message: string;
}

/** One change of the conversation. `sequence` grows from change to change of a session, over its restarts too. */
export type HistoryMutation = { sequence: number } & (
  | { operation: "append"; message: object }
  /** The conversation as it was when the log did not have all of it. */
  | { operation: "restore"; messages: object[] }
  | { operation: "clear" }
  /** A summary stands in the place of everything but the messages with the ids `kept`. */
  | { operation: "compact"; message: object; kept: string[] }
  /** Tool results but the last `keep` lose their texts. */
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
