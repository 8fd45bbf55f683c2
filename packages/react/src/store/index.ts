export { applyEvents } from "./apply-events.ts";
export type { SessionConnection } from "./connection.ts";
export type { EventRow } from "./event-rows.ts";
export {
  createFileTree,
  type FileRow,
  type FileTreeState,
  type FileTreeStore,
  type WatchableFiles,
} from "./file-tree.ts";
export { type Cell, createCell, type Readable } from "./readable.ts";
export { createReplay, type ReplayState, type ReplayStore } from "./replay-store.ts";
export { sessionStore, type SessionViewStore } from "./session-store.ts";
export {
  type SubagentRun,
  type AutomaticDecision,
  type BackgroundAgent,
  type ContextUse,
  type Divider,
  emptyView,
  hasEstimates,
  lastTurn,
  runningTurn,
  type SessionView,
  type SteerItem,
  type StoredGrant,
  type TextItem,
  type ThinkingItem,
  type TimelineEntry,
  type ToolItem,
  type ToolPhase,
  type TurnItem,
  type TurnView,
} from "./session-view.ts";
export { watchedSession } from "./watched-session.ts";
export { parseCommand } from "./parse-command.ts";
export { matchCommands, type SlashCommand } from "./slash-commands.ts";
