import { type ContextWindowState, contextWindowState } from "../../context/tracker.ts";

/** The usage of the window before and after a compaction. */
export interface CompactionEvent {
  trigger: "auto" | "manual";
  before: ContextWindowState;
  after: ContextWindowState;
}

/** Converts token counts around a compaction to the usage of a window of `maxTokens`. */
export function compactionEvent(
  { trigger, before, after }: { trigger: "auto" | "manual"; before: number; after: number },
  maxTokens: number,
): CompactionEvent {
  return {
    trigger,
    before: contextWindowState(before, maxTokens),
    after: contextWindowState(after, maxTokens),
  };
}
