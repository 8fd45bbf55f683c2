import { SessionError } from "../../errors.ts";
import { type AssistantMessage, type Content, contentText } from "../../messages/message.ts";
import { createRequestView, type RequestView } from "../../messages/project.ts";
import type { ChatOptions, Provider } from "../../providers/provider.ts";
import { ConversationHistory } from "./conversation-history.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { callProvider, ProviderCallFailure } from "../../agent/provider-call.ts";

export interface ConversationServiceOptions {
  provider: Provider;
  /** Store of the conversations; by default a new one in memory. */
  history?: ConversationHistory | undefined;
  systemMessage?: string | undefined;
  /** Options of every call. */
  chatOptions?: ChatOptions | undefined;
  /** Milliseconds without any progress after which a call fails; 0 (default) for no limit. */
  timeout?: number | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

export interface SendOptions {
  signal?: AbortSignal | undefined;
  onTextDelta?(delta: string): void;
}

/**
 * Talks with a model in several concurrent conversations, without tools; for tools, use `Robota`. `history` has the
 * messages, also after an interrupted or failed answer.
 */
export class ConversationService {
  readonly history: ConversationHistory;
  readonly #options: ConversationServiceOptions;
  readonly #running = new Set<string>();
  /** The provider's view of each conversation, so that a turn pays only for new messages. */
  readonly #views = new WeakMap<ConversationStore, RequestView>();

  constructor(options: ConversationServiceOptions) {
    this.#options = options;
    const { history, now, randomUUID } = options;
    this.history = history ?? new ConversationHistory({ now, randomUUID });
  }

  /** Begins a conversation and resolves to its id. @throws as `ConversationHistory.create` */
  begin(id?: string): string {
    return this.history.create(id).id;
  }

  /**
   * Sends a message in a conversation, and resolves to the answer. After an abort, it is the received part,
   * `interrupted`, or `undefined` without any.
   * @throws {SessionError} `SESSION_BUSY` while this conversation waits for another answer
   * @throws {ProviderError} of the provider; received text is kept
   */
  async send(
    conversationId: string,
    input: Content,
    options: SendOptions = {},
  ): Promise<AssistantMessage | undefined> {
    const conversation = this.history.lookup(conversationId);
    if (this.#running.has(conversationId)) {
      throw new SessionError("SESSION_BUSY", "This conversation waits for an answer", {
        hint: "Wait for it, or use another conversation: they don't wait for each other.",
      });
    }
    const {
      provider,
      systemMessage = "",
      chatOptions = {},
      timeout = 0,
      now = Date.now,
      randomUUID = () => crypto.randomUUID(),
    } = this.#options;
    this.#running.add(conversationId);
    try {
      const timestamp = new Date(now());
      conversation.addMessage({ role: "user", id: randomUUID(), timestamp, content: input });
      let view = this.#views.get(conversation);
      if (!view) {
        view = createRequestView(systemMessage, conversation.createdAt);
        this.#views.set(conversation, view);
      }
      const answer = await callProvider({
        provider,
        messages: view.update(conversation.messages),
        options: chatOptions,
        signal: options.signal ?? new AbortController().signal,
        idleTimeoutMs: timeout,
        messageId: randomUUID(),
        now,
        onEvent: (event) => {
          if (event.type !== "text_delta") return;
          conversation.appendText(event.delta);
          options.onTextDelta?.(event.delta);
        },
      });
      const isNothing = answer.state === "interrupted" && contentText(answer.content) === "";
      return isNothing ? undefined : conversation.commitAssistant(answer.state, answer);
    } catch (failure) {
      if (!(failure instanceof ProviderCallFailure)) throw failure;
      conversation.commitAssistant("interrupted", failure.partial);
      throw failure.cause;
    } finally {
      this.#running.delete(conversationId);
    }
  }
}
