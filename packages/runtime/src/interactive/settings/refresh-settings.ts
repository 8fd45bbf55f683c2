import { findBundles, isSameBundles } from "../bundles/find-bundles.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import {
  type LoadedSettings,
  loadSettings,
  type LoadSettingsOptions,
  type SettingsPlatform,
} from "./load-settings.ts";
import type { LayerInForce } from "./merge.ts";
import { settingsPlaces } from "./places.ts";
import { resolve } from "./resolve-settings.ts";
import { readSettingsFiles, type SettingsFile } from "./settings-files.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import { rememberedTrust } from "./workspace-trust.ts";

/**
 * Reloads the settings of an open session when a settings file, an installed bundle or the trust in the workspace has
 * changed; `undefined` otherwise. Former deny rules, ask rules and hooks of a layer stay in force beside its new content:
 * changing or removing a file never makes an open session laxer. Those of a workspace go with the trust in it, but for what
 * only restricts.
 * @param isRevoked true when a person has taken trust back in this session
 * @throws {ConfigurationError} for an unreadable or invalid file
 */
export async function refreshSettings(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
  before: LoadedSettings,
  isRevoked = false,
): Promise<LoadedSettings | undefined> {
  const files = await readSettingsFiles(platform.fs, await settingsPlaces(platform, options.cwd));
  const bundles = await findBundles(platform, options.cwd);
  const trust = await trustChange(platform, options, before);
  const isUnchanged =
    isSame(files, before.files) && isSameBundles(bundles, before.foundBundles) && !trust;
  if (isUnchanged && !isRevoked) return undefined;
  const loaded = await loadSettings(platform, options, before);
  const isTakenBack = isRevoked || trust === "revoked";
  const settings = before.layers.filter(
    ({ isBundle, scope }) => !isBundle && !(isTakenBack && scope === "project"),
  );
  const kept = settings.flatMap((layer) => restrictionsLost(layer, loaded.layers));
  const layers = [...loaded.layers, ...kept];
  const { trust: state, warnings } = loaded.resolved;
  return { ...loaded, layers, resolved: resolve(layers, loaded.mode, state, warnings) };
}

/** A yes to the workspace that a person has given or taken back since, here or elsewhere. */
async function trustChange(
  platform: SettingsPlatform,
  { cwd, trustWorkspace }: LoadSettingsOptions,
  { resolved, remembered }: LoadedSettings,
): Promise<"granted" | "revoked" | undefined> {
  if (resolved.trust === "not-needed" || typeof trustWorkspace === "boolean") return undefined;
  const now = (await rememberedTrust(platform, cwd))?.digest;
  if (now === remembered) return undefined;
  return now === undefined ? "revoked" : "granted";
}

function isSame(some: readonly SettingsFile[], others: readonly SettingsFile[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, scope, bytes }, index) => {
      const other = others[index];
      return other?.name === name && other.scope === scope && isEqual(bytes, other.bytes);
    })
  );
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Restrictions of a layer that it no longer contains. */
function restrictionsLost(
  { name, scope, values }: LayerInForce,
  now: readonly LayerInForce[],
): LayerInForce[] {
  const present = now.filter((layer) => layer.name === name).map((layer) => layer.values);
  const lost: SettingsObject = {};
  const permissions: SettingsObject = {};
  for (const list of ["deny", "ask"]) {
    const known = new Set(present.flatMap((one) => rulesOf(one, list)));
    const gone = rulesOf(values, list).filter((rule) => !known.has(rule));
    if (gone.length > 0) permissions[list] = gone;
  }
  if (Object.keys(permissions).length > 0) lost["permissions"] = permissions;
  const asksForAll = (one: SettingsObject): boolean => one["readOnlyCommands"] === false;
  if (asksForAll(values) && !present.some(asksForAll)) lost["readOnlyCommands"] = false;
  const hooks = hooksLost(
    hooksOf(values),
    present.map((one) => hooksOf(one)),
  );
  if (Object.keys(hooks).length > 0) lost["hooks"] = hooks;
  return Object.keys(lost).length > 0 ? [{ name, scope, values: lost }] : [];
}

function rulesOf({ permissions }: SettingsObject, list: string): unknown[] {
  const rules = isObject(permissions) ? permissions[list] : undefined;
  return Array.isArray(rules) ? rules : [];
}

function hooksOf({ hooks }: SettingsObject): HooksConfig {
  // Validated with its layer.
  return isObject(hooks) ? (hooks as HooksConfig) : {};
}

function hooksLost(before: HooksConfig, now: readonly HooksConfig[]): SettingsObject {
  const lost: SettingsObject = {};
  for (const [event, groups] of Object.entries(before)) {
    const known = new Set(
      now
        .flatMap((config) => Object.entries(config))
        .flatMap(([of, all]) => (of === event ? all.map((group) => JSON.stringify(group)) : [])),
    );
    const gone = groups.filter((group) => !known.has(JSON.stringify(group)));
    if (gone.length > 0) lost[event] = gone;
  }
  return lost;
}
