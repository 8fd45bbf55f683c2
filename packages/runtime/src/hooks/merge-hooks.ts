import type { HookGroup, HooksConfig } from "./definition.ts";

/** One configuration out of several, the first one's groups first. Nothing replaces anything. */
export function mergeHooks(...configs: readonly (HooksConfig | undefined)[]): HooksConfig {
  const entries = configs.flatMap((config): [string, readonly HookGroup[]][] =>
    Object.entries(config ?? {}),
  );
  const merged = Map.groupBy(entries, ([event]) => event);
  return Object.fromEntries(
    Array.from(merged, ([event, parts]) => [event, parts.flatMap(([, groups]) => groups)]),
  );
}

/** The configuration with the name of its layer on every hook, whatever a hook said of that itself. */
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
