import type { JsonObject } from "../../../messages/message.ts";

/** The codes of problems with their causes. Each can be the answer to a request: `describe-problems.test.ts` makes them all. */
export const PROBLEM_CODES = {
  INVALID_JSON: "The body is not JSON in UTF-8.",
  JSON_TOO_DEEP: "The body is nested too deeply.",
  VALIDATION_ERROR: "The body, the query or a header has a wrong form.",
  TOKEN_NEEDED: "An anonymous caller sent an Idempotency-Key.",
  UNKNOWN_PROFILE: "The profile is not one of this server's.",
  UPGRADE_REQUIRED: "The address opens WebSockets only.",
  BODY_TIMEOUT: "The body stopped arriving.",
  BODY_TOO_LARGE: "The body is over this server's limit.",
  ATTACHMENT_REFUSED: "No model takes an attachment of this type.",
  ATTACHMENT_TOO_LARGE: "The attachments are over this server's limit.",

  UNAUTHORIZED: "The bearer token is missing, unknown or expired.",
  TICKET_REFUSED: "The ticket is forged, expired, used, or for something else.",
  INSUFFICIENT_SCOPE: "The token lacks a scope.",
  ORIGIN_NOT_ALLOWED: "The page's origin may not call this server.",
  HOST_NOT_ALLOWED: "The server does not answer for this host.",
  MODE_NOT_ALLOWED: "The permission mode can't be set over the network.",
  COMMAND_REFUSED: "The slash command is not for remote callers.",
  MODEL_NOT_AVAILABLE: "The session's provider does not serve the model.",

  NOT_FOUND: "There is no such session, checkpoint, request or prompt of yours.",
  NO_SUCH_ROUTE: "Nothing is served at the path.",
  NO_SUCH_COMMAND: "The session has no such slash command.",
  NO_SUCH_FILE: "There is no such file or directory in the workspace.",
  METHOD_NOT_ALLOWED: "The path is served with the methods of the header Allow.",
  NOT_SUPPORTED: "The server makes no sessions.",

  PATH_NOT_CANONICAL: "The path has `..`, a link or control characters.",
  PATH_TOO_LONG: "A name in the path is over 255 bytes.",
  FILE_CHANGED: "The file was changed since its changes were listed.",
  FILE_CONFLICT: "A directory is where a file is expected, or the reverse, or it has entries.",
  FILE_TOO_LARGE: "The file is larger than this server sends.",
  PRECONDITION_FAILED: "If-Match or If-None-Match does not hold.",
  RANGE_NOT_SATISFIABLE: "The file is shorter than the range.",

  ALREADY_ANSWERED: "The request was answered by somebody else.",
  APPROVAL_PENDING:
    "A tool call waits for approval, and this client can't send a message meanwhile.",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used for a different request.",
  QUEUE_FULL: "As many prompts wait as may.",
  SESSION_BUSY: "A turn, a compaction or a rewind runs, or another process has the session open.",
  HANDED_OVER: "The session goes on at another host.",
  CLOSED: "The session was shut down.",
  FENCED: "Another process has taken the session over.",
  NOT_EMPTY: "The session that a log is imported into was used already.",
  LOG_CORRUPT: "The log can't be read.",
  LOG_VERSION: "A newer version wrote the log.",
  FULL: "The server's storage is full.",

  TOO_MANY_REQUESTS: "The limit of requests is reached.",
  TOO_MANY_SESSIONS: "You have the maximum number of sessions.",
  TOO_MANY_STREAMS: "You have the maximum number of open event streams.",
  DAILY_LIMIT: "The day's tokens or money are spent.",

  INTERNAL_ERROR: "The server failed; its log has the cause.",
  CONFIGURATION_ERROR: "The server's operator has to correct its configuration.",
  NOT_CONFIGURED: "The server lacks a setting that this needs.",
  STOPPED: "The server was stopped.",
} as const;

/** The cause of a problem, for programs. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** The schema of a problem's code: one alternative each, with its cause. */
export function problemCodeSchema(): JsonObject {
  const codes = Object.entries(PROBLEM_CODES);
  return { oneOf: codes.map(([code, description]) => ({ const: code, description })) };
}
