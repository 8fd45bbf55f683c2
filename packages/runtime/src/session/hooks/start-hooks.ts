import { settledAfterAbort } from "../../providers/wait.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** Notifies hooks once that a session begins or resumes, and passes their context to its first turn. */
export class StartHooks {
  readonly #hooks: SessionHooks;
  readonly #model: () => string;
  #context: Promise<string | undefined> | undefined;

  constructor(hooks: SessionHooks, model: () => string) {
    this.#hooks = hooks;
    this.#model = model;
  }

  /** True when hooks were notified. */
  get hasBegun(): boolean {
    return this.#context !== undefined;
  }

  begin(source: "startup" | "resume"): void {
    this.#context ??= this.#run(source);
    // The consumer gets the failure.
    this.#context.catch(() => undefined);
  }

  /** Returns the hooks' context, once. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    const context = this.#context;
    this.#context = Promise.resolve(undefined);
    return context && (await settledAfterAbort(context, signal, 0))?.value;
  }

  async #run(source: "startup" | "resume"): Promise<string | undefined> {
    const outcome = await this.#hooks.run("SessionStart", { source, model: this.#model() });
    return outcome?.additionalContext;
  }
}
