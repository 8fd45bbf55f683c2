import { hooksOfLayer, mergeHooks } from "../../hooks/merge-hooks.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import type { SettingsScope } from "./settings.ts";

/** A layer's parts in force. */
export interface LayerInForce {
  name: string;
  scope: SettingsScope;
  values: SettingsObject;
  /** True for the parts of an installed bundle, which a person can take out of force. */
  isBundle?: boolean;
}

export interface MergedSettings {
  values: SettingsObject;
  sources: Record<string, string>;
}

/** Lists whose entries accumulate over all layers. */
const LISTS = new Set(["permissions.allow", "permissions.ask", "permissions.deny", "skills"]);

/**
 * Merges all layers, in order of precedence. Objects are merged key by key, rules and hooks of all layers accumulate,
 * and of anything else the first layer's value counts.
 */
export function mergeLayers(layers: readonly LayerInForce[]): MergedSettings {
  const merged: MergedSettings = { values: {}, sources: {} };
  for (const { name, values } of layers) {
    const { hooks: _, mcpServers: __, readOnlyCommands: ___, ...others } = values;
    mergeInto(merged.values, others, [], name, merged.sources);
  }
  mergeStrictest(merged, layers);
  mergeServers(merged, layers);
  mergeAllHooks(merged, layers);
  return merged;
}

function mergeInto(
  target: SettingsObject,
  source: SettingsObject,
  path: readonly string[],
  layer: string,
  sources: Record<string, string>,
): void {
  for (const [key, value] of Object.entries(source)) {
    const place = [...path, key];
    const setting = place.join(".");
    const present = target[key];
    if (LISTS.has(setting) && Array.isArray(value)) {
      const list: unknown[] = Array.isArray(present) ? present : [];
      for (const item of value.filter((one: unknown) => !list.includes(one))) {
        sources[`${setting}.${list.length}`] = layer;
        list.push(item);
      }
      target[key] = list;
    } else if (isObject(value) && (present === undefined || isObject(present))) {
      const inner = isObject(present) ? present : {};
      target[key] = inner;
      mergeInto(inner, value, place, layer, sources);
    } else if (present === undefined) {
      target[key] = value;
      sources[setting] = layer;
    }
  }
}

/** Read-only commands ask as soon as one layer requires it. */
function mergeStrictest(
  { values, sources }: MergedSettings,
  layers: readonly LayerInForce[],
): void {
  const saying = layers.filter((layer) => layer.values["readOnlyCommands"] !== undefined);
  const strict = saying.find((layer) => layer.values["readOnlyCommands"] === false);
  const deciding = strict ?? saying[0];
  if (!deciding) return;
  values["readOnlyCommands"] = deciding.values["readOnlyCommands"];
  sources["readOnlyCommands"] = deciding.name;
}

/**
 * A server is atomic: an address of one layer never gets the key of another. A person's own server takes precedence
 * over a project's of the same name.
 */
function mergeServers({ values, sources }: MergedSettings, layers: readonly LayerInForce[]): void {
  const servers: SettingsObject = {};
  const own = layers.filter(({ scope }) => scope !== "project");
  const others = layers.filter(({ scope }) => scope === "project");
  for (const { name: layer, values: from } of [...own, ...others]) {
    const { mcpServers } = from;
    if (!isObject(mcpServers)) continue;
    for (const [name, server] of Object.entries(mcpServers)) {
      if (Object.hasOwn(servers, name)) continue;
      servers[name] = server;
      sources[`mcpServers.${name}`] = layer;
    }
  }
  if (Object.keys(servers).length > 0) values["mcpServers"] = servers;
}

function mergeAllHooks({ values, sources }: MergedSettings, layers: readonly LayerInForce[]): void {
  const counts = new Map<string, number>();
  const configs = layers.flatMap(({ name, values: { hooks } }) => {
    if (!isObject(hooks)) return [];
    // Validated with its layer.
    const config = hooks as HooksConfig;
    for (const [event, groups] of Object.entries(config)) {
      const count = counts.get(event) ?? 0;
      groups.forEach((_, index) => (sources[`hooks.${event}.${count + index}`] = name));
      counts.set(event, count + groups.length);
    }
    return [hooksOfLayer(name, config)];
  });
  if (configs.length > 0) values["hooks"] = mergeHooks(...configs);
}
