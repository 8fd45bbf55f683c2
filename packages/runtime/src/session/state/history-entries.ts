import { defined } from "../../defined.ts";
import type { HistoryEntry } from "../../messages/history.ts";
import type { Message } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";

/** A message in the history. */
export function chatEntry(message: Message, seq: number): HistoryEntry {
  const { id, timestamp, role } = message;
  return { id, seq, timestamp, category: "chat", type: role, data: message };
}

/**
 * Anything else that the history shows, with the number and time of its event. An event that is only shown has the number
 * of the one before it: entries of the same number and type are told apart by their order.
 */
export function eventEntry(
  { seq, time }: SessionEvent,
  type: string,
  data: unknown,
  history: readonly HistoryEntry[],
): HistoryEntry {
  const id = `${seq}-${type}`;
  let twins = 0;
  for (let at = history.length - 1; history[at]?.seq === seq; at--)
    if (history[at]?.type === type) twins += 1;
  const timestamp = new Date(time);
  return { id: twins > 0 ? `${id}-${twins}` : id, seq, timestamp, category: "event", type, data };
}

/** The part of a hook's run that the history shows. */
export function hookFacts({ event, hook, outcome, layer }: SessionEventOf<"hook_run">): object {
  return defined({ event, hook, outcome, layer });
}
