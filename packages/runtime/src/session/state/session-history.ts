import type { HistoryEntry } from "../../messages/history.ts";
import type { Message } from "../../messages/message.ts";
import { chatEntry, eventEntry, type ShownEvent } from "./history-entries.ts";

/**
 * What a person sees of a session: grows at its end. Entries are created once they are asked for, which a session that
 * answers a program never is.
 */
export class SessionHistory {
  readonly #entries: HistoryEntry[];
  /** What the entries will be of: events, and messages, each behind its number. Absent once they were asked for. */
  #unlisted: (number | Message | ShownEvent)[] | undefined = [];
  #length: number;

  constructor(entries: HistoryEntry[] = []) {
    this.#entries = entries;
    this.#length = entries.length;
  }

  get length(): number {
    return this.#length;
  }

  /** A live array. */
  get entries(): HistoryEntry[] {
    const unlisted = this.#unlisted ?? [];
    this.#unlisted = undefined;
    let seq = 0;
    for (const item of unlisted)
      if (typeof item === "number") seq = item;
      else if ("role" in item) this.#entries.push(chatEntry(item, seq));
      else this.#entries.push(eventEntry(item, this.#entries));
    return this.#entries;
  }

  get lastType(): string | undefined {
    const last = this.#unlisted?.at(-1);
    if (typeof last !== "object") return this.#entries.at(-1)?.type;
    return "role" in last ? last.role : last.type;
  }

  addMessage(message: Message, seq: number): void {
    this.#length += 1;
    if (this.#unlisted) this.#unlisted.push(seq, message);
    else this.#entries.push(chatEntry(message, seq));
  }

  addEvent(event: ShownEvent): void {
    this.#length += 1;
    if (this.#unlisted) this.#unlisted.push(event);
    else this.#entries.push(eventEntry(event, this.#entries));
  }

  /** A history of its own with the first `length` entries. */
  firstPart(length: number): SessionHistory {
    return new SessionHistory(this.entries.slice(0, length));
  }
}
