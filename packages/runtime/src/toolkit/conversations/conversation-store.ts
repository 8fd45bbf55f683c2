import { ValidationError } from "../../errors.ts";
import {
  chatEntryToMessage,
  getMessagesForAPI,
  type HistoryEntry,
  isChatEntry,
  messageToHistoryEntry,
} from "../../messages/history.ts";
import { type AssistantMessage, contentText, type Message } from "../../messages/message.ts";

/** Entries that only ever grow, on top of the beginning of others. Branches share what came before them. */
interface Segment {
  readonly base: { readonly segment: Segment; readonly length: number } | undefined;
  /** Entries of the bases below. */
  readonly offset: number;
  readonly entries: HistoryEntry[];
}

export interface ConversationStoreOptions {
  id?: string;
  now?: () => number;
  randomUUID?: () => string;
}

/** One conversation in memory: adding to it and branching off it cost the same however long it is. */
export class ConversationStore {
  readonly id: string;
  readonly createdAt: Date;
  readonly #now: () => number;
  readonly #randomUUID: () => string;
  #segment: Segment = { base: undefined, offset: 0, entries: [] };
  #pending: { id: string; text: string } | undefined;
  #updatedAt: Date;
  #history: readonly HistoryEntry[] | undefined;
  /** Made once, then grown, so that a turn costs what is new. */
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

  /** How many entries there are. */
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

  /** What there is of an answer that is being given. */
  get pendingText(): string {
    return this.#pending?.text ?? "";
  }

  /**
   * Makes what was streamed an assistant message of the conversation, whole or cut. `message` is the answer as the
   * provider gave it, when there is one. Without either, nothing is added.
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

  /** Everything in order. The same array until something is added. */
  getHistory(): readonly HistoryEntry[] {
    this.#history ??= entriesOf(this.#segment, this.length);
    return this.#history;
  }

  /** What was said, in order. Grows at its end as the conversation does; `getMessages` is a copy. */
  get messages(): readonly Message[] {
    this.#messages ??= getMessagesForAPI(this.getHistory());
    return this.#messages;
  }

  getMessages(): Message[] {
    return [...this.messages];
  }

  /**
   * A conversation that begins with the first `length` entries of this one, all of them when omitted. Both go on by
   * themselves.
   * @throws {ValidationError} when there are not so many
   */
  fork(length = this.length, options: ConversationStoreOptions = {}): ConversationStore {
    if (!Number.isInteger(length) || length < 0 || length > this.length) {
      throw new ValidationError(`There is no entry ${length} to branch off at`, {
        hint: `The conversation has ${this.length} entries.`,
      });
    }
    let segment = this.#segment;
    while (segment.base && length <= segment.offset) segment = segment.base.segment;
    const clock = { now: this.#now, randomUUID: this.#randomUUID };
    const branch = new ConversationStore({ ...clock, ...options });
    branch.#segment = { base: { segment, length }, offset: length, entries: [] };
    return branch;
  }
}

/** The first `length` entries of a segment with what it stands on. */
function entriesOf(segment: Segment, length: number): HistoryEntry[] {
  const pieces: HistoryEntry[][] = [];
  for (let current: Segment | undefined = segment, end = length; current;) {
    pieces.push(current.entries.slice(0, end - current.offset));
    end = Math.min(end, current.base?.length ?? 0);
    current = current.base?.segment;
  }
  return pieces.toReversed().flat();
}
