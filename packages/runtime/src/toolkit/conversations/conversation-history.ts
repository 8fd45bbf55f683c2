import { ConfigurationError, RobotaError } from "../../errors.ts";
import { contentText } from "../../messages/message.ts";
import { ConversationStore } from "./conversation-store.ts";

const DEFAULT_MAX_CONVERSATIONS = 50;
const PREVIEW_LENGTH = 100;

export interface ConversationHistoryOptions {
  /** Conversations at one time; default 50. Their length has no limit. */
  maxConversations?: number | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

/** Summary of a conversation for lists. */
export interface ConversationPreview {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  messageCount: number;
  /** The beginning of the first message. */
  preview: string;
}

/** Several conversations in memory, by their ids. */
export class ConversationHistory {
  readonly #options: ConversationHistoryOptions;
  readonly #conversations = new Map<string, ConversationStore>();

  constructor(options: ConversationHistoryOptions = {}) {
    this.#options = options;
  }

  /**
   * Creates a conversation.
   * @throws {RobotaError} `CONVERSATION_LIMIT` at the maximum number: none is dropped for a new one
   * @throws {ConfigurationError} when the id is taken
   */
  create(id?: string): ConversationStore {
    const { now, randomUUID } = this.#options;
    return this.#keep(() => new ConversationStore({ id, now, randomUUID }), id);
  }

  /** A new conversation that begins as another one did; see `ConversationStore.fork`. @throws as `create` and `lookup` */
  fork(id: string, length?: number, newId?: string): ConversationStore {
    const source = this.lookup(id);
    const { now, randomUUID } = this.#options;
    return this.#keep(() => source.fork(length, { id: newId, now, randomUUID }), newId);
  }

  get(id: string): ConversationStore | undefined {
    return this.#conversations.get(id);
  }

  /** @throws {ConfigurationError} for an unknown id */
  lookup(id: string): ConversationStore {
    const conversation = this.#conversations.get(id);
    if (conversation) return conversation;
    throw new ConfigurationError(`There is no conversation "${id}"`, {
      hint: "list() has all of them.",
    });
  }

  /** Returns whether it existed. */
  delete(id: string): boolean {
    return this.#conversations.delete(id);
  }

  /** The one that changed last comes first. */
  list(): ConversationPreview[] {
    return [...this.#conversations.values()]
      .map(summaryOf)
      .toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime());
  }

  #keep(make: () => ConversationStore, id: string | undefined): ConversationStore {
    const { maxConversations = DEFAULT_MAX_CONVERSATIONS } = this.#options;
    if (id !== undefined && this.#conversations.has(id)) {
      throw new ConfigurationError(`There is a conversation "${id}" already`, {
        hint: "Leave the id out to get a new one.",
      });
    }
    if (this.#conversations.size >= maxConversations) {
      throw new RobotaError(`There are ${maxConversations} conversations already`, {
        code: "CONVERSATION_LIMIT",
        category: "user",
        recoverable: true,
        hint: "Delete one that is not needed any more, or raise `maxConversations`.",
      });
    }
    const conversation = make();
    this.#conversations.set(conversation.id, conversation);
    return conversation;
  }
}

function summaryOf(conversation: ConversationStore): ConversationPreview {
  const { id, createdAt, updatedAt } = conversation;
  const { messages } = conversation;
  const [first] = messages;
  const preview = contentText(first?.content ?? "")
    .slice(0, PREVIEW_LENGTH)
    .toWellFormed();
  return { id, createdAt, updatedAt, messageCount: messages.length, preview };
}
