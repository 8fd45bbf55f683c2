import type { SessionEvent } from "@robota/runtime";

/** One row of the event log. Streamed pieces of one turn share a row. */
export interface EventRow {
  /** The last event of the row. */
  event: SessionEvent;
  /** Number of events in the row. */
  count: number;
}

const STREAMED: readonly SessionEvent["type"][] = ["text_delta", "thinking_delta", "tool_output"];

/** The rows with more events behind them. */
export function appendRows(
  rows: readonly EventRow[],
  events: readonly SessionEvent[],
): readonly EventRow[] {
  const next = [...rows];
  for (const event of events) {
    const last = next.at(-1);
    const continues =
      last?.event.type === event.type &&
      STREAMED.includes(event.type) &&
      last.event.turnId === event.turnId;
    if (continues && last) next[next.length - 1] = { event, count: last.count + 1 };
    else next.push({ event, count: 1 });
  }
  return next;
}
