import type { HistoryEntry } from "../../messages/history.ts";
import type { Message } from "../../messages/message.ts";

/** Anything else than a message that the history shows, with the number and time of its event. */
export interface ShownEvent {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly data: unknown;
}

/** A message in the history. */
export function chatEntry(message: Message, seq: number): HistoryEntry {
  const { id, timestamp, role } = message;
  return { id, seq, timestamp, category: "chat", type: role, data: message };
}

/**
 * An event behind the entries before it. One that is only shown has the number of the one before it: entries of the same
 * number and type are told apart by their order.
 */
export function eventEntry(
  { seq, time, type, data }: ShownEvent,
  history: readonly HistoryEntry[],
): HistoryEntry {
  const id = `${seq}-${type}`;
  let twins = 0;
  for (let at = history.length - 1; history[at]?.seq === seq; at--)
    if (history[at]?.type === type) twins += 1;
  const timestamp = new Date(time);
  return { id: twins > 0 ? `${id}-${twins}` : id, seq, timestamp, category: "event", type, data };
}
