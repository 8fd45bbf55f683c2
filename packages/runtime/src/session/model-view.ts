import { getModelContextWindow } from "../context/models.ts";
import { ContextTracker, type SavedTracker, toolCharacters } from "../context/tracker.ts";
import type { Message } from "../messages/message.ts";
import { createRequestView, type RequestView } from "../messages/project.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionOptions } from "./options.ts";
import type { SessionState } from "./state.ts";

/** A session's state together with what follows from it for the model: the request it makes, and how full the window is. */
export class ModelView {
  readonly tracker: ContextTracker;
  readonly #state: SessionState;
  readonly #now: () => number;
  #requests: RequestView;

  constructor(
    state: SessionState,
    options: Pick<SessionOptions, "provider" | "tools" | "contextWindow">,
    now: () => number,
  ) {
    const { provider, tools, contextWindow = getModelContextWindow(provider.model) } = options;
    this.#state = state;
    this.#now = now;
    this.#requests = this.#createRequests();
    this.tracker = new ContextTracker(contextWindow, {
      system: state.systemMessage.length,
      tools: toolCharacters(tools),
    });
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
    else for (const message of messages.slice(count)) this.tracker.add(message);
  }

  #createRequests(): RequestView {
    return createRequestView(this.#state.systemMessage, new Date(this.#now()));
  }
}
