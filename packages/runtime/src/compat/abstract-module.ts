import type { Module, ModuleContext } from "../toolkit/modules/module-registry.ts";

/**
 * Base for modules written as classes: implement `execute`. A subclass's `onInitialize` and `onDispose` are called once
 * for each start, however often a registry asks.
 */
export abstract class AbstractModule<Input = unknown, Output = unknown> implements Module<
  Input,
  Output
> {
  abstract readonly name: string;
  readonly dependencies: readonly string[] = [];
  #ready: Promise<void> | undefined;

  onInitialize?(): Promise<void> | void;
  onDispose?(): Promise<void> | void;

  abstract execute(input: Input, context: ModuleContext): Promise<Output> | Output;

  initialize(): Promise<void> {
    if (this.#ready) return this.#ready;
    const ready = Promise.resolve().then(() => this.onInitialize?.());
    this.#ready = ready;
    // A failed start may succeed next time; the current caller gets its error.
    ready.catch(() => (this.#ready = undefined));
    return ready;
  }

  async dispose(): Promise<void> {
    if (!this.#ready) return;
    this.#ready = undefined;
    await this.onDispose?.();
  }

  isInitialized(): boolean {
    return this.#ready !== undefined;
  }
}
