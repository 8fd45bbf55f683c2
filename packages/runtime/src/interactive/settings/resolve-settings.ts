import { hookWarnings } from "../../hooks/usable-hooks.ts";
import { toolNames } from "../../session/hook-checks.ts";
import type { PermissionLists } from "../../permissions/permission.ts";
import type { Platform } from "../../ports/platform.ts";
import type { AgentFile } from "../agents/agent-files.ts";
import type { InstructionFile } from "../instructions/read-instructions.ts";
import { fillIn } from "./environment.ts";
import { layersOf, type SettingsLayer } from "./layers.ts";
import type { LoadedSettings, LoadSettingsOptions } from "./load-settings.ts";
import { type LayerInForce, mergeLayers } from "./merge.ts";
import { type ResolvedMode, resolveMode, scopeOf } from "./project-scope.ts";
import { checkSettings, unknownKeys, withoutForeign } from "./setting-fields.ts";
import type { SettingsFile } from "./settings-files.ts";
import { isObject, type SettingProblem, type SettingsObject } from "./settings-object.ts";
import type { ResolvedSettings, Settings, SettingsWarning } from "./settings.ts";
import { isTrusted, type TrustedPart, type TrustState } from "./workspace-trust.ts";

/** What was found in a workspace and at its person's home. */
export interface FoundFiles {
  files: readonly SettingsFile[];
  agents: readonly AgentFile[];
  instructions: readonly InstructionFile[];
}

/**
 * Makes one of what was found, as far as it may be in force.
 * @throws {ConfigurationError} for a file that can't be used: nothing is guessed
 */
export async function resolveSettings(
  platform: Pick<Platform, "fs" | "storage" | "env" | "now">,
  options: LoadSettingsOptions,
  { files, agents, instructions }: FoundFiles,
): Promise<LoadedSettings> {
  const { cwd, settings, trustWorkspace, hookTypes } = options;
  const { signal = new AbortController().signal } = options;
  const warnings: SettingsWarning[] = [];
  const warn = (layer: string, problems: readonly SettingProblem[]): void =>
    void warnings.push(...problems.map((problem) => ({ layer, ...problem })));

  for (const { name, problem } of agents)
    if (problem !== undefined) warn(name, [{ setting: "agent", message: problem }]);
  for (const { name, problem } of instructions)
    if (problem !== undefined) warn(name, [{ setting: "instructions", message: problem }]);
  const layers = layersOf(files, settings).map((layer) =>
    checked(layer, { platform, hookTypes, warn }),
  );
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
  for (const { name, scope, text, problem } of instructions)
    if (scope === "project" && problem === undefined)
      parts.push({ file: name, setting: "instructions", value: text });

  const trust = await isTrusted(platform, { cwd, parts }, trustWorkspace, signal);
  if (trust === "untrusted") {
    for (const { file, setting } of parts)
      warn(file, [{ setting, message: "is not in force: the workspace is not trusted" }]);
  }
  const inForce = scoped.flatMap(({ layer, always, afterTrust }) =>
    [always, ...(trust === "trusted" ? [afterTrust] : [])].map((values) => ({ ...layer, values })),
  );
  for (const { name, values } of inForce) {
    warn(name, await idleHooks(values, options));
    warn(name, await surprisingRules(values));
  }
  const mode = resolveMode(layers, trust === "trusted");
  if (mode.never) warnings.push(mode.never);
  return {
    resolved: resolve(inForce, mode, trust, warnings),
    mode,
    layers: inForce,
    files,
    agents: agents.filter(({ scope }) => scope === "user" || trust === "trusted"),
    instructions: instructions.filter(({ scope }) => scope === "user" || trust === "trusted"),
  };
}

function checked(
  layer: SettingsLayer,
  parts: {
    platform: Pick<Platform, "env">;
    hookTypes: readonly string[] | undefined;
    warn: (layer: string, problems: readonly SettingProblem[]) => void;
  },
): SettingsLayer {
  const { name, scope, isForeign } = layer;
  const { platform, hookTypes, warn } = parts;
  const env = scope === "project" ? undefined : (variable: string) => platform.env(variable);
  // Each value comes whole from one layer, so that this gives the same as it would after the merge.
  const { values: filled, problems } = fillIn(layer.values, env);
  const { values, left } = isForeign ? withoutForeign(filled) : { values: filled, left: [] };
  checkSettings(values, name, hookTypes);
  warn(name, [...problems, ...left, ...(isForeign ? [] : unknownKeys(values))]);
  return { ...layer, values };
}

/** Hooks that do nothing, or block all that they guard. */
async function idleHooks(
  { hooks }: SettingsObject,
  { tools, hookTypes }: LoadSettingsOptions,
): Promise<SettingProblem[]> {
  if (hooks === undefined) return [];
  const options = {
    ...(tools && { tools: toolNames(tools) }),
    ...(hookTypes && { types: hookTypes }),
  };
  const warnings = await hookWarnings(hooks, options);
  return warnings.map(({ path, message }) => ({ setting: `hooks.${path}`, message }));
}

/** Rules that do more, or less, than they seem to. */
async function surprisingRules({ permissions }: SettingsObject): Promise<SettingProblem[]> {
  if (!isObject(permissions)) return [];
  const { permissionWarnings } = await import("../../permissions/rule-warnings.ts");
  // Its form was checked with its layer.
  const warnings = permissionWarnings(permissions as PermissionLists);
  return warnings.map(({ rule, kind, message }) => ({
    setting: `permissions.${kind}`,
    message: `${rule}: ${message}`,
  }));
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

/** What layers come to together. */
export function resolve(
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
