export type {
  AgentFactoryOptions as IAgentFactoryOptions,
  AgentHooks as IAgentLifecycleEvents,
  AgentTemplate as IAgentTemplate,
} from "../toolkit/agents/agent-factory.ts";
export type { AIProviders as IAIProviderManager } from "../toolkit/agents/ai-providers.ts";
export type { CacheStorage as ICacheStorage } from "../toolkit/caching/cache-storage.ts";
export type { ConversationHistory as IConversationHistory } from "../toolkit/conversations/conversation-history.ts";
export type { ConversationService as IConversationService } from "../toolkit/conversations/conversation-service.ts";
export type {
  ExecutionRequest as IChatExecutionRequest,
  Executor as IExecutor,
} from "../toolkit/executors/executor.ts";
export type {
  Module as IModule,
  ModuleHooks as IModuleHooks,
} from "../toolkit/modules/module-registry.ts";
export {
  Robota as ExecutionService,
  type Robota as IAgent,
  type RobotaOptions as IAgentConfig,
} from "../agent/robota.ts";
export {
  runToolBatch as addToolResultsToHistory,
  type ToolResultsOutcome as IToolResultsOutcome,
} from "../agent/tool-batch.ts";
export type {
  WorkflowConverter as IWorkflowConverter,
  WorkflowValidator as IWorkflowValidator,
} from "../toolkit/workflows/workflow.ts";
export type {
  EventHistoryModule as IEventHistoryModule,
  InMemoryEventEmitterMetrics as IEventEmitterMetrics,
} from "../toolkit/events/event-history.ts";
export type { EventService as IEventService } from "../events/event-service.ts";
export type {
  HookDefinition as IHookDefinition,
  HookGroup as IHookGroup,
  HooksConfig as THooksConfig,
} from "../hooks/definition.ts";
export type { HookEvent as THookEvent, HookInput as IHookInput } from "../hooks/events.ts";
export type { HookTypeExecutor as IHookTypeExecutor } from "../hooks/executor.ts";
export type { HookResult as IHookResult } from "../hooks/result.ts";
export { AgentExecutor, CommandExecutor, HttpExecutor, PromptExecutor } from "./hook-executors.ts";
export {
  PluginChain as Plugins,
  type PluginChain as IPluginsManager,
} from "../plugins/plugin-chain.ts";
export {
  ToolRegistry as Tools,
  type ToolRegistry as IToolManager,
} from "../tools/tool-registry.ts";
export {
  CompactionOrchestrator,
  type CompactionOrchestratorOptions as ICompactionOptions,
} from "./compaction-orchestrator.ts";
export type { IBundlePluginManifest, ILoadedBundlePlugin } from "./bundle-plugin.ts";
export { ContextWindowTracker } from "./context-window-tracker.ts";
export type { DiffLine as IDiffLine } from "../session/state/diff-lines.ts";
export { PermissionEnforcer } from "./permission-enforcer.ts";
export { PluginCategory, PluginPriority } from "./plugin-words.ts";
export { AbstractAgent } from "./abstract-agent.ts";
export { AbstractAIProvider } from "./abstract-ai-provider.ts";
export { AbstractEventService } from "./abstract-event-service.ts";
export { AbstractExecutor } from "./abstract-executor.ts";
export { AbstractModule } from "./abstract-module.ts";
export {
  AbstractPlugin,
  type PluginHooks as IPluginHooks,
  type PluginStats as IPluginStats,
} from "./abstract-plugin.ts";
export { AbstractTool } from "./abstract-tool.ts";
export { AbstractWorkflowConverter, AbstractWorkflowValidator } from "./abstract-workflow.ts";
export { MCPTool, RelayMcpTool, type RelayMcpToolOptions } from "./mcp-tools.ts";
export type { ModelDefinition as IModelDefinition } from "../context/models.ts";
export type { ContextWindowState as IContextWindowState } from "../context/tracker.ts";
export type {
  Command as ICommand,
  CommandResult as ICommandResult,
  CommandSource as ICommandSource,
} from "../interactive/commands/command.ts";
export type { SystemCommand as ISystemCommand } from "../interactive/commands/system-command.ts";
export type { InteractiveSessionOptions as IInteractiveSessionOptions } from "../interactive/options.ts";
export type {
  ExecutionResult as IExecutionResult,
  InteractiveSessionEvents as IInteractiveSessionEvents,
} from "../interactive/types.ts";
export type { TransportAdapter as ITransportAdapter } from "../interactive/transport-adapter.ts";
export type {
  AssistantMessage as IAssistantMessage,
  JsonValue as TUniversalValue,
  Message as TUniversalMessage,
  MessageMetadata as TMetadata,
  MessageMetadata as TUniversalMessageMetadata,
  SystemMessage as ISystemMessage,
  TokenUsage as IContextTokenUsage,
  ToolArgs as TToolArgs,
  ToolArgs as TToolParameters,
  ToolCall as IToolCall,
  ToolMessage as IToolMessage,
  UserMessage as IUserMessage,
} from "../messages/message.ts";
export type {
  PermissionDecision as TPermissionDecision,
  PermissionLists as IPermissionLists,
  PermissionMode as TPermissionMode,
  PermissionResult as TPermissionResult,
  TrustLevel as TTrustLevel,
} from "../permissions/permission.ts";
export type { Logger as ILogger } from "../plugins/logger.ts";
export type {
  Plugin as IPluginContract,
  PluginCategory as TPluginCategory,
  PluginPriority as TPluginPriority,
} from "../plugins/plugin.ts";
export type {
  IHistoryStorage,
  ILogStorage,
  IPerformanceStorage,
  IUsageStorage,
} from "./plugin-storages.ts";
export type {
  ChatOptions as IChatOptions,
  Provider as IAIProvider,
  ToolSchema as IToolSchema,
} from "../providers/provider.ts";
export type {
  PermissionHandler as TInteractivePermissionHandler,
  PermissionHandler as TPermissionHandler,
} from "../session/approvals/approvals.ts";
export type { FunctionTool as IFunctionTool } from "../tools/function-tool.ts";
export type { ResolvedSettings as IResolvedConfig } from "../interactive/settings/settings.ts";
export type { AgentDefinition as IAgentDefinition } from "../interactive/agents/agent-definition.ts";
export type { HistoryEntry as IHistoryEntry } from "../messages/history.ts";
export type { SessionOptions as ISessionOptions } from "../session/options.ts";
export type { SessionLogger as ISessionLogger } from "../session/trace/logger.ts";
export type {
  ExternalPayloadReference as IExternalPayloadReference,
  SessionLogData as TSessionLogData,
  SessionLogEntry as ISessionLogEntry,
} from "../session/trace/entry.ts";
export type { SessionReplayRecord as ISessionReplayRecord } from "../session/trace/replay-log.ts";
export { StorageSessionLogger as FileSessionLogger } from "../session/trace/storage-logger.ts";
export type { SessionRecord as ISessionRecord } from "../session/store/record.ts";
export type {
  ISession,
  ISessionShutdownOptions,
  ISessionStore,
  TAutoCompactThreshold,
  TKnownToolName,
} from "./session-types.ts";
export type { Spinner as ISpinner, TerminalOutput as ITerminalOutput } from "../ports/terminal.ts";
export type {
  ToolState as IToolState,
  ToolSummary as IToolSummary,
} from "../session/state/tool-state.ts";
export type {
  OwnerPathSegment as IOwnerPathSegment,
  Tool as ITool,
  Tool as IToolWithEventService,
  ToolResult as IToolResult,
  ToolResult as TToolResult,
} from "../tools/tool.ts";
/** Called with each piece of text as a model streams it. */
export type TTextDeltaCallback = (delta: string) => void;
