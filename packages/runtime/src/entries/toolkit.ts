// Parts that programs import and sessions never reach: agents by template, conversations, workflows, modules, executors, caches.
export type { Conversation } from "../agent/conversation.ts";
export { MAX_ROUNDS_FALLBACK, RESULT_SKIPPED } from "../agent/limits.ts";
export type { Authorization, ToolResultsOutcome } from "../agent/tool-batch.ts";
export { AGENT_EVENTS, type AgentEventName, type OwnedEvent } from "../events/event-service.ts";
export { asError } from "../messages/reported-error.ts";
export type {
  AgentFactoryOptions,
  AgentHooks,
  AgentTemplate,
  CreatedAgent,
  TemplateAgent,
} from "../toolkit/agents/agent-factory.ts";
export type {
  CacheEntry,
  CacheStorage,
  MemoryCacheStorageOptions,
} from "../toolkit/caching/cache-storage.ts";
export {
  type ResponseCacheOptions,
  responseKey,
  withResponseCache,
} from "../toolkit/caching/response-cache.ts";
export type {
  ConversationHistoryOptions,
  ConversationPreview,
} from "../toolkit/conversations/conversation-history.ts";
export type {
  ConversationServiceOptions,
  SendOptions,
} from "../toolkit/conversations/conversation-service.ts";
export type { ConversationStoreOptions } from "../toolkit/conversations/conversation-store.ts";
export type { EventHistoryStore } from "../toolkit/events/event-history.ts";
export type {
  EventObserver,
  EventSubscription,
} from "../toolkit/events/observable-event-service.ts";
export type { ExecutionRequest, Executor } from "../toolkit/executors/executor.ts";
export type { SimpleRemoteExecutorOptions } from "../toolkit/executors/simple-remote-executor.ts";
export type {
  ToolExecutionOptions,
  ToolExecutionServiceOptions,
} from "../toolkit/executors/tool-execution-service.ts";
export {
  createModuleTool,
  type Module,
  type ModuleContext,
  type ModuleHooks,
  type ModuleToolOptions,
} from "../toolkit/modules/module-registry.ts";
export {
  createRetrievalModule,
  type RetrievalInput,
  type RetrievalModuleOptions,
  type RetrievedPassage,
} from "../toolkit/modules/retrieval-module.ts";
export {
  createWorkflowConverter,
  type PreparedWorkflow,
  runWorkflow,
  type StepResult,
  type WorkflowAgent,
  type WorkflowResult,
  type WorkflowRunOptions,
} from "../toolkit/workflows/workflow-run.ts";
export {
  validateWorkflow,
  type WorkflowConverter,
  type WorkflowDefinition,
  type WorkflowProblem,
  type WorkflowProblemCode,
  type WorkflowStep,
  type WorkflowSurroundings,
  type WorkflowValidator,
} from "../toolkit/workflows/workflow.ts";
