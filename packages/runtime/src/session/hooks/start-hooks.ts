import { settledAfterAbort } from "../../providers/wait.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** Tells hooks once that a session begins or goes on, and hands what they add to its first turn. */
export class StartHooks {
  readonly #hooks: SessionHooks;
  readonly #model: string;
  #context: Promise<string | undefined> | undefined;

  constructor(hooks: SessionHooks, model: string) {
    this.#hooks = hooks;
    this.#model = model;
  }

  /** Whether hooks were told. */
  get hasBegun(): boolean {
    return this.#context !== undefined;
  }

  begin(source: "startup" | "resume"): void {
    this.#context ??= this.#run(source);
    // Whoever takes it gets the failure.
    this.#context.catch(() => undefined);
  }

  /** What hooks have said, once. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    const context = this.#context;
    this.#context = Promise.resolve(undefined);
    return context && (await settledAfterAbort(context, signal, 0))?.value;
  }

  async #run(source: "startup" | "resume"): Promise<string | undefined> {
    const outcome = await this.#hooks.run("SessionStart", { source, model: this.#model });
    return outcome?.additionalContext;
  }
}
