import { CONTEXT_FULL } from "../../agent/loop.ts";
import type { ContextTracker } from "../../context/tracker.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import { COMPACTION_PAUSED } from "../state/compacted.ts";
import type { SessionEvent } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { Script } from "./recorded-calls.ts";

/**
 * Lets a session find its window as full as the record says that it was: how large it is, and what its tools and its
 * model's tokens count, stand in no record, but when the session made room does, with the numbers.
 */
export function followRecordedRoom(script: Script, tracker: ContextTracker): void {
  const counted = {
    usedTokens: tracker.usedTokens.bind(tracker),
    estimate: tracker.estimate.bind(tracker),
  };
  Object.assign(tracker, {
    isOver: () => isFull(script.peek()),
    usedTokens: (extra?: number) => {
      const next = script.peek();
      if (next?.type === "compaction" || next?.type === "tool_results_cleared") return next.before;
      return pausedAt(next)?.usedTokens ?? counted.usedTokens(extra);
    },
    estimate: (characters: number) => {
      const next = script.peek();
      if (next?.type === "tool_results_cleared") return 0;
      if (next?.type === "compaction") return next.after;
      // As much as there is: clearing old results alone would not have been worth it.
      return isFull(next) ? tracker.usedTokens() : counted.estimate(characters);
    },
  } satisfies Partial<ContextTracker>);
}

/** The size of the window, where the record says it. */
export function recordedWindow(script: Script): number | undefined {
  const index = script.find((event) => pausedAt(event) !== undefined);
  return pausedAt(index === undefined ? undefined : script.at(index))?.maxTokens;
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
