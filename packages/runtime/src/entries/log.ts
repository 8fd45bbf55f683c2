// Readers and writers of the session log, and redaction.
export { redact, redactValue } from "../messages/redact.ts";
export { Redactor } from "../messages/redactor.ts";
export type { StreamRedactor } from "../messages/stream-redactor.ts";
export { SESSION_FORMAT } from "../session/log/events.ts";
export {
  type ExternalPayloadReference,
  type HistoryMutation,
  type HistoryReference,
  LOG_EVENTS,
  type LogEvent,
  type MissingPayload,
  type SessionLogData,
  type SessionLogEntry,
} from "../session/trace/entry.ts";
export type { MessageStructure } from "../session/trace/history-structure.ts";
export type { ReplayLogIssue, ReplayLogIssueCode } from "../session/trace/issues.ts";
export { deleteSessionLog, type LogPlace } from "../session/trace/log-names.ts";
export type { SessionLogger } from "../session/trace/logger.ts";
export {
  readSessionLog,
  type ReadSessionLog,
  validateSessionLog,
} from "../session/trace/read-log.ts";
export { expandSessionLogEntry, type SessionReplayRecord } from "../session/trace/replay-log.ts";
export type { StorageSessionLoggerOptions } from "../session/trace/storage-logger.ts";
export { diffLines } from "../session/state/diff-lines.ts";
