import type { Plugin, PluginCategory, PluginPriority } from "../plugins/plugin.ts";

const HOOKS = [
  "beforeRun",
  "afterRun",
  "onRefused",
  "onError",
  "onStreamChunk",
  "beforeToolExecution",
  "onToolStart",
  "afterToolExecution",
] as const;
type Hook = (typeof HOOKS)[number];

/** The hooks that a subclass may have, as methods or as fields that hold functions. */
export type PluginHooks = Pick<Plugin, Hook>;

export interface PluginStats {
  enabled: boolean;
  /** Calls of each hook while the plugin was enabled. */
  calls: Readonly<Record<Hook, number>>;
  /** Calls that threw or rejected. */
  errors: number;
}

/**
 * Base for plugins written as classes: give it a name and implement the hooks it needs. A disabled plugin gets no
 * calls; `getStats` counts them.
 */
export abstract class AbstractPlugin implements Plugin {
  abstract readonly name: string;
  readonly category: PluginCategory = "custom";
  readonly priority: PluginPriority | number = "normal";
  #isEnabled = true;
  #errors = 0;
  readonly #calls = Object.fromEntries(HOOKS.map((hook) => [hook, 0])) as Record<Hook, number>;

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

  /** An agent calls every hook through here, however the subclass has written it. */
  callHook<Answer>(hook: string, work: () => Answer): Answer | undefined {
    if (!isHook(hook)) return work();
    if (!this.#isEnabled) return undefined;
    this.#calls[hook] += 1;
    try {
      const answer = work();
      // The caller gets the rejection.
      if (answer instanceof Promise) answer.catch(() => (this.#errors += 1));
      return answer;
    } catch (error) {
      this.#errors += 1;
      throw error;
    }
  }
}

function isHook(name: string): name is Hook {
  return (HOOKS as readonly string[]).includes(name);
}
