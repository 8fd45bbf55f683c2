export {
  AgentFactory,
  type AgentFactoryOptions,
  type AgentHooks,
  type AgentTemplate,
  AgentTemplates,
  type CreatedAgent,
  type TemplateAgent,
} from "./toolkit/agents/agent-factory.ts";
export { AIProviders } from "./toolkit/agents/ai-providers.ts";
export { type Budget } from "./agent/budget.ts";
export {
  type CacheEntry,
  type CacheStorage,
  MemoryCacheStorage,
  type MemoryCacheStorageOptions,
} from "./toolkit/caching/cache-storage.ts";
export { type Conversation } from "./agent/conversation.ts";
export {
  ConversationHistory,
  type ConversationHistoryOptions,
  type ConversationPreview,
} from "./toolkit/conversations/conversation-history.ts";
export {
  ConversationService,
  type ConversationServiceOptions,
  type SendOptions,
} from "./toolkit/conversations/conversation-service.ts";
export {
  ConversationStore,
  ConversationStore as ConversationSession,
  type ConversationStoreOptions,
} from "./toolkit/conversations/conversation-store.ts";
export {
  type ExecutionRequest,
  type Executor,
  LocalExecutor,
} from "./toolkit/executors/executor.ts";
export { MAX_ROUNDS_FALLBACK, RESULT_SKIPPED } from "./agent/limits.ts";
export {
  createModuleTool,
  type Module,
  type ModuleContext,
  type ModuleHooks,
  ModuleRegistry,
  type ModuleToolOptions,
} from "./toolkit/modules/module-registry.ts";
export {
  responseKey,
  type ResponseCacheOptions,
  withResponseCache,
} from "./toolkit/caching/response-cache.ts";
export {
  createRetrievalModule,
  type RetrievalInput,
  type RetrievalModuleOptions,
  type RetrievedPassage,
} from "./toolkit/modules/retrieval-module.ts";
export { ResponseFormatError } from "./agent/response-format-error.ts";
export { Robota, type RobotaOptions, type RunOptions } from "./agent/robota.ts";
export {
  SimpleRemoteExecutor,
  type SimpleRemoteExecutorOptions,
} from "./toolkit/executors/simple-remote-executor.ts";
export type { ResponseFormat, ResponseSchema } from "./agent/structured-output.ts";
export {
  type ToolExecutionOptions,
  ToolExecutionService,
  type ToolExecutionServiceOptions,
} from "./toolkit/executors/tool-execution-service.ts";
export { type RunResult } from "./agent/agent-run.ts";
export {
  validateWorkflow,
  type WorkflowConverter,
  type WorkflowDefinition,
  type WorkflowProblem,
  type WorkflowProblemCode,
  type WorkflowStep,
  type WorkflowSurroundings,
  type WorkflowValidator,
} from "./toolkit/workflows/workflow.ts";
export {
  createWorkflowConverter,
  type PreparedWorkflow,
  runWorkflow,
  type StepResult,
  type WorkflowAgent,
  type WorkflowResult,
  type WorkflowRunOptions,
} from "./toolkit/workflows/workflow-run.ts";
export type { Authorization, ToolResultsOutcome } from "./agent/tool-batch.ts";
export {
  CLAUDE_MODELS,
  costOf,
  DEFAULT_CONTEXT_WINDOW,
  findModel,
  formatTokenCount,
  getModelContextWindow,
  getModelName,
  type ModelCapabilities,
  type ModelDefinition,
  type ModelPrices,
  OPENAI_MODELS,
} from "./context/models.ts";
export type { ContextBreakdown, ContextWindowState } from "./context/tracker.ts";
export { EgressError, type EgressErrorCode } from "./network/egress-error.ts";
export type { EgressPolicy } from "./network/policy.ts";
export {
  AuthenticationError,
  CircuitBreakerOpenError,
  ConfigurationError,
  type ErrorCategory,
  type ErrorFacts,
  errorFacts,
  FileSystemError,
  type FileSystemErrorCode,
  ModelNotAvailableError,
  NetworkError,
  PluginError,
  ProviderError,
  RateLimitError,
  RobotaError,
  SessionError,
  type SessionErrorCode,
  ShellError,
  StorageError,
  type StorageErrorCode,
  ToolExecutionError,
  ValidationError,
} from "./errors.ts";
export { asError } from "./messages/reported-error.ts";
export {
  EventHistoryModule,
  type EventHistoryStore,
  InMemoryEventEmitterMetrics,
  InMemoryHistoryStore,
} from "./toolkit/events/event-history.ts";
export {
  AGENT_EVENTS,
  type AgentEventName,
  bindWithOwnerPath,
  DEFAULT_ABSTRACT_EVENT_SERVICE,
  DefaultEventService,
  type EventService,
  type OwnedEvent,
  StructuredEventService,
} from "./events/event-service.ts";
export {
  type EventObserver,
  type EventSubscription,
  ObservableEventService,
} from "./toolkit/events/observable-event-service.ts";
export type {
  AgentHook,
  CommandHook,
  CustomHook,
  FunctionHook,
  HookDefinition,
  HookFunctionAnswer,
  HookGroup,
  HookOptions,
  HooksConfig,
  HttpHook,
  PromptHook,
} from "./hooks/definition.ts";
export type {
  HookEvent,
  HookFields,
  HookInput,
  HookInputBase,
  HookInputs,
  HookInputOf,
} from "./hooks/events.ts";
export type { HookContext, HookExecutors, HookTypeExecutor } from "./hooks/executor.ts";
export type { RunHookAgent } from "./hooks/executors/agent.ts";
export type { AskModel } from "./hooks/executors/prompt.ts";
export { checkHooks, HOOK_EVENTS, hooksOfLayer, hookWarnings, mergeHooks } from "./hooks/index.ts";
export type { CheckHooksOptions, HookProblem } from "./hooks/read-hooks.ts";
export type { HookWarningsOptions } from "./hooks/usable-hooks.ts";
export type { HookOutcome } from "./hooks/outcome.ts";
export type {
  HookOutput,
  HookPermissionDecision,
  HookResult,
  HookSpecificOutput,
} from "./hooks/result.ts";
export type { HookHost, HookRun, RunHooksOptions } from "./hooks/run-hooks.ts";
export { runHooks } from "./hooks/run-hooks-later.ts";
export type { AgentDefinition } from "./interactive/agents/agent-definition.ts";
export type { SubagentPromptOptions } from "./interactive/agents/subagent-prompt.ts";
export type { SubagentSessionOptions } from "./interactive/agents/subagent-options.ts";
export { createSubagentSession } from "./interactive/agents/subagent-session.ts";
export type { ProjectInstructions } from "./interactive/instructions/project-instructions.ts";
export { type CommandResult, type SystemCommand } from "./interactive/commands.ts";
export {
  assembleSubagentPrompt,
  BUILT_IN_AGENTS,
  projectPaths,
  userPaths,
} from "./interactive/index.ts";
export { InteractiveSession } from "./interactive/interactive-session.ts";
export type { ImportedSessionOptions, InteractiveSessionOptions } from "./interactive/options.ts";
export {
  createQuery,
  type Query,
  type QueryFactoryOptions,
  type QueryOptions,
} from "./interactive/query.ts";
export type { ProjectPaths, SettingsPaths, UserPaths } from "./interactive/settings/paths.ts";
export type { LoadSettingsOptions } from "./interactive/settings/load-settings.ts";
export { readSettings } from "./interactive/settings/read-settings.ts";
export type {
  McpServerSettings,
  ProviderSettings,
  ResolvedSettings,
  Settings,
  SettingsOptions,
  SettingsWarning,
} from "./interactive/settings/settings.ts";
export type {
  TrustState,
  WorkspaceFinding,
  WorkspaceTrust,
  WorkspaceTrustRequest,
} from "./interactive/settings/workspace-trust.ts";
export type {
  ExecutionResult,
  InteractiveSessionEvents,
  TransportAdapter,
} from "./interactive/types.ts";
export {
  chatEntryToMessage,
  getMessagesForAPI,
  type HistoryEntry,
  isChatEntry,
  messageToHistoryEntry,
} from "./messages/history.ts";
export {
  type AssistantMessage,
  type Citation,
  type Content,
  contentText,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageMetadata,
  type Part,
  type ProviderPart,
  type StopReason,
  type SystemMessage,
  type TextPart,
  type ThinkingPart,
  type TokenUsage,
  type ToolArgs,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from "./messages/message.ts";
export { type Repair, RequestView } from "./messages/project.ts";
export type { PermissionContext } from "./permissions/call.ts";
export {
  accessRules,
  type AccessRulesOptions,
  checkRules,
  DEFAULT_ALLOW_PATTERNS,
  evaluatePermission,
  type ExplainedOnFiles,
  explainOnFiles,
  explainPermission,
  MODE_POLICY,
  PERMISSION_MODES,
  type PermissionExplanation,
  type ResolvedPaths,
  resolvePaths,
  suggestPattern,
  TRUST_TO_MODE,
  UNKNOWN_TOOL_FALLBACK,
  visibleText,
} from "./permissions/index.ts";
export type {
  PermissionAnswer,
  PermissionDecision,
  PermissionLayer,
  PermissionLists,
  PermissionMode,
  PermissionResult,
  RuleExamples,
  RuleKind,
  TrustLevel,
} from "./permissions/permission.ts";
export { permissionWarnings, type RuleWarning } from "./permissions/index.ts";
export {
  ConversationHistoryPlugin,
  type ConversationHistoryPluginOptions,
  type ConversationRecord,
  type ConversationSummary,
} from "./plugins/conversation-history-plugin.ts";
export type { BatchQueueOptions } from "./plugins/delivery/batch-queue.ts";
export type { PostOptions } from "./plugins/delivery/post-json.ts";
export {
  circuitBreaker,
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
} from "./plugins/error-handling/circuit-breaker.ts";
export {
  ErrorHandlingPlugin,
  type ErrorHandlingPluginOptions,
  type HandledError,
} from "./plugins/error-handling/error-handling-plugin.ts";
export type { ErrorStrategy } from "./plugins/error-handling/error-strategy.ts";
export {
  exponentialBackoff,
  type ExponentialBackoffOptions,
} from "./plugins/error-handling/exponential-backoff.ts";
export {
  EventEmitterPlugin,
  type EventEmitterPluginOptions,
  type ListenOptions,
  type RunEvent,
  type RunEventListener,
  type RunEventName,
  type RunEventOf,
  type RunEventSelector,
} from "./plugins/event-emitter-plugin.ts";
export {
  ExecutionAnalyticsPlugin,
  type ExecutionAnalyticsPluginOptions,
  type ExecutionCounts,
  type ExecutionOutcome,
  type ExecutionRecord,
  type ExecutionSummary,
} from "./plugins/execution-analytics-plugin.ts";
export { LimitsPlugin, type LimitsPluginOptions } from "./plugins/limits/limits-plugin.ts";
export type { LimitStrategy } from "./plugins/limits/meter.ts";
export {
  ConsoleLogger,
  type ConsoleLoggerOptions,
  type LogData,
  type Logger,
  type LogLevel,
  type LogThreshold,
  SilentLogger,
} from "./plugins/logger.ts";
export {
  LoggingPlugin,
  type LoggingPluginOptions,
  type LogRecord,
} from "./plugins/logging-plugin.ts";
export {
  type DurationStats,
  PerformancePlugin,
  type PerformancePluginOptions,
  type PerformanceRecord,
  type PerformanceSummary,
} from "./plugins/performance-plugin.ts";
export {
  type AfterRunDecision,
  type BeforeRunDecision,
  type ErrorDecision,
  type Plugin,
  PLUGIN_PRIORITY,
  type PluginCategory,
  type PluginPriority,
  type PluginRun,
  type PluginRunResult,
  type PluginToolCall,
  type ToolInputDecision,
  type ToolOutputDecision,
} from "./plugins/plugin.ts";
export { MemoryRecordStore } from "./plugins/records/memory-record-store.ts";
export type { RecordStore, TimeSpan } from "./plugins/records/record-store.ts";
export {
  RemoteRecordStore,
  type RemoteRecordStoreOptions,
} from "./plugins/records/remote-record-store.ts";
export { StorageRecordStore } from "./plugins/records/storage-record-store.ts";
export type { RunFacts } from "./plugins/run-facts.ts";
export {
  type ToolUsage,
  type UsageFilter,
  UsagePlugin,
  type UsagePluginOptions,
  type UsageRecord,
  type UsageSummary,
  type UsageTotals,
  type UsageWindow,
} from "./plugins/usage-plugin.ts";
export {
  type WebhookEvent,
  type WebhookEventName,
  WebhookPlugin,
  type WebhookPluginOptions,
} from "./plugins/webhook-plugin.ts";
export type {
  DirectoryEntry,
  FileStat,
  FileSystem,
  FileType,
  OpenFile,
  PathOptions,
  SoughtTexts,
} from "./ports/file-system.ts";
export { MODE_BITS } from "./ports/mode.ts";
export {
  basename,
  dirname,
  isWithin,
  normalizePath,
  relativePath,
  resolvePath,
} from "./ports/path.ts";
export type { PinnedFetch, Platform, UserSettings } from "./ports/platform.ts";
export type { AccessRules } from "./ports/access.ts";
export type { Shell, ShellOptions, ShellOutput, ShellResult } from "./ports/shell.ts";
export { redact, redactValue, Redactor } from "./messages/index.ts";
export type { StreamRedactor } from "./messages/stream-redactor.ts";
export { checkStorageKey } from "./ports/storage-key.ts";
export type { AcquireOptions, Lease, LogEntry, Storage } from "./ports/storage.ts";
export { SILENT_TERMINAL, type Spinner, type TerminalOutput } from "./ports/terminal.ts";
export { ErrorUtils, type ProviderErrorContext } from "./providers/error-utils.ts";
export {
  type Fallback,
  type FallbackMember,
  fallbackProvider,
  type FallbackRules,
} from "./providers/fallback/fallback-provider.ts";
export { type FallbackReason } from "./providers/fallback/reasons.ts";
export { type PriceOf, type ProviderBudget } from "./providers/fallback/spending.ts";
export {
  type Route,
  type RoutedCall,
  routingProvider,
  type RoutingRules,
} from "./providers/routing/routing-provider.ts";
export {
  chat,
  type ChatOptions,
  generate,
  type NativeWebTools,
  parseToolCall,
  type Provider,
  type ProviderEvent,
  type ProviderNativeRawPayload,
  type ServerToolUse,
  type ToolChoice,
  type ToolSchema,
} from "./providers/provider.ts";
export { streamEvents } from "./providers/stream.ts";
export {
  type EventHeader,
  type GrantScope,
  type PermissionDecisionRecord,
  type PermissionRequest,
  SESSION_FORMAT,
  type SessionEvent,
  type SessionEventBody,
  type SessionEventOf,
  type SessionEventType,
  type ToolOutcome,
} from "./session/log/events.ts";
export {
  type GrantStore,
  type PermissionHandler,
  type PermissionHint,
  type RequestHook,
} from "./session/approvals/approvals.ts";
export type { ConfigureContext, SessionConfiguration } from "./session/configuration.ts";
export type { Delegation, StartedAgent } from "./session/delegation.ts";
export type { SessionHeader } from "./session/store/header.ts";
export { deleteSession, deleteSessionLog, listSessions } from "./session/index.ts";
export type { Checkpoint, RewindScope } from "./session/files/checkpoints.ts";
export {
  promptForApproval,
  type PromptForApproval,
} from "./session/terminal/prompt-for-approval.ts";
export type { CompactionReport } from "./session/turn/compact.ts";
export type { CompactionEvent } from "./session/turn/compaction-event.ts";
export type { RestoredFiles } from "./session/files/restore.ts";
export {
  type ExternalPayloadReference,
  type HistoryMutation,
  type HistoryReference,
  LOG_EVENTS,
  type LogEvent,
  type MissingPayload,
  type SessionLogData,
  type SessionLogEntry,
} from "./session/trace/entry.ts";
export type { MessageStructure } from "./session/trace/history-structure.ts";
export type { ReplayLogIssue, ReplayLogIssueCode } from "./session/trace/issues.ts";
export type { LogPlace } from "./session/trace/log-names.ts";
export { type SessionLogger, SilentSessionLogger } from "./session/trace/logger.ts";
export {
  readSessionLog,
  type ReadSessionLog,
  validateSessionLog,
} from "./session/trace/read-log.ts";
export {
  expandSessionLogEntry,
  replaySessionLogEntries,
  type SessionReplayRecord,
} from "./session/trace/replay-log.ts";
export {
  createSubagentLogger,
  StorageSessionLogger,
  type StorageSessionLoggerOptions,
} from "./session/trace/storage-logger.ts";
export { validateSessionReplayLogEntries } from "./session/trace/validate-log.ts";
export type { RewindResult } from "./session/files/rewind.ts";
export { ReplayDivergence } from "./session/replay/divergence.ts";
export type { ReplaySource } from "./session/replay/recording.ts";
export {
  type ReplayOptions,
  type ReplayResult,
  replaySession,
} from "./session/replay/replay-session.ts";
export type { SessionOptions, ToolExecution, TurnOutcome } from "./session/options.ts";
export { Session } from "./session/session.ts";
export type { ToolState, ToolSummary } from "./session/state/state.ts";
export { migrateSessionRecord, type SessionRecord } from "./session/store/record.ts";
export { SessionStore, type SessionStoreOptions } from "./session/store/session-store.ts";
export { watchSession, type WatchOptions } from "./session/log/watch.ts";
export type { TransferredFiles } from "./session/transfer/format.ts";
export {
  type ExportOptions,
  type ExportSource,
  exportSession,
  type ImportOptions,
  type ImportTarget,
  importSession,
} from "./session/transfer/index.ts";
export type { ImportLimits } from "./session/transfer/lines.ts";
export type { ImportIntoOptions } from "./session/transfer/open-session.ts";
export { bashTool } from "./tools/builtin/bash.ts";
export { editTool } from "./tools/builtin/edit.ts";
export { globTool } from "./tools/builtin/glob.ts";
export { grepTool } from "./tools/builtin/grep.ts";
export { readTool } from "./tools/builtin/read.ts";
export { createWebFetchTool, webFetchTool } from "./tools/builtin/web-fetch.ts";
export {
  createWebSearchTool,
  webSearchTool,
  type WebSearchOptions,
} from "./tools/builtin/web-search.ts";
export { writeTool } from "./tools/builtin/write.ts";
export { createFunctionTool, createZodFunctionTool, FunctionTool } from "./tools/function-tool.ts";
export {
  createOpenAPITools,
  type OpenAPIOperation,
  OpenAPITool,
  type OpenAPIToolsOptions,
} from "./tools/openapi/openapi-tools.ts";
export { type OpenAPICredential } from "./tools/openapi/security.ts";
export {
  defineTool,
  type FileChange,
  type ModelAnswer,
  type ModelQuestion,
  type OwnerPathSegment,
  type Tool,
  type ToolAccess,
  type ToolContext,
  type ToolOutputChunk,
  type ToolPreview,
  type ToolResult,
  type Validation,
} from "./tools/tool.ts";
export { toolProblems, ToolRegistry } from "./tools/tool-registry.ts";
export type { WebFetchArgs, WebFetchOptions } from "./tools/web/fetch-page.ts";
export type { SearchBackend, SearchRequest, SearchResult } from "./tools/web/search-backend.ts";
export type { WebSearchArgs } from "./tools/web/search-web.ts";
