import type { Message } from "../../messages/message.ts";
import { contentCharacters } from "../../context/tracker.ts";
import type { SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";

/** Shorter results are not worth clearing. Characters. */
const MIN_CLEARED_LENGTH = 400;
const CLEARED = "[Old tool result cleared to make room. Call the tool again if you need it.]";
/** Share of tokens above which a compaction has not helped. */
const SHRUNK_SHARE = 0.8;

/** Kind of the note about paused automatic compaction. */
export const COMPACTION_PAUSED = "auto-compact-paused";

/** Reports whether a model was asked for the summary of an automatic compaction in vain. */
export function isFailedSummary(note: SessionEventOf<"note">): boolean {
  if (!isNote(note, "auto-compact-failed")) return false;
  const { data } = note;
  const code = typeof data === "object" && data !== null && "code" in data ? data.code : undefined;
  return code === "COMPACTION_FAILED";
}

/** The conversation after a compaction: the summary, and after it the messages that stay. */
export function compactedMessages(
  messages: readonly Message[],
  { seq, time, summary, kept = [] }: SessionEventOf<"compaction">,
): Message[] {
  const stays = new Set(kept);
  return [
    {
      role: "assistant",
      id: `compaction-${seq}`,
      timestamp: new Date(time),
      content: `[Context Summary]\n${summary}`,
      state: "complete",
    },
    ...messages.filter(({ id }) => stays.has(id)),
  ];
}

/** The conversation without the text of all tool results but the last `keep`. */
export function clearToolResults(messages: readonly Message[], keep: number): Message[] {
  const last = messages.filter(({ role }) => role === "tool").length - keep;
  let index = 0;
  return messages.map((message) => {
    if (message.role !== "tool") return message;
    index += 1;
    const isShort = contentCharacters(message.content) < MIN_CLEARED_LENGTH;
    return index > last || isShort ? message : { ...message, content: CLEARED };
  });
}

/** How much the last automatic compactions have helped. */
interface CompactionEffects {
  stalledCompactions: number;
  isCompactionPaused: boolean;
  compactedFrom: number | undefined;
}

/** Takes the first count behind a compaction for its effect. */
export function judgeCompaction(effects: CompactionEffects, after: number): void {
  if (effects.compactedFrom === undefined) return;
  const helped = hasShrunk(effects.compactedFrom, after);
  effects.stalledCompactions = helped ? 0 : effects.stalledCompactions + 1;
  if (helped) effects.isCompactionPaused = false;
  effects.compactedFrom = undefined;
}

/** Begins anew: another conversation, or another window, may be compacted with more success. */
export function forgetCompactions(effects: CompactionEffects): void {
  effects.stalledCompactions = 0;
  effects.isCompactionPaused = false;
  effects.compactedFrom = undefined;
}

/** True when a compaction freed enough tokens. */
export function hasShrunk(before: number, after: number): boolean {
  return after <= before * SHRUNK_SHARE;
}
