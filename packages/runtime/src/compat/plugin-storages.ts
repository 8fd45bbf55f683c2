import type { ConversationRecord } from "../plugins/conversation-history-plugin.ts";
import type { LogRecord } from "../plugins/logging-plugin.ts";
import type { PerformanceRecord } from "../plugins/performance-plugin.ts";
import type { RecordStore } from "../plugins/records/record-store.ts";
import type { UsageRecord } from "../plugins/usage-plugin.ts";

/** Where a `ConversationHistoryPlugin` keeps what was said. */
export type IHistoryStorage = RecordStore<ConversationRecord>;
/** Where a `LoggingPlugin` keeps lines. */
export type ILogStorage = RecordStore<LogRecord>;
/** Where a `PerformancePlugin` keeps durations. */
export type IPerformanceStorage = RecordStore<PerformanceRecord>;
/** Where a `UsagePlugin` keeps what runs used. */
export type IUsageStorage = RecordStore<UsageRecord>;
