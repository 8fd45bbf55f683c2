import { defined } from "../../defined.ts";
import type { HistoryEntry } from "../../messages/history.ts";
import type { Message } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";

/** A message in the history. */
export function chatEntry(message: Message, seq: number): HistoryEntry {
  const { id, timestamp, role } = message;
  return { id, seq, timestamp, category: "chat", type: role, data: message };
}

/** Anything else that the history shows, with the number and time of its event. */
export function eventEntry({ seq, time }: SessionEvent, type: string, data: unknown): HistoryEntry {
  const timestamp = new Date(time);
  return { id: `${seq}-${type}`, seq, timestamp, category: "event", type, data };
}

/** The part of a hook's run that the history shows. */
export function hookFacts({ event, hook, outcome, layer }: SessionEventOf<"hook_run">): object {
  return defined({ event, hook, outcome, layer });
}
