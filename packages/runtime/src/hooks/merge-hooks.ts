import type { HookGroup, HooksConfig } from "./definition.ts";

/** Concatenates configurations in order. Nothing is replaced. */
export function mergeHooks(...configs: readonly (HooksConfig | undefined)[]): HooksConfig {
  const entries = configs.flatMap((config): [string, readonly HookGroup[]][] =>
    Object.entries(config ?? {}),
  );
  const merged = Map.groupBy(entries, ([event]) => event);
  return Object.fromEntries(
    Array.from(merged, ([event, parts]) => [event, parts.flatMap(([, groups]) => groups)]),
  );
}

/** The configuration with its layer's name on every hook, replacing any name the hook claims. */
export function hooksOfLayer(layer: string, config: HooksConfig): HooksConfig {
  return Object.fromEntries(
    Object.entries(config).map(([event, groups]) => [
      event,
      groups.map((group) => ({
        ...group,
        hooks: group.hooks.map((hook) => ({ ...hook, layer })),
      })),
    ]),
  );
}
