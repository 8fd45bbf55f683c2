import { withoutToolRoundText } from "../../agent/conversation.ts";
import { type HistoryEntry, messageToHistoryEntry } from "../../messages/history.ts";
import type { Message } from "../../messages/message.ts";
import { clearToolResults } from "../state/compacted.ts";
import { isHistoryReference, type SessionLogEntry } from "./entry.ts";
import { structureOf } from "./history-structure.ts";
import { type LoggedMutation, readMutation } from "./logged-mutation.ts";

/** A session reconstructed from its log. */
export interface SessionReplayRecord {
  sessionId: string;
  cwd?: string;
  systemPrompt?: string;
  provider?: string;
  model?: string;
  /** The conversation, as the model knows it. */
  messages: Message[];
  /** The messages of the conversation as they were said, including those that a compaction removed. */
  history: HistoryEntry[];
  /** The conversation after all changes up to a number, as a `HistoryReference` names it. */
  messagesAt(upTo: number): Message[];
}

/** A prefix of append-only lists, without copying them. */
interface Mark {
  sequence: number;
  messages: readonly Message[];
  messageCount: number;
  history: readonly HistoryEntry[];
  historyCount: number;
}

/**
 * Reconstructs a session from the `history_mutation` entries of its log. Invalid changes are skipped;
 * `validateSessionReplayLogEntries` reports them.
 */
export function replaySessionLogEntries(entries: readonly SessionLogEntry[]): SessionReplayRecord {
  const conversation = new LoggedConversation();
  for (const entry of entries) {
    const mutation = entry.event === "history_mutation" ? readMutation(entry) : undefined;
    if (mutation) conversation.apply(mutation);
  }
  const init = entries.findLast(({ event }) => event === "session_init")?.data ?? {};
  return {
    sessionId: entries[0]?.sessionId ?? "",
    ...texts(init, ["cwd", "systemPrompt", "provider", "model"]),
    messages: [...conversation.messages],
    history: [...conversation.history],
    messagesAt: (upTo) => conversation.messagesAt(upTo),
  };
}

/**
 * Expands the references of an entry: a `HistoryReference` into the conversation, and the structure of one turn's
 * messages into that of the whole conversation.
 */
export function expandSessionLogEntry(
  entry: SessionLogEntry,
  record: SessionReplayRecord,
): SessionLogEntry {
  const fields = Object.entries(entry.data).map(([name, value]) => [
    name,
    isHistoryReference(value) ? record.messagesAt(value.upTo) : value,
  ]);
  const data = Object.fromEntries(fields) as SessionLogEntry["data"];
  const { history } = entry.data;
  if (entry.event === "assistant" && isHistoryReference(history))
    data["historyStructure"] = record.messagesAt(history.upTo).map(structureOf);
  return { ...entry, data };
}

class LoggedConversation {
  messages: Message[] = [];
  history: HistoryEntry[] = [];
  readonly #marks: Mark[] = [];

  apply(mutation: LoggedMutation): void {
    this.#change(mutation);
    const { sequence } = mutation;
    const { messages, history } = this;
    const messageCount = messages.length;
    this.#marks.push({ sequence, messages, messageCount, history, historyCount: history.length });
  }

  messagesAt(upTo: number): Message[] {
    const mark = this.#markAt(upTo);
    return mark ? mark.messages.slice(0, mark.messageCount) : [];
  }

  #markAt(upTo: number): Mark | undefined {
    return this.#marks.findLast(({ sequence }) => sequence <= upTo);
  }

  #change(mutation: LoggedMutation): void {
    switch (mutation.operation) {
      case "append":
        return this.#append(mutation);
      case "restore":
        this.messages = mutation.messages;
        this.history = mutation.messages.map((message) =>
          messageToHistoryEntry(message, mutation.sequence),
        );
        return;
      case "clear":
        this.messages = [];
        return;
      case "compact": {
        const stays = new Set(mutation.kept);
        this.messages = [mutation.message, ...this.messages.filter(({ id }) => stays.has(id))];
        return;
      }
      case "clear_tool_results":
        this.messages = clearToolResults(this.messages, mutation.keep);
        return;
      case "rewind": {
        const mark = this.#markAt(mutation.upTo);
        this.messages = mark ? mark.messages.slice(0, mark.messageCount) : [];
        this.history = mark ? mark.history.slice(0, mark.historyCount) : [];
      }
    }
  }

  #append({ message, sequence }: LoggedMutation & { operation: "append" }): void {
    this.messages.push(message.role === "assistant" ? withoutToolRoundText(message) : message);
    this.history.push(messageToHistoryEntry(message, sequence));
  }
}

function texts<Name extends string>(
  data: Record<string, unknown>,
  names: readonly Name[],
): { [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = data[name];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}
