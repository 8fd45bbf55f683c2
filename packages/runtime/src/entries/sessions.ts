// Types and parts of sessions beyond the main entry.
export type { SessionErrorCode } from "../errors.ts";
export type { ClientSession } from "../interactive/client-session.ts";
export type {
  Command,
  CommandArgument,
  CommandCaller,
  CommandContext,
  CommandInfo,
  CommandOutcome,
  CommandPrompt,
  CommandResult,
  CommandScope,
  CommandSource,
} from "../interactive/commands/command.ts";
export { CommandRefusedError } from "../interactive/commands/command-refused.ts";
export type { CommandCompletion } from "../interactive/commands/complete.ts";
export type { CommandSession } from "../interactive/commands/command-session.ts";
export type { SystemCommand } from "../interactive/commands/system-command.ts";
export type { ImportedSessionOptions } from "../interactive/options.ts";
export type { PromptQueue } from "../interactive/prompt-queue.ts";
export { type QueuedPrompt, queuedPrompts } from "../interactive/queued-prompts.ts";
export type { AbortOptions } from "../interactive/prompt-runner.ts";
export type {
  StructuredResult,
  StructuredSubmitOptions,
  SubmitOptions,
} from "../interactive/submit-options.ts";
export type { Attachment } from "../messages/message.ts";
export { attachmentsIn } from "../session/queue.ts";
export type { Query, QueryFactoryOptions, StructuredQueryOptions } from "../interactive/query.ts";
export { BUILT_IN_TOOL_NAMES } from "../interactive/built-in-tools.ts";
export {
  type QueryFormat,
  type StructuredAnswers,
  structuredAnswers,
} from "../interactive/structured-answers.ts";
export type { TransportAdapter } from "../interactive/transport-adapter.ts";
export type { ConfigureContext, SessionConfiguration } from "../session/configuration.ts";
export type { DelegatedSession, Delegation, StartedAgent } from "../session/agents/delegation.ts";
export type { SessionAgents } from "../session/agents/session-agents.ts";
export type { AgentSummary, AgentTranscript } from "../session/agents/transcripts.ts";
export type { Checkpoint, RewindScope } from "../session/files/checkpoints.ts";
export type { RestoredFiles } from "../session/files/restore.ts";
export type { RewindPreview } from "../session/files/preview-rewind.ts";
export type {
  ChangedContent,
  ChangedFile,
  ChangedVersion,
  FileChangeKind,
  FileToRestore,
} from "../session/files/changes.ts";
export type { RewindResult } from "../session/files/rewind.ts";
export type {
  AgentMessage,
  EventHeader,
  ModelChoice,
  ModelUsage,
  SessionEventBody,
  SessionEventOf,
  SessionEventType,
  ToolOutcome,
} from "../session/log/events.ts";
export {
  isNote,
  type ModelRetry,
  type NoteKind,
  type ProgramNoteKind,
  type SessionPlace,
} from "../session/log/notes.ts";
export { type LastTurnsOptions, readLastTurns } from "../session/log/last-turns.ts";
export { type WatchOptions, watchSession } from "../session/log/watch.ts";
export type { ToolExecution, TurnOutcome } from "../session/options.ts";
export { ReplayDivergence } from "../session/replay/divergence.ts";
export type { ReplaySource } from "../session/replay/recording.ts";
export type { ReplayOptions, ReplayResult } from "../session/replay/replay-session.ts";
export type { ToolState, ToolSummary } from "../session/state/tool-state.ts";
export type { DiffLine } from "../session/state/diff-lines.ts";
export type { SessionHeader } from "../session/store/header.ts";
export { migrateSessionRecord, type SessionRecord } from "../session/store/record.ts";
export { readSessionHeader } from "../session/store/stored-sessions.ts";
export type { SessionStoreOptions } from "../session/store/session-store.ts";
export type { PromptForApproval } from "../session/terminal/prompt-for-approval.ts";
export type { ExportOptions, ExportSource } from "../session/transfer/export.ts";
export type { TransferredFiles } from "../session/transfer/format.ts";
export type { HandOverOptions } from "../session/transfer/hand-over.ts";
export type { ImportOptions, ImportTarget } from "../session/transfer/import.ts";
export type { ImportLimits } from "../session/transfer/lines.ts";
export type { ImportIntoOptions } from "../session/transfer/open-session.ts";
export type { CompactionReport } from "../session/turn/compact.ts";
export type { CompactionEvent } from "../session/turn/compaction-event.ts";
export type { WantedModel } from "../session/turn/switch-model.ts";
