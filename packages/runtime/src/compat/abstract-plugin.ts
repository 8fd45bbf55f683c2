import type { Plugin, PluginCategory, PluginPriority } from "../plugins/plugin.ts";

const HOOKS = [
  "beforeRun",
  "afterRun",
  "onRefused",
  "onError",
  "onStreamChunk",
  "beforeToolExecution",
  "afterToolExecution",
] as const;
type Hook = (typeof HOOKS)[number];

/** The hooks that a subclass may have, as methods. */
export type PluginHooks = Pick<Plugin, Hook>;

export interface PluginStats {
  enabled: boolean;
  /** How often each hook was called while the plugin was enabled. */
  calls: Readonly<Record<Hook, number>>;
  /** How many of these calls threw or rejected. */
  errors: number;
}

/**
 * Base for plugins written as classes: name it, and write the hooks that it needs as methods. While it is disabled none
 * of them is called, and `stats` tells how often they were.
 */
export abstract class AbstractPlugin implements Plugin {
  abstract readonly name: string;
  readonly category: PluginCategory = "custom";
  readonly priority: PluginPriority | number = "normal";
  #isEnabled = true;
  #errors = 0;
  readonly #calls = Object.fromEntries(HOOKS.map((hook) => [hook, 0])) as Record<Hook, number>;

  constructor() {
    // An agent calls the hooks of an object by their names, so they are counted in front of the subclass's methods.
    const methods = this as PluginHooks;
    for (const hook of HOOKS) {
      const method = methods[hook];
      if (method) Object.defineProperty(this, hook, { value: this.#counted(hook, method) });
    }
  }

  enable(): void {
    this.#isEnabled = true;
  }

  disable(): void {
    this.#isEnabled = false;
  }

  isEnabled(): boolean {
    return this.#isEnabled;
  }

  getStats(): PluginStats {
    return { enabled: this.#isEnabled, calls: { ...this.#calls }, errors: this.#errors };
  }

  #counted(hook: Hook, method: (...args: never[]) => unknown) {
    return (...args: never[]): unknown => {
      if (!this.#isEnabled) return undefined;
      this.#calls[hook] += 1;
      try {
        const result = method.apply(this, args);
        if (!(result instanceof Promise)) return result;
        return result.catch((error: unknown) => this.#fail(error));
      } catch (error) {
        return this.#fail(error);
      }
    };
  }

  #fail(error: unknown): never {
    this.#errors += 1;
    throw error;
  }
}
