import type { Message } from "./message.ts";

/** One item of the history a person sees: a message (`chat`), or an event (`event`). */
export interface HistoryEntry {
  id: string;
  /** Position in the conversation. */
  seq: number;
  timestamp: Date;
  category: "chat" | "event";
  /** The role of a message, or the kind of event: `tool-start`, `tool-end`, `tool-summary`, `skill-invocation`, ... */
  type: string;
  data: unknown;
}

/** Tells messages of a history from its events. */
export function isChatEntry(entry: HistoryEntry): entry is HistoryEntry & { data: Message } {
  return entry.category === "chat";
}

/** The message of a chat entry. */
export function chatEntryToMessage(entry: HistoryEntry & { data: Message }): Message {
  return entry.data;
}

/** Wraps a message as an entry of a history. `seq` is the number of its event in the log; 0 when it has none. */
export function messageToHistoryEntry(message: Message, seq = 0): HistoryEntry {
  const { id, timestamp, role } = message;
  return { id, seq, timestamp, category: "chat", type: role, data: message };
}

/** The messages of a history, in order, without its events. */
export function getMessagesForAPI(history: readonly HistoryEntry[]): Message[] {
  return history.filter(isChatEntry).map(chatEntryToMessage);
}
