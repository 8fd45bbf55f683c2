import type { Platform } from "../../ports/platform.ts";
import { type AgentFile, readAgentFiles } from "../agents/agent-files.ts";
import { fillIn } from "./environment.ts";
import { readLayers, type SettingsLayer } from "./layers.ts";
import { type LayerInForce, mergeLayers } from "./merge.ts";
import { type ResolvedMode, resolveMode, scopeOf } from "./project-scope.ts";
import {
  checkSettings,
  isObject,
  type SettingProblem,
  unknownKeys,
  withoutForeign,
} from "./setting-fields.ts";
import type { ResolvedSettings, Settings, SettingsOptions, SettingsWarning } from "./settings.ts";
import { isTrusted, type TrustedPart, type TrustState } from "./workspace-trust.ts";

export interface LoadSettingsOptions extends SettingsOptions {
  /** Absolute: the workspace. */
  cwd: string;
  signal?: AbortSignal;
}

/** Settings, and the mode that they have sessions begin in. */
export interface LoadedSettings {
  resolved: ResolvedSettings;
  mode: ResolvedMode;
  /** Those of each layer that are in force, the one that counts most first. */
  layers: readonly LayerInForce[];
  /** Files of agents that may be used, the one that counts most first. */
  agents: readonly AgentFile[];
}

/**
 * Reads the settings of the invocation, the workspace and the person, in this order of what counts: the invocation, the
 * project's `.robota/settings.local.json`, `.robota/settings.json` and `.claude/settings.json`, and the person's
 * `~/.robota/settings.json` and `~/.claude/settings.json`. What of a project acts or allows something waits for trust.
 *
 * @throws {ConfigurationError} for a file that can't be read or used: nothing is guessed
 */
export async function loadSettings(
  platform: Pick<Platform, "fs" | "storage" | "home" | "env" | "now">,
  options: LoadSettingsOptions,
): Promise<LoadedSettings> {
  const { cwd, settings, trustWorkspace, signal = new AbortController().signal } = options;
  const warnings: SettingsWarning[] = [];
  const warn = (layer: string, problems: readonly SettingProblem[]): void =>
    void warnings.push(...problems.map((problem) => ({ layer, ...problem })));

  const [read, agents] = await Promise.all([
    readLayers(platform.fs, { cwd, home: platform.home, settings }),
    readAgentFiles(platform.fs, { cwd, home: platform.home }),
  ]);
  for (const { name, problem } of agents)
    if (problem !== undefined) warn(name, [{ setting: "agent", message: problem }]);
  const layers = read.map((layer) => checked(layer, platform, warn));
  const scoped = layers.map((layer) =>
    layer.scope === "project"
      ? { layer, ...scopeOf(layer.values) }
      : { layer, always: layer.values, afterTrust: {}, never: [] },
  );
  for (const { layer, never } of scoped) warn(layer.name, never);
  const parts = scoped.flatMap(({ layer, afterTrust }) => partsOf(layer.name, afterTrust));
  const wish = resolveMode(layers, false).afterTrust;
  if (wish) parts.push({ file: wish.layer, setting: "permissions.defaultMode", value: wish.mode });

  for (const { name, scope, text, definition } of agents)
    if (scope === "project" && definition)
      parts.push({ file: name, setting: "agent", value: text });

  const trust = await isTrusted(platform, { cwd, parts }, trustWorkspace, signal);
  if (trust === "untrusted") {
    for (const { file, setting } of parts)
      warn(file, [{ setting, message: "is not in force: the workspace is not trusted" }]);
  }
  const inForce = scoped.flatMap(({ layer, always, afterTrust }) =>
    [always, ...(trust === "trusted" ? [afterTrust] : [])].map((values) => ({ ...layer, values })),
  );
  const mode = resolveMode(layers, trust === "trusted");
  if (mode.never) warnings.push(mode.never);
  return {
    resolved: resolve(inForce, mode, trust, warnings),
    mode,
    layers: inForce,
    agents: agents.filter(({ scope }) => scope === "user" || trust === "trusted"),
  };
}

function checked(
  layer: SettingsLayer,
  platform: Pick<Platform, "env">,
  warn: (layer: string, problems: readonly SettingProblem[]) => void,
): SettingsLayer {
  const { name, scope, isForeign } = layer;
  const env = scope === "project" ? undefined : (variable: string) => platform.env(variable);
  // Each value comes whole from one layer, so that this gives the same as it would after the merge.
  const { values: filled, problems } = fillIn(layer.values, env);
  const { values, left } = isForeign ? withoutForeign(filled) : { values: filled, left: [] };
  checkSettings(values, name);
  warn(name, [...problems, ...left, ...(isForeign ? [] : unknownKeys(values))]);
  return { ...layer, values };
}

/** What of a layer waits for trust, one part for each thing that a person decides about. */
function partsOf(file: string, values: Record<string, unknown>): TrustedPart[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isObject(value)
      ? Object.entries(value).map(([inner, part]) => ({
          file,
          setting: `${key}.${inner}`,
          value: part,
        }))
      : [{ file, setting: key, value }],
  );
}

function resolve(
  layers: readonly LayerInForce[],
  { mode, layer, setting }: ResolvedMode,
  trust: TrustState,
  warnings: readonly SettingsWarning[],
): ResolvedSettings {
  const { values, sources } = mergeLayers(layers);
  if (mode !== undefined && layer !== undefined && setting !== undefined) {
    const { permissions } = values;
    values["permissions"] = { ...(isObject(permissions) ? permissions : {}), defaultMode: mode };
    sources["permissions.defaultMode"] = layer;
  }
  // Every layer was checked, and merging makes nothing that none of them held.
  return { values: values as Settings, sources, warnings, trust };
}
