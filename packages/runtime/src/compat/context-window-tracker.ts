import { getModelContextWindow, type ModelDefinition } from "../context/models.ts";
import { type ContextWindowState, ContextTracker } from "../context/tracker.ts";
import type { Message } from "../messages/message.ts";
import { requireThreshold } from "../session/turn/compact-threshold.ts";

export interface ContextWindowTrackerOptions {
  /** Says how large the window is, by the catalog and `models`. */
  model?: string;
  /** Tokens; counts before the model's. */
  contextWindow?: number;
  /** Models of one's own, looked at before the catalog. */
  models?: readonly ModelDefinition[];
  /** Share of the window above which a compaction is due, or `false`; 0.835 when omitted. */
  autoCompactThreshold?: number | false;
}

/** Follows how full the window is that a history goes to, as a session does for its own. */
export class ContextWindowTracker {
  readonly #maxTokens: number;
  #tracker: ContextTracker;
  #threshold: number | false;

  /** @throws {ValidationError} for a threshold that is none */
  constructor(options: ContextWindowTrackerOptions = {}) {
    const { model = "", contextWindow, models, autoCompactThreshold } = options;
    this.#maxTokens = contextWindow ?? getModelContextWindow(model, models);
    this.#tracker = new ContextTracker(this.#maxTokens);
    this.#threshold = requireThreshold(autoCompactThreshold);
  }

  /** Counts a history anew: what providers counted for it up to their last answer, and by characters what came after. */
  updateFromHistory(history: readonly Message[]): ContextWindowState {
    this.#tracker = new ContextTracker(this.#maxTokens);
    for (const message of history) this.#tracker.add(message);
    return this.getContextState();
  }

  getContextState(): ContextWindowState {
    return this.#tracker.state;
  }

  /** Whether the window is fuller than the threshold. */
  shouldAutoCompact(): boolean {
    return this.#threshold !== false && this.#tracker.isOver(this.#threshold);
  }

  getAutoCompactThreshold(): number | false {
    return this.#threshold;
  }

  /** @throws {ValidationError} for a threshold that is none */
  setAutoCompactThreshold(threshold: number | false): void {
    this.#threshold = requireThreshold(threshold);
  }

  /** For a history that was emptied. */
  reset(): void {
    this.updateFromHistory([]);
  }
}
