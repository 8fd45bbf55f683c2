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

/** A session's state together with what follows from it for the model: the request it makes, and how full the window is. */
export class RequestContext {
  readonly tracker: ContextTracker;
  readonly #state: SessionState;
  readonly #now: () => number;
  /** Of their descriptions, in characters. */
  #tools: number;
  #requests: RequestView;

  constructor(state: SessionState, options: ViewOptions, now: () => number) {
    const { provider, tools, models } = options;
    const { contextWindow = getModelContextWindow(provider.model, models) } = options;
    this.#state = state;
    this.#now = now;
    this.#tools = toolCharacters(tools);
    this.#requests = this.#createRequests();
    this.tracker = new ContextTracker(contextWindow, this.#overhead());
  }

  /** Begins anew with another system message or other tools, before anything was said. */
  begin({ tools }: Pick<SessionOptions, "tools">): void {
    this.#tools = toolCharacters(tools);
    this.#begin();
  }

  /** Goes on from what was counted, once the state is what it was then. */
  restore(tracker: SavedTracker): void {
    this.#begin();
    this.tracker.restore(tracker);
  }

  get requests(): RequestView {
    return this.#requests;
  }

  /** The conversation as it is sent. */
  messages(): readonly Message[] {
    return this.#requests.update(this.#state.messages);
  }

  /** Lets an event change the state, and counts what it adds. */
  apply(event: SessionEvent): void {
    this.#state.prepare(event);
    const before = this.#state.latestMessages;
    const count = before.length;
    this.#state.apply(event);
    const messages = this.#state.latestMessages;
    // A stored session has the system message that it began with.
    if (event.type === "session_init") this.#begin();
    if (messages !== before) this.tracker.reset(messages);
    else
      for (let at = count; at < messages.length; at += 1) this.tracker.add(messages[at] as Message);
  }

  #begin(): void {
    this.#requests = this.#createRequests();
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
