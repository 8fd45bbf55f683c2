import { CONTEXT_FULL } from "../../agent/loop.ts";
import type { ContextTracker } from "../../context/tracker.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import { COMPACTION_PAUSED } from "../state/compacted.ts";
import type { SessionEvent } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { ReplayCursor } from "./replay-cursor.ts";

/**
 * Makes the context tracker report the fill level of the recorded session. Its size and the tokens of tools are not on
 * record, but each compaction is, with its numbers.
 */
export function followRecordedContext(cursor: ReplayCursor, tracker: ContextTracker): void {
  const { maxTokens } = tracker;
  Object.defineProperty(tracker, "maxTokens", {
    // The limit of the model that answered then: a session can change its model.
    get: () => pausedAt(cursor.peek())?.maxTokens ?? maxTokens,
    set: () => {},
  });
  const counted = {
    usedTokens: tracker.usedTokens.bind(tracker),
    estimate: tracker.estimate.bind(tracker),
  };
  Object.assign(tracker, {
    isOver: () => isFull(cursor.peek()),
    usedTokens: (extra?: number) => {
      const next = cursor.peek();
      if (next?.type === "compaction" || next?.type === "tool_results_cleared") return next.before;
      return pausedAt(next)?.usedTokens ?? counted.usedTokens(extra);
    },
    estimate: (characters: number) => {
      const next = cursor.peek();
      if (next?.type === "tool_results_cleared") return 0;
      if (next?.type === "compaction") return next.after;
      // The maximum: clearing old results alone would not have been worth it.
      return isFull(next) ? tracker.usedTokens() : counted.estimate(characters);
    },
  } satisfies Partial<ContextTracker>);
}

/** Size of the window, where the record says it. */
export function recordedWindow(cursor: ReplayCursor): number | undefined {
  const index = cursor.find((event) => pausedAt(event) !== undefined);
  return pausedAt(index === undefined ? undefined : cursor.at(index))?.maxTokens;
}

function isFull(next: SessionEvent | undefined): boolean {
  switch (next?.type) {
    case "compaction":
      return next.trigger === "auto";
    case "tool_results_cleared":
      return true;
    case "note":
      return isNote(next, "auto-compact-failed", COMPACTION_PAUSED);
    case "assistant_message":
      return next.message.content === CONTEXT_FULL;
    case "tool_end":
      return hasErrorCode(next.message, "result_skipped");
    default:
      return false;
  }
}

function pausedAt(
  event: SessionEvent | undefined,
): { usedTokens: number; maxTokens: number } | undefined {
  if (!isNote(event, COMPACTION_PAUSED)) return undefined;
  const { data } = event;
  if (typeof data !== "object" || data === null) return undefined;
  if (!("usedTokens" in data) || !("maxTokens" in data)) return undefined;
  return { usedTokens: Number(data.usedTokens), maxTokens: Number(data.maxTokens) };
}
