// The plugins of an agent, their stores and loggers; bundles of extensions, and where they come from.
export type {
  BundlePermissions,
  BundlePluginManifest,
  BundleSkill,
  BundleText,
  BundleWarning,
  LoadedBundlePlugin,
} from "../interactive/bundles/bundle.ts";
export { BundleError, type BundleErrorCode } from "../interactive/bundles/bundle-error.ts";
export type { FileHashes } from "../interactive/bundles/bundle-files.ts";
export {
  type ApproveBundle,
  BundlePluginInstaller,
  type BundlePluginInstallerOptions,
  type InstalledBundle,
  type InstallOptions,
} from "../interactive/bundles/bundle-plugin-installer.ts";
export { BundlePluginLoader } from "../interactive/bundles/bundle-plugin-loader.ts";
export type { BundleGrant, BundleGrantKind } from "../interactive/bundles/grants.ts";
export {
  type FoundPlugin,
  MarketplaceClient,
  type MarketplaceClientOptions,
  type MarketplaceSource,
  type MarketplaceQuery,
  type MarketplaceResult,
} from "../interactive/marketplace/marketplace-client.ts";
export type { MarketplacePlugin } from "../interactive/marketplace/marketplace-index.ts";
export { DEFAULT_MARKETPLACE_URL } from "../interactive/marketplace/marketplace-source.ts";
export type {
  BundleChange,
  BundlePermissionDiff,
  BundleScope,
} from "../interactive/bundles/permission-diff.ts";
export {
  PluginCommandSource,
  type PluginSourceOptions,
} from "../interactive/bundles/plugin-command-source.ts";
export type { RegistryEntry } from "../interactive/bundles/registry.ts";
export type { BundleSource } from "../interactive/bundles/sources.ts";
export {
  ConversationHistoryPlugin,
  type ConversationHistoryPluginOptions,
  type ConversationRecord,
  type ConversationSummary,
} from "../plugins/conversation-history-plugin.ts";
export type { BatchQueueOptions } from "../plugins/delivery/batch-queue.ts";
export type { PostOptions } from "../plugins/delivery/post-json.ts";
export {
  circuitBreaker,
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
} from "../plugins/error-handling/circuit-breaker.ts";
export {
  ErrorHandlingPlugin,
  type ErrorHandlingPluginOptions,
  type HandledError,
} from "../plugins/error-handling/error-handling-plugin.ts";
export type { ErrorStrategy } from "../plugins/error-handling/error-strategy.ts";
export {
  exponentialBackoff,
  type ExponentialBackoffOptions,
} from "../plugins/error-handling/exponential-backoff.ts";
export type {
  EventEmitterPluginOptions,
  ListenOptions,
  RunEvent,
  RunEventListener,
  RunEventName,
  RunEventOf,
  RunEventSelector,
} from "../plugins/event-emitter-plugin.ts";
export {
  ExecutionAnalyticsPlugin,
  type ExecutionAnalyticsPluginOptions,
  type ExecutionCounts,
  type ExecutionOutcome,
  type ExecutionRecord,
  type ExecutionSummary,
} from "../plugins/execution-analytics-plugin.ts";
export { LimitsPlugin, type LimitsPluginOptions } from "../plugins/limits/limits-plugin.ts";
export type { LimitStrategy } from "../plugins/limits/meter.ts";
export type {
  ConsoleLoggerOptions,
  LogData,
  Logger,
  LogLevel,
  LogThreshold,
} from "../plugins/logger.ts";
export {
  LoggingPlugin,
  type LoggingPluginOptions,
  type LogRecord,
} from "../plugins/logging-plugin.ts";
export {
  type DurationStats,
  PerformancePlugin,
  type PerformancePluginOptions,
  type PerformanceRecord,
  type PerformanceSummary,
} from "../plugins/performance-plugin.ts";
export {
  type AfterRunDecision,
  type BeforeRunDecision,
  type ErrorDecision,
  PLUGIN_PRIORITY,
  type PluginCategory,
  type PluginPriority,
  type PluginRun,
  type PluginRunResult,
  type PluginToolCall,
  type ToolInputDecision,
  type ToolOutputDecision,
} from "../plugins/plugin.ts";
export { MemoryRecordStore } from "../plugins/records/memory-record-store.ts";
export type { RecordStore, TimeSpan } from "../plugins/records/record-store.ts";
export {
  RemoteRecordStore,
  type RemoteRecordStoreOptions,
} from "../plugins/records/remote-record-store.ts";
export { StorageRecordStore } from "../plugins/records/storage-record-store.ts";
export type { RunFacts } from "../plugins/run-facts.ts";
export {
  type ToolUsage,
  type UsageFilter,
  UsagePlugin,
  type UsagePluginOptions,
  type UsageRecord,
  type UsageSummary,
  type UsageTotals,
  type UsageWindow,
} from "../plugins/usage-plugin.ts";
export {
  type WebhookEvent,
  type WebhookEventName,
  WebhookPlugin,
  type WebhookPluginOptions,
} from "../plugins/webhook-plugin.ts";
