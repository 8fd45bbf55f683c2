import type { SessionEvent } from "@robota/runtime";

/** Neighbouring deltas of one message as one, so that a burst costs one step of the fold. */
export function mergeDeltas(events: readonly SessionEvent[]): SessionEvent[] {
  const merged: SessionEvent[] = [];
  let parts: string[] = [];
  const finish = (): void => {
    const last = merged.at(-1);
    if (parts.length > 1 && last && "delta" in last)
      merged[merged.length - 1] = { ...last, delta: parts.join("") };
    parts = [];
  };
  for (const event of events) {
    const last = merged.at(-1);
    const isDelta = event.type === "text_delta" || event.type === "thinking_delta";
    const continues =
      isDelta &&
      last?.type === event.type &&
      last.messageId === event.messageId &&
      last.parentId === event.parentId;
    if (!continues) {
      finish();
      merged.push(event);
    }
    if (isDelta) parts.push(event.delta);
  }
  finish();
  return merged;
}
