import { findBundles, isSameBundles } from "../bundles/find-bundles.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import {
  type LoadedSettings,
  loadSettings,
  type LoadSettingsOptions,
  type SettingsPlatform,
} from "./load-settings.ts";
import { readSkillFiles } from "../skills/skill-files.ts";
import type { SkillFile } from "../skills/skill.ts";
import { hiddenSkills } from "../skills/skills-in-force.ts";
import type { LayerInForce } from "./merge.ts";
import { settingsPlaces } from "./places.ts";
import { resolve } from "./resolve-settings.ts";
import { readSettingsFiles, type SettingsFile } from "./settings-files.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import type { ResolvedSettings, SettingsWarning } from "./settings.ts";
import { rememberedTrust } from "./workspace-trust.ts";

/**
 * Reloads the settings of an open session when a settings file, an installed bundle, a person's own skill or the
 * trust in the workspace has changed; `undefined` otherwise. Former deny rules, ask rules and hooks of a layer stay in force beside its new content:
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
  const places = await settingsPlaces(platform, options.cwd);
  const [files, skills] = await Promise.all([
    readSettingsFiles(platform.fs, places),
    readSkillFiles(platform.fs, places),
  ]);
  const bundles = await findBundles(platform, options.cwd);
  const trust = await trustChange(platform, options, before);
  const isUnchanged =
    isSame(files, before.files) && isSameBundles(bundles, before.foundBundles) && !trust;
  if (isUnchanged && !isRevoked) return withOwnSkills(before, skills);
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

/** The settings with a person's own skills as they are now; `undefined` when nothing has changed about them. */
function withOwnSkills(
  before: LoadedSettings,
  found: readonly SkillFile[],
): LoadedSettings | undefined {
  const ownSkills = found.filter(({ scope }) => scope === "user");
  const former = before.ownSkills;
  const isOwn = ({ name, scope }: SkillFile): boolean =>
    scope === "user" && former.some((file) => file.name === name);
  const isUnchanged =
    ownSkills.length === former.length &&
    ownSkills.every(({ name, text, problem }, at) => {
      const other = former[at];
      return name === other?.name && text === other.text && problem === other.problem;
    });
  if (isUnchanged) return undefined;
  // Those of a project stay as they were when it was asked about them.
  const others = new Map(
    before.skills.filter((file) => !isOwn(file)).map((file) => [file.name, file]),
  );
  const inPlaces = found.flatMap((file) => {
    if (file.scope === "user") return [file];
    const known = others.get(file.name);
    return known ? [known] : [];
  });
  const names = new Set(inPlaces.map(({ name }) => name));
  const skills = [...inPlaces, ...[...others.values()].filter(({ name }) => !names.has(name))];
  return { ...before, skills, ownSkills, resolved: withSkillWarnings(before, skills, ownSkills) };
}

function withSkillWarnings(
  { resolved, skills: formerSkills, ownSkills: former }: LoadedSettings,
  skills: readonly SkillFile[],
  ownSkills: readonly SkillFile[],
): ResolvedSettings {
  const problemsOf = (all: readonly SkillFile[], own: readonly SkillFile[]): SettingsWarning[] =>
    [...own, ...hiddenSkills(all)].flatMap(({ name: layer, problem }) =>
      problem === undefined ? [] : [{ layer, setting: "skill", message: problem }],
    );
  const stale = new Set(
    problemsOf(formerSkills, former).map(({ layer, message }) => `${layer}\0${message}`),
  );
  const kept = resolved.warnings.filter(
    ({ layer, setting, message }) => setting !== "skill" || !stale.has(`${layer}\0${message}`),
  );
  return { ...resolved, warnings: [...kept, ...problemsOf(skills, ownSkills)] };
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
