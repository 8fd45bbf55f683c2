import { findBundles, isSameBundles } from "../bundles/find-bundles.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import { loadOnce } from "../../load-once.ts";
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
import { readSettingsFiles, type SettingsFile } from "./settings-files.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import type { SettingsWarning } from "./settings.ts";
import { partKey, rememberedTrust } from "./workspace-trust.ts";

/** Loads the schemas of all settings, which most turns find unchanged. */
const loadResolving = loadOnce(() => import("./resolve-settings.ts"));

/**
 * Reloads the settings of an open session when a settings file, an installed bundle, a skill or the trust in the
 * workspace has changed; `undefined` otherwise. Former deny rules, ask rules and hooks of a layer stay in force beside its new content:
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
    readSkillFiles(platform.fs, places, options.skillFiles),
  ]);
  const bundles = await findBundles(platform, options.cwd);
  const trust = await trustChange(platform, options, before);
  const isUnchanged =
    isSame(files, before.files) && isSameBundles(bundles, before.foundBundles) && !trust;
  if (isUnchanged && !isRevoked && !asksAgain(options, before, skills))
    return withSkills(before, skills);
  const { resolve } = await loadResolving();
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

/** True when a person can be asked about skills of the workspace that have come, changed or gone. */
function asksAgain(
  { trustWorkspace }: LoadSettingsOptions,
  { foundSkills }: LoadedSettings,
  found: readonly SkillFile[],
): boolean {
  const ofProject = (files: readonly SkillFile[]): SkillFile[] =>
    files.filter(({ scope }) => scope === "project");
  return (
    typeof trustWorkspace === "function" && !isSameSkills(ofProject(found), ofProject(foundSkills))
  );
}

/**
 * The settings with the skills as they are now; `undefined` when nothing has changed about them. Those of the workspace
 * go with their files; what has come or changed about them waits for trust, and until then they stay as they were.
 */
async function withSkills(
  before: LoadedSettings,
  found: readonly SkillFile[],
): Promise<LoadedSettings | undefined> {
  const { foundSkills, trustedParts, trustBefore } = before;
  if (isSameSkills(found, foundSkills)) return undefined;
  const { fileParts, whyNot } = await loadResolving();
  const known = new Map(before.skills.map((file) => [file.name, file]));
  const isWaiting = (file: SkillFile): boolean =>
    file.scope === "project" &&
    fileParts({ skills: [file] }).some((part) => !trustedParts.has(partKey(part)));
  const waiting = found.filter(isWaiting);
  const inPlaces = found.flatMap((file) => {
    if (file.scope === "user" || (file.skill && !isWaiting(file))) return [file];
    const former = known.get(file.name);
    return former?.scope === "project" ? [former] : [];
  });
  const names = new Set([...foundSkills, ...found].map(({ name }) => name));
  const skills = [...inPlaces, ...before.skills.filter(({ name }) => !names.has(name))];
  const warnings = [
    ...before.resolved.warnings.filter(({ setting }) => setting !== "skill"),
    ...waiting.map(({ name }) => warningOf(name, whyNot(trustBefore))),
    ...[...found, ...hiddenSkills(skills)].flatMap(({ name, problem }) =>
      problem === undefined ? [] : [warningOf(name, problem)],
    ),
  ];
  const trust = waiting.length > 0 ? "untrusted" : trustBefore;
  return {
    ...before,
    skills,
    foundSkills: found,
    resolved: { ...before.resolved, warnings, trust },
  };
}

function warningOf(layer: string, message: string): SettingsWarning {
  return { layer, setting: "skill", message };
}

function isSameSkills(some: readonly SkillFile[], others: readonly SkillFile[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, scope, text, problem }, at) => {
      const other = others[at];
      return (
        name === other?.name &&
        scope === other.scope &&
        text === other.text &&
        problem === other.problem
      );
    })
  );
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
