import type { ContextWindowState } from "../../../context/tracker.ts";
import { defined } from "../../../defined.ts";
import type { HistorySnapshot } from "../../../interactive/history-snapshot.ts";
import type { ExecutionResult } from "../../../interactive/types.ts";
import type { HistoryEntry } from "../../../messages/history.ts";
import type { SessionEvent } from "../../../session/log/events.ts";
import type { ToolSummary } from "../../../session/state/tool-state.ts";

type EndOfTurn = Extract<SessionEvent, { type: "turn_end" }>;

export interface ResultSource {
  history: HistorySnapshot;
  getContextState: () => ContextWindowState;
  /** Entries of the fold. */
  summaries: readonly HistoryEntry[];
}

/** The result of a turn from its end; of a prompt that was dropped without one. */
export function resultOfEnd(
  end: EndOfTurn | undefined,
  { history, getContextState, summaries }: ResultSource,
): ExecutionResult {
  const { turnId = "", state = "interrupted", response = "", usage, cost, error } = end ?? {};
  return {
    turnId,
    state,
    response,
    toolSummaries: end ? summariesOf(end, summaries) : [],
    contextState: getContextState(),
    ...defined({ usage, cost, error }),
    get history() {
      return history.get().entries;
    },
  };
}

/** The fold has them as an entry with the number of the turn's end. */
function summariesOf({ seq }: EndOfTurn, entries: readonly HistoryEntry[]): ToolSummary[] {
  const entry = entries.findLast(
    (candidate) => candidate.seq === seq && candidate.type === "tool-summary",
  );
  const { toolSummaries = [] } = (entry?.data ?? {}) as { toolSummaries?: ToolSummary[] };
  return toolSummaries;
}
