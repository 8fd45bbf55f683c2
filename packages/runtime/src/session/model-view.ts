import { getModelContextWindow } from "../context/models.ts";
import { ContextTracker, type SavedTracker, toolCharacters } from "../context/tracker.ts";
import type { Message } from "../messages/message.ts";
import { createRequestView, type RequestView } from "../messages/project.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionOptions } from "./options.ts";
import type { SessionState } from "./state.ts";

type ViewOptions = Pick<SessionOptions, "provider" | "tools" | "contextWindow">;

/** A session's state together with what follows from it for the model: the request it makes, and how full the window is. */
export class ModelView {
  #tracker: ContextTracker;
  readonly #state: SessionState;
  readonly #now: () => number;
  #requests: RequestView;

  constructor(state: SessionState, options: ViewOptions, now: () => number) {
    this.#state = state;
    this.#now = now;
    this.#requests = this.#createRequests();
    this.#tracker = this.#createTracker(options);
  }

  /** Begins anew with another system message or other tools, before anything was said. */
  begin(options: ViewOptions): void {
    this.#requests = this.#createRequests();
    this.#tracker = this.#createTracker(options);
  }

  get tracker(): ContextTracker {
    return this.#tracker;
  }

  /** Goes on from what was counted, once the state is what it was then. */
  restore(tracker: SavedTracker): void {
    this.#requests = this.#createRequests();
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
    if (event.type === "session_init") this.#requests = this.#createRequests();
    if (messages !== before) this.tracker.reset(messages);
    else
      for (let at = count; at < messages.length; at += 1) this.tracker.add(messages[at] as Message);
  }

  #createTracker(options: ViewOptions): ContextTracker {
    const { provider, tools, contextWindow = getModelContextWindow(provider.model) } = options;
    return new ContextTracker(contextWindow, {
      system: this.#state.systemMessage.length,
      tools: toolCharacters(tools),
    });
  }

  #createRequests(): RequestView {
    return createRequestView(this.#state.systemMessage, new Date(this.#now()));
  }
}
