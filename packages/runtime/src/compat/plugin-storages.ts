import type { ConversationRecord } from "../plugins/conversation-history-plugin.ts";
import type { LogRecord } from "../plugins/logging-plugin.ts";
import type { PerformanceRecord } from "../plugins/performance-plugin.ts";
import type { RecordStore } from "../plugins/records/record-store.ts";
import type { UsageRecord } from "../plugins/usage-plugin.ts";

/** Storage of a `ConversationHistoryPlugin`. */
export type IHistoryStorage = RecordStore<ConversationRecord>;
/** Storage of a `LoggingPlugin`. */
export type ILogStorage = RecordStore<LogRecord>;
/** Storage of a `PerformancePlugin`. */
export type IPerformanceStorage = RecordStore<PerformanceRecord>;
/** Storage of a `UsagePlugin`. */
export type IUsageStorage = RecordStore<UsageRecord>;
