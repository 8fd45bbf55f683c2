import { settledAfterAbort } from "../../abort.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionHooks } from "./session-hooks.ts";

export interface StartHookParts {
  readonly hooks: SessionHooks;
  readonly options: Pick<SessionOptions, "provider">;
}

/** Replaces the context that the first turn has taken. */
const TAKEN = Promise.resolve(undefined);

/** Notifies hooks once that a session begins or resumes, and passes their context to its first turn. */
export class StartHooks {
  readonly #parts: StartHookParts;
  #context: Promise<string | undefined> | undefined;

  constructor(parts: StartHookParts) {
    this.#parts = parts;
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
    this.#context = TAKEN;
    return context && (await settledAfterAbort(context, signal, 0))?.value;
  }

  async #run(source: "startup" | "resume"): Promise<string | undefined> {
    const { hooks, options } = this.#parts;
    const { model } = options.provider;
    const outcome = await hooks.run("SessionStart", { source, model });
    return outcome?.additionalContext;
  }
}
