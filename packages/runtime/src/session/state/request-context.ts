import { getModelContextWindow } from "../../context/models.ts";
import {
  type ContextOverhead,
  ContextTracker,
  type SavedTracker,
  toolCharacters,
} from "../../context/tracker.ts";
import type { Message } from "../../messages/message.ts";
import { createRequestView, type RequestView } from "../../messages/project.ts";
import type { SessionEvent } from "../log/events.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "./state.ts";

type ViewOptions = Pick<SessionOptions, "provider" | "tools" | "contextWindow" | "models">;

/** Messages that are looked at again in no time. */
const SHORT = 50;

/** A session's state and its consequences for the model: the next request, and the usage of the window. */
export class RequestContext {
  readonly tracker: ContextTracker;
  readonly #state: SessionState;
  readonly #now: () => number;
  /** Length of the tools' descriptions, in characters. */
  #tools: number;
  /** Absent until it is asked for, and between turns while it is short. */
  #requests: RequestView | undefined;

  constructor(state: SessionState, options: ViewOptions, now: () => number) {
    const { provider, tools, models } = options;
    const { contextWindow = getModelContextWindow(provider.model, models) } = options;
    this.#state = state;
    this.#now = now;
    this.#tools = toolCharacters(tools);
    this.tracker = new ContextTracker(contextWindow, this.#overhead());
  }

  /** Restarts with another system message or other tools, before the first message. */
  begin({ tools }: Pick<SessionOptions, "tools">): void {
    this.#tools = toolCharacters(tools);
    this.#begin();
  }

  /** Continues from a saved count, once the state is restored. */
  restore(tracker: SavedTracker): void {
    this.#begin();
    this.tracker.restore(tracker);
  }

  get requests(): RequestView {
    return (this.#requests ??= this.#createRequests());
  }

  /** The conversation as sent to the model. */
  messages(): readonly Message[] {
    return this.requests.update(this.#state.messages);
  }

  /** Applies an event to the state, and counts its tokens. */
  apply(event: SessionEvent): void {
    this.#state.prepare(event);
    const before = this.#state.latestMessages;
    const count = before.length;
    this.#state.apply(event);
    const messages = this.#state.latestMessages;
    // A stored session keeps its original system message.
    if (event.type === "session_init" || event.type === "language_change") this.#begin();
    if (event.type === "model_change" && event.systemMessage !== undefined) this.#begin();
    if (event.type === "turn_end" && messages.length <= SHORT) this.#requests = undefined;
    if (messages !== before) this.tracker.reset(messages);
    else
      for (let at = count; at < messages.length; at += 1) this.tracker.add(messages[at] as Message);
  }

  #begin(): void {
    this.#requests = undefined;
    this.tracker.begin(this.#overhead());
  }

  #overhead(): ContextOverhead {
    return {
      system: this.#state.systemMessage.length,
      tools: this.#tools,
      memory: this.#state.projectInstructions.length,
    };
  }

  #createRequests(): RequestView {
    return createRequestView(this.#state.systemPrompt, new Date(this.#now()));
  }
}
