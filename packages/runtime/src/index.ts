// Agents and sessions.
export type { RunResult } from "./agent/agent-run.ts";
export type { Budget } from "./agent/budget.ts";
export { Robota, type RobotaOptions, type RunOptions } from "./agent/robota.ts";
export {
  assembleSubagentPrompt,
  createSubagentSession,
} from "./interactive/agents/subagent-session.ts";
export { BuiltinCommandSource } from "./interactive/commands/builtin-source.ts";
export { CommandRegistry } from "./interactive/commands/registry.ts";
export { InteractiveSession } from "./interactive/interactive-session.ts";
export type { InteractiveSessionOptions } from "./interactive/options.ts";
export { createQuery, type QueryOptions } from "./interactive/query.ts";
export { SkillCommandSource } from "./interactive/skills/skill-command-source.ts";
export { projectPaths, userPaths } from "./interactive/settings/project-paths.ts";
export type { ExecutionResult, InteractiveSessionEvents } from "./interactive/types.ts";
export type { HistoryEntry } from "./messages/history.ts";
export type { SessionOptions } from "./session/options.ts";
export { Session } from "./session/session.ts";
export { promptForApproval } from "./session/terminal/prompt-for-approval.ts";

// Stored sessions.
export { replaySession } from "./session/replay/replay-session.ts";
export { deleteSession, listSessions } from "./session/store/stored-sessions.ts";
export { SessionStore } from "./session/store/session-store.ts";
export { exportSession } from "./session/transfer/export-session.ts";
export { importSession } from "./session/transfer/import-session.ts";

// Providers and models.
export {
  CLAUDE_MODELS,
  DEFAULT_CONTEXT_WINDOW,
  formatTokenCount,
  getModelContextWindow,
  getModelName,
} from "./context/models.ts";
export {
  chat,
  type ChatOptions,
  type NativeWebTools,
  type Provider,
  type ProviderEvent,
} from "./providers/provider.ts";

// Messages.
export {
  chatEntryToMessage,
  getMessagesForAPI,
  isChatEntry,
  messageToHistoryEntry,
} from "./messages/history.ts";
export {
  type AssistantMessage,
  contentText,
  type Message,
  type MessageMetadata,
  type Part,
  type TokenUsage,
  type ToolArgs,
  type ToolCall,
} from "./messages/message.ts";

// Tools.
export { bashTool } from "./tools/builtin/bash.ts";
export { editTool } from "./tools/builtin/edit.ts";
export { globTool } from "./tools/builtin/glob.ts";
export { grepTool } from "./tools/builtin/grep.ts";
export { readTool } from "./tools/builtin/read.ts";
export { webFetchTool } from "./tools/builtin/web-fetch.ts";
export { webSearchTool } from "./tools/builtin/web-search.ts";
export { writeTool } from "./tools/builtin/write.ts";
export { createFunctionTool, createZodFunctionTool, FunctionTool } from "./tools/function-tool.ts";
export { createOpenAPITools, OpenAPITool } from "./tools/openapi/exported.ts";
export { ToolRegistry } from "./tools/tool-registry.ts";
export { defineTool, type Tool, type ToolContext, type ToolResult } from "./tools/tool.ts";

// Permissions.
export {
  evaluatePermission,
  explainPermission,
  MODE_POLICY,
  UNKNOWN_TOOL_FALLBACK,
} from "./permissions/evaluate-permission.ts";
export {
  type PermissionLists,
  type PermissionMode,
  TRUST_TO_MODE,
} from "./permissions/permission.ts";
export type { PermissionHandler } from "./session/approvals/approvals.ts";
export type { PermissionRequest } from "./session/log/events.ts";

// Hooks and plugins.
export type { HooksConfig } from "./hooks/definition.ts";
export type { HookEvent, HookInput } from "./hooks/events.ts";
export type { HookOutcome } from "./hooks/outcome.ts";
export type { HookOutput, HookResult } from "./hooks/result.ts";
export { runHooks } from "./hooks/run-hooks-later.ts";
export { EventEmitterPlugin } from "./plugins/event-emitter-plugin.ts";
export { ConsoleLogger, SilentLogger } from "./plugins/logger.ts";
export type { Plugin } from "./plugins/plugin.ts";

// Events.
export {
  bindWithOwnerPath,
  DEFAULT_ABSTRACT_EVENT_SERVICE,
  DefaultEventService,
  type EventService,
  StructuredEventService,
} from "./events/event-service.ts";
export type { SessionEvent } from "./session/log/events.ts";

// Errors.
export { ResponseFormatError } from "./agent/response-format-error.ts";
export {
  AuthenticationError,
  CircuitBreakerOpenError,
  ConfigurationError,
  FileSystemError,
  ModelNotAvailableError,
  NetworkError,
  PluginError,
  ProviderError,
  RateLimitError,
  RobotaError,
  SessionError,
  ShellError,
  StorageError,
  ToolExecutionError,
  ValidationError,
} from "./errors.ts";
export { ErrorUtils } from "./providers/error-utils.ts";

// Ports; implementations import @robota/runtime/ports.
export type { DirectoryEntry, FileStat, FileSystem, FileType } from "./ports/file-system.ts";
export type { Platform } from "./ports/platform.ts";
export type { Shell } from "./ports/shell.ts";
export type { Lease, Storage } from "./ports/storage.ts";

// Classes and functions of the specification; their options and types are in /toolkit and /log.
export { SilentSessionLogger } from "./session/trace/logger.ts";
export { replaySessionLogEntries } from "./session/trace/replay-log.ts";
export { createSubagentLogger, StorageSessionLogger } from "./session/trace/storage-logger.ts";
export { validateSessionReplayLogEntries } from "./session/trace/validate-log.ts";
export { AgentFactory, AgentTemplates } from "./toolkit/agents/agent-factory.ts";
export { AIProviders } from "./toolkit/agents/ai-providers.ts";
export { MemoryCacheStorage } from "./toolkit/caching/cache-storage.ts";
export { ConversationHistory } from "./toolkit/conversations/conversation-history.ts";
export { ConversationService } from "./toolkit/conversations/conversation-service.ts";
export {
  ConversationStore,
  ConversationStore as ConversationSession,
} from "./toolkit/conversations/conversation-store.ts";
export {
  EventHistoryModule,
  InMemoryEventEmitterMetrics,
  InMemoryHistoryStore,
} from "./toolkit/events/event-history.ts";
export { ObservableEventService } from "./toolkit/events/observable-event-service.ts";
export { LocalExecutor } from "./toolkit/executors/executor.ts";
export { SimpleRemoteExecutor } from "./toolkit/executors/simple-remote-executor.ts";
export { ToolExecutionService } from "./toolkit/executors/tool-execution-service.ts";
export { ModuleRegistry } from "./toolkit/modules/module-registry.ts";
