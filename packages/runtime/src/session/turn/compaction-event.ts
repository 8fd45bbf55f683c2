import { type ContextWindowState, contextWindowState } from "../../context/tracker.ts";

/** How full the window was before a compaction and is after it. */
export interface CompactionEvent {
  trigger: "auto" | "manual";
  before: ContextWindowState;
  after: ContextWindowState;
}

/** The states of a window of `maxTokens` around a compaction that is told in tokens. */
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
