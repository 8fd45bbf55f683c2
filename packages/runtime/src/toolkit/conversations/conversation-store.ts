import { ValidationError } from "../../errors.ts";
import {
  chatEntryToMessage,
  getMessagesForAPI,
  type HistoryEntry,
  isChatEntry,
  messageToHistoryEntry,
} from "../../messages/history.ts";
import { type AssistantMessage, contentText, type Message } from "../../messages/message.ts";

/** Append-only entries on top of a prefix of others. Branches share their common prefix. */
interface Segment {
  readonly base: { readonly segment: Segment; readonly length: number } | undefined;
  /** Entries of the bases below. */
  readonly offset: number;
  readonly entries: HistoryEntry[];
}

export interface ConversationStoreOptions {
  id?: string | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

/** One conversation in memory: appending and branching have constant cost, whatever its length. */
export class ConversationStore {
  readonly id: string;
  readonly createdAt: Date;
  readonly #now: () => number;
  readonly #randomUUID: () => string;
  #segment: Segment = { base: undefined, offset: 0, entries: [] };
  #pending: { id: string; text: string } | undefined;
  #updatedAt: Date;
  #history: readonly HistoryEntry[] | undefined;
  /** Created once, then appended to, so that a turn costs only new messages. */
  #messages: Message[] | undefined;

  constructor(options: ConversationStoreOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#randomUUID = options.randomUUID ?? (() => crypto.randomUUID());
    this.id = options.id ?? this.#randomUUID();
    this.createdAt = new Date(this.#now());
    this.#updatedAt = this.createdAt;
  }

  get updatedAt(): Date {
    return this.#updatedAt;
  }

  /** Number of entries. */
  get length(): number {
    return this.#segment.offset + this.#segment.entries.length;
  }

  /** Appends an entry that was made elsewhere; its `seq` becomes its place here. */
  addEntry(entry: HistoryEntry): HistoryEntry {
    const seq = this.length + 1;
    const placed = entry.seq === seq ? entry : { ...entry, seq };
    this.#segment.entries.push(placed);
    this.#history = undefined;
    if (isChatEntry(placed)) this.#messages?.push(chatEntryToMessage(placed));
    this.#updatedAt = new Date(this.#now());
    return placed;
  }

  addMessage(message: Message): HistoryEntry {
    return this.addEntry(messageToHistoryEntry(message));
  }

  /** Appends to the answer that is being given, and begins it if need be. */
  appendText(delta: string): void {
    this.#pending ??= { id: this.#randomUUID(), text: "" };
    this.#pending.text += delta;
  }

  /** The received text of a pending answer. */
  get pendingText(): string {
    return this.#pending?.text ?? "";
  }

  /**
   * Makes the streamed text an assistant message, complete or interrupted. `message` is the provider's answer, if any.
   * Without either, nothing is added.
   */
  commitAssistant(
    state: AssistantMessage["state"],
    message?: AssistantMessage,
  ): AssistantMessage | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending && !message) return undefined;
    const committed: AssistantMessage = {
      role: "assistant",
      id: pending?.id ?? this.#randomUUID(),
      timestamp: new Date(this.#now()),
      content: pending?.text ?? "",
      ...message,
      state,
    };
    if (pending && contentText(committed.content) === "") committed.content = pending.text;
    this.addMessage(committed);
    return committed;
  }

  /** All entries in order. The same array until something is added. */
  getHistory(): readonly HistoryEntry[] {
    this.#history ??= entriesOf(this.#segment, this.length);
    return this.#history;
  }

  /** The messages in order. Grows with the conversation; `getMessages` returns a copy. */
  get messages(): readonly Message[] {
    this.#messages ??= getMessagesForAPI(this.getHistory());
    return this.#messages;
  }

  getMessages(): Message[] {
    return [...this.messages];
  }

  /**
   * A conversation that begins with the first `length` entries of this one, by default all. Both continue
   * independently.
   * @throws {ValidationError} when there are fewer entries
   */
  fork(length = this.length, options: ConversationStoreOptions = {}): ConversationStore {
    if (!Number.isInteger(length) || length < 0 || length > this.length) {
      throw new ValidationError(`There is no entry ${length} to fork at`, {
        hint: `The conversation has ${this.length} entries.`,
      });
    }
    let segment = this.#segment;
    while (segment.base && length <= segment.offset) segment = segment.base.segment;
    const { id, now = this.#now, randomUUID = this.#randomUUID } = options;
    const branch = new ConversationStore({ id, now, randomUUID });
    branch.#segment = { base: { segment, length }, offset: length, entries: [] };
    return branch;
  }
}

/** The first `length` entries of a segment and its ancestors. */
function entriesOf(segment: Segment, length: number): HistoryEntry[] {
  const pieces: HistoryEntry[][] = [];
  for (let current: Segment | undefined = segment, end = length; current;) {
    pieces.push(current.entries.slice(0, end - current.offset));
    end = Math.min(end, current.base?.length ?? 0);
    current = current.base?.segment;
  }
  return pieces.toReversed().flat();
}
