import { ValidationError } from "../../errors.ts";
import { type HistoryEntry, isChatEntry, messageToHistoryEntry } from "../../messages/history.ts";
import { messageFromJson } from "../../messages/message-json.ts";
import type { Message } from "../../messages/message.ts";
import type { SessionEventBody } from "../log/events.ts";
import { programNote } from "../log/notes.ts";
import type { SessionState } from "../state/state.ts";
import { requireSessionId } from "../session-id.ts";

/**
 * A stored session as a whole. Fields unknown to this version are kept. It is data: nothing in it is interpreted as a
 * setting, a permission or a command.
 */
export interface SessionRecord {
  id: string;
  cwd: string;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
  /** The conversation, as the model knows it. */
  messages: Message[];
  /** The timeline as a person saw it. */
  history: HistoryEntry[];
  name?: string;
  systemPrompt?: string;
  toolSchemas?: unknown[];
  backgroundTasks?: unknown[];
  backgroundTaskEvents?: unknown[];
  backgroundJobGroups?: unknown[];
  backgroundJobGroupEvents?: unknown[];
  memoryEvents?: unknown[];
  usedMemoryReferences?: unknown[];
  contextReferences?: unknown[];
  sandboxSnapshotId?: string;
  [field: string]: unknown;
}

/** True for a stored value that is a whole record, as versions without a log wrote them. */
export function isOldRecord(value: unknown): value is { id: string; messages: unknown[] } {
  return isObject(value) && typeof value["id"] === "string" && Array.isArray(value["messages"]);
}

/**
 * Migrates a record of an older version: dates become dates again, messages get ids, and a missing history is built
 * from the messages. An up-to-date record is returned unchanged.
 * @throws {ValidationError} for anything but a record
 */
export function migrateSessionRecord(value: unknown): SessionRecord {
  if (!isOldRecord(value)) {
    throw new ValidationError("This is not a session record: it has no id or no messages", {
      hint: "Give the parsed content of one session's file.",
    });
  }
  const record = value as Partial<SessionRecord> & { id: string; messages: unknown[] };
  const { id, cwd = "/" } = record;
  requireSessionId(id);
  const createdAt = dateText(record.createdAt) ?? dateText(record.updatedAt) ?? EPOCH;
  const messages = record.messages
    .filter(isMessage)
    .map((message, index) => soundMessage(message, `${id}-${index}`, createdAt));
  const history = Array.isArray(record.history)
    ? record.history.map((entry, index) => soundEntry(entry, index, createdAt))
    : messages.map((message, index) => messageToHistoryEntry(message, index + 1));
  const updatedAt = dateText(record.updatedAt) ?? createdAt;
  return { ...record, id, cwd: String(cwd), createdAt, updatedAt, messages, history };
}

/** Events for a record's messages and history that a log lacks, in the order of the history. */
export function eventsLacking(
  state: SessionState,
  { messages, history }: SessionRecord,
): SessionEventBody[] {
  const events: SessionEventBody[] = [];
  const continues = state.history.every(({ id }, index) => id === history[index]?.id);
  const tail = continues ? history.slice(state.history.length) : [];
  let at = 0;
  for (const message of messages.slice(state.messages.length)) {
    const place = tail.findIndex(
      (entry, index) => index >= at && isChatEntry(entry) && entry.data.id === message.id,
    );
    if (place >= 0) {
      events.push(...notesOf(tail.slice(at, place)));
      at = place + 1;
    }
    events.push(eventOf(message));
  }
  return [...events, ...notesOf(tail.slice(at))];
}

function notesOf(entries: readonly HistoryEntry[]): SessionEventBody[] {
  return entries
    .filter(({ category }) => category === "event")
    .map(({ type, data }) => programNote(type, data));
}

/** The event that adds a message to the conversation. */
export function eventOf(message: Message): SessionEventBody {
  switch (message.role) {
    case "assistant":
      return { type: "assistant_message", message };
    case "tool":
      return {
        type: "tool_end",
        toolCallId: message.toolCallId,
        tool: message.name,
        message,
        outcome: { success: message.isError !== true, durationMs: 0 },
      };
    case "user":
    case "system":
      return { type: "user_message", message };
  }
}

const EPOCH = new Date(0).toISOString();
const ROLES = new Set<unknown>(["user", "assistant", "tool", "system"]);

function isMessage(value: unknown): value is Message {
  return (
    isObject(value) &&
    ROLES.has(value["role"]) &&
    (typeof value["content"] === "string" || Array.isArray(value["content"])) &&
    (value["role"] !== "tool" || typeof value["toolCallId"] === "string")
  );
}

function soundMessage(message: Message, id: string, createdAt: string): Message {
  const timestamp = new Date(dateText(message.timestamp) ?? createdAt);
  const known = { ...message, id: typeof message.id === "string" ? message.id : id, timestamp };
  if (known.role !== "assistant") return messageFromJson(known);
  return messageFromJson({ ...known, state: known.state ?? "complete" });
}

function soundEntry(entry: HistoryEntry, index: number, createdAt: string): HistoryEntry {
  const timestamp = new Date(dateText(entry.timestamp) ?? createdAt);
  const { data } = entry;
  const isChat = entry.category === "chat" && isMessage(data);
  return {
    ...entry,
    seq: entry.seq ?? index + 1,
    timestamp,
    data: isChat ? soundMessage(data, entry.id, createdAt) : data,
  };
}

function dateText(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && !(value instanceof Date))
    return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
