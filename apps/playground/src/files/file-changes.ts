import type { FileChange } from "@robota/runtime/tools";
import type { TimelineEntry } from "@robota/react/store";

/** Each changed file's text before the session first touched it, as far as its tools report. */
export function originalTexts(
  timeline: readonly TimelineEntry[],
): ReadonlyMap<string, FileChange["before"]> {
  const originals = new Map<string, FileChange["before"]>();
  for (const entry of timeline) {
    if (entry.kind !== "turn") continue;
    for (const item of entry.items) {
      if (item.kind !== "tool") continue;
      for (const change of item.outcome?.changes ?? []) {
        if (!originals.has(change.path)) originals.set(change.path, change.before);
      }
    }
  }
  return originals;
}
