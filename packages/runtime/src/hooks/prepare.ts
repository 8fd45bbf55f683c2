import { DEFAULT_HOOK_TIMEOUT, type HookDefinition } from "./definition.ts";
import type { HookEvent } from "./events.ts";
import { hookLabel } from "./label.ts";
import { type PreparedMatcher, prepareMatcher } from "./matcher.ts";
import { type LocatedHook, readHooks } from "./read-hooks.ts";

/** One hook, ready to run; an unusable one has a `problem` instead of a `hook`. */
export interface PreparedHook {
  hook?: HookDefinition;
  problem?: string;
  label: string;
  matcher: string;
  layer?: string | undefined;
  onFailure: "block" | "warn";
  timeoutMs: number;
  /** The same for hooks that would do the same. */
  key: string | object;
}

interface PreparedGroup {
  matcher: PreparedMatcher;
  /** The matcher as written. */
  text: string;
  hooks: readonly PreparedHook[];
}

/** The hooks of a configuration by event, with their matchers read. */
export class PreparedHooks {
  readonly #groups: ReadonlyMap<HookEvent, readonly PreparedGroup[]>;
  /** Problems of the configuration that belong to no hook that could report them. */
  readonly #problems: readonly string[];

  /** `types`: hook types with custom executors. */
  constructor(config: unknown, types: Iterable<string> = []) {
    const { groups, problems } = readHooks(config, { types });
    const prepared = Array.from(groups, ([event, read]) => {
      const usable = read.filter(({ hooks }) => hooks.length > 0);
      return [
        event,
        usable.map(({ matcher, hooks }) => ({
          matcher: prepareMatcher(matcher),
          text: matcher,
          hooks: hooks.map((hook) => prepareHook(hook, matcher)),
        })),
      ] as const;
    });
    this.#groups = new Map(prepared.filter(([, list]) => list.length > 0));
    this.#problems = problems
      .filter(({ path }) => !path.includes(".hooks["))
      .map(({ path, message }) => `hooks: ${path} ${message}`);
  }

  /** True when something must run or be reported at the event, including errors in its configuration. */
  has(event: HookEvent, text?: string): boolean {
    const groups = this.#groups.get(event);
    if (!groups) return this.#problems.length > 0;
    if (text === undefined || this.#problems.length > 0) return true;
    for (const { matcher } of groups) if (matcher.known(text) !== false) return true;
    return false;
  }

  /** The hooks for a text in their order, without duplicates. */
  async select(
    event: HookEvent,
    text: string | undefined,
  ): Promise<{ hooks: PreparedHook[]; warnings: string[] }> {
    const selected = new Map<string | object, PreparedHook>();
    const warnings = [...this.#problems];
    for (const { matcher, text: written, hooks } of this.#groups.get(event) ?? []) {
      const loaded = text === undefined ? undefined : (matcher.loaded ?? (await matcher.load()));
      if (loaded?.problem !== undefined) {
        const problem = `The matcher ${JSON.stringify(written)} can't be read: ${loaded.problem}`;
        const guards = hooks.filter(({ onFailure }) => onFailure === "block");
        // The scope of an unreadable guard is unknown, so it guards everything; other hooks wait for the mistake to be
        // fixed.
        for (const guard of guards) selected.set(guard, broken(guard, problem));
        if (guards.length < hooks.length) warnings.push(problem);
        continue;
      }
      if (loaded && text !== undefined && !loaded.matches(text)) continue;
      for (const hook of hooks) {
        const same = selected.get(hook.key);
        selected.set(hook.key, same ? stricter(same, hook) : hook);
      }
    }
    return { hooks: [...selected.values()], warnings };
  }
}

function prepareHook(
  { hook, onFailure, problems, path }: LocatedHook,
  matcher: string,
): PreparedHook {
  if (!hook) {
    const list = problems.map(({ field, message }) => `${field} ${message}`.trim()).join(", ");
    const problem = `can't be used: ${list}`;
    return { problem, label: path, matcher, onFailure, timeoutMs: 0, key: path };
  }
  return {
    hook,
    label: hookLabel(hook),
    matcher,
    layer: hook.layer,
    onFailure,
    timeoutMs: (hook.timeout ?? DEFAULT_HOOK_TIMEOUT) * 1000,
    key: sameness(hook),
  };
}

/** A blocking stand-in for an unusable guard. */
function broken(
  { label, matcher, layer, onFailure, key }: PreparedHook,
  why: string,
): PreparedHook {
  const problem = `can't be used: ${why}`;
  return {
    problem,
    label,
    matcher,
    layer,
    onFailure,
    timeoutMs: 0,
    key,
  };
}

function sameness(hook: HookDefinition): string | object {
  switch (hook.type) {
    case "command":
      return `command ${hook.command}`;
    case "http":
      return `http ${JSON.stringify([hook.url, hook.method ?? "POST", hook.headers ?? {}])}`;
    case "prompt":
      return `prompt ${JSON.stringify([hook.prompt, hook.judge ?? false])}`;
    case "agent":
      return `agent ${JSON.stringify([hook.agent, hook.config ?? {}])}`;
    case "function":
      return hook.run;
    default:
      return hook;
  }
}

/** The stricter of two equal hooks: no layer can remove another one's guard, or cut its timeout. */
function stricter(first: PreparedHook, second: PreparedHook): PreparedHook {
  return {
    ...first,
    onFailure: first.onFailure === "block" ? "block" : second.onFailure,
    timeoutMs: Math.max(first.timeoutMs, second.timeoutMs),
  };
}
