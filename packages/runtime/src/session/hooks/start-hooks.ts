import { settledAfterAbort } from "../../abort.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionHooks } from "./session-hooks.ts";

export interface StartHookParts {
  readonly hooks: SessionHooks;
  readonly options: Pick<SessionOptions, "provider">;
}

/** Notifies hooks once that a session begins or resumes, and passes their context to its first turn. */
export class StartHooks {
  readonly #parts: StartHookParts;
  #hasBegun = false;
  /** Until the first turn takes it. */
  #context: Promise<string | undefined> | undefined;

  constructor(parts: StartHookParts) {
    this.#parts = parts;
  }

  /** True when hooks were notified. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  begin(source: "startup" | "resume"): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (!this.#parts.hooks.has("SessionStart")) return;
    this.#context = this.#run(source);
    // The consumer gets the failure.
    this.#context.catch(() => undefined);
  }

  /** Returns the hooks' context, once. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    const context = this.#context;
    this.#context = undefined;
    return context && (await settledAfterAbort(context, signal, 0))?.value;
  }

  async #run(source: "startup" | "resume"): Promise<string | undefined> {
    const { hooks, options } = this.#parts;
    const { model } = options.provider;
    const outcome = await hooks.run("SessionStart", { source, model });
    return outcome?.additionalContext;
  }
}
