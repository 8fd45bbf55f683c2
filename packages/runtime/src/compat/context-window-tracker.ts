import { getModelContextWindow, type ModelDefinition } from "../context/models.ts";
import { type ContextWindowState, ContextTracker } from "../context/tracker.ts";
import type { Message } from "../messages/message.ts";
import { requireThreshold } from "../session/option-checks.ts";

export interface ContextWindowTrackerOptions {
  /** Says how large the window is, by the catalog and `models`. */
  model?: string | undefined;
  /** Tokens; counts before the model's. */
  contextWindow?: number | undefined;
  /** Additional models, searched before the catalog. */
  models?: readonly ModelDefinition[] | undefined;
  /** Share of the window above which a compaction is due, or `false`; 0.835 when omitted. */
  autoCompactThreshold?: number | false | undefined;
}

/** Follows how full the window is that a history goes to, as a session does for its own. */
export class ContextWindowTracker {
  readonly #maxTokens: number;
  #tracker: ContextTracker;
  #threshold: number | false;

  /** @throws {ValidationError} for an invalid threshold */
  constructor(options: ContextWindowTrackerOptions = {}) {
    const { model = "", contextWindow, models, autoCompactThreshold } = options;
    this.#maxTokens = contextWindow ?? getModelContextWindow(model, models);
    this.#tracker = new ContextTracker(this.#maxTokens);
    this.#threshold = requireThreshold(autoCompactThreshold);
  }

  /** Recounts a history: the provider's count up to its last answer, an estimate by characters for the rest. */
  updateFromHistory(history: readonly Message[]): ContextWindowState {
    this.#tracker = new ContextTracker(this.#maxTokens);
    for (const message of history) this.#tracker.add(message);
    return this.getContextState();
  }

  getContextState(): ContextWindowState {
    return this.#tracker.state;
  }

  /** True when the window is fuller than the threshold. */
  shouldAutoCompact(): boolean {
    return this.#threshold !== false && this.#tracker.isOver(this.#threshold);
  }

  getAutoCompactThreshold(): number | false {
    return this.#threshold;
  }

  /** @throws {ValidationError} for an invalid threshold */
  setAutoCompactThreshold(threshold: number | false): void {
    this.#threshold = requireThreshold(threshold);
  }

  /** Starts over with an empty history. */
  reset(): void {
    this.updateFromHistory([]);
  }
}
