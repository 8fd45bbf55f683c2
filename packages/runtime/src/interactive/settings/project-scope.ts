import { defined } from "../../defined.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../permissions/permission.ts";
import { TRUST_TO_MODE, type TrustLevel } from "../../permissions/permission.ts";
import { isKnownLanguage } from "./languages.ts";
import type { SettingsLayer } from "./layers.ts";
import { isObject, type SettingProblem, type SettingsObject } from "./settings-object.ts";

/** A project's layer, split by the trust that each part needs. */
export interface ScopedLayer {
  /** Parts that only restrict, or are harmless. */
  always: SettingsObject;
  /** Parts that act, or allow something. */
  afterTrust: SettingsObject;
  /** Settings that no project may make. */
  never: SettingProblem[];
}

/** Restricting permissions, valid from any source. */
const RESTRICTING = new Set(["deny", "ask"]);

/** The model's address and key are for people to set, not for a repository. */
const PROJECT_PROVIDER_KEYS = new Set(["model"]);

/** Takes a project's layer apart. Modes are for `resolveMode`. */
export function scopeOf(values: SettingsObject): ScopedLayer {
  const {
    language,
    permissions,
    provider,
    projectAgents,
    agentDepth,
    hookOrigins,
    readOnlyCommands,
    defaultTrustLevel: _,
    ...others
  } = values;
  // The value becomes part of the system prompt: a stranger's free text waits for trust.
  const isLanguage = typeof language === "string" && isKnownLanguage(language);
  const always: SettingsObject = isLanguage ? { language } : {};
  const afterTrust: SettingsObject = Object.fromEntries(
    Object.entries({
      ...others,
      ...defined({ language: isLanguage ? undefined : language }),
    }).filter(([, value]) => !isEmpty(value)),
  );
  const never: SettingProblem[] = [];
  if (projectAgents !== undefined) {
    const message = "is ignored: only a person's own settings may let an agent replace another";
    never.push({ setting: "projectAgents", message });
  }
  if (agentDepth !== undefined) {
    const message = "is ignored: only a person's own settings may let agents start agents";
    never.push({ setting: "agentDepth", message });
  }
  if (readOnlyCommands === false) always["readOnlyCommands"] = false;
  else if (readOnlyCommands !== undefined) {
    const message = "is left out: a project may only require more approvals";
    never.push({ setting: "readOnlyCommands", message });
  }
  if (hookOrigins !== undefined) {
    const message =
      "is ignored: only a person's own settings may give hooks access to this machine";
    never.push({ setting: "hookOrigins", message });
  }
  if (isObject(permissions)) {
    // Examples belong to their rules: see `withExamples`.
    const { defaultMode: __, examples: ___, ...lists } = permissions;
    putIn(
      always,
      "permissions",
      pick(lists, (key) => RESTRICTING.has(key)),
    );
    putIn(
      afterTrust,
      "permissions",
      pick(lists, (key) => !RESTRICTING.has(key)),
    );
  }
  if (isObject(provider)) {
    putIn(
      afterTrust,
      "provider",
      pick(provider, (key) => PROJECT_PROVIDER_KEYS.has(key)),
    );
    for (const key of Object.keys(provider).filter((name) => !PROJECT_PROVIDER_KEYS.has(name)))
      never.push({
        setting: `provider.${key}`,
        message: "is ignored: only a person's own settings may configure the model's connection",
      });
  }
  return { always, afterTrust, never };
}

/** The values of a layer in force, with the examples that the whole layer has for their rules. */
export function withExamples(values: SettingsObject, whole: SettingsObject): SettingsObject {
  const [{ permissions }, { permissions: all }] = [values, whole];
  if (!isObject(permissions) || !isObject(all) || !isObject(all["examples"])) return values;
  const rules = new Set(Object.values(permissions).flat());
  const examples = pick(all["examples"], (rule) => rules.has(rule));
  return isEmpty(examples) ? values : { ...values, permissions: { ...permissions, examples } };
}

/** The initial mode of sessions, and the rejected wishes. */
export interface ResolvedMode {
  mode?: PermissionMode;
  layer?: string;
  setting?: string;
  /** A wish of a project that needs trust. */
  afterTrust?: { layer: string; mode: PermissionMode };
  /** A wish that no project may have. */
  never?: { layer: string; setting: string; message: string };
}

/**
 * A project may set a stricter mode than its person, and once trusted a laxer one, but never one that asks nothing. The
 * invocation's own mode overrides any project.
 */
export function resolveMode(layers: readonly SettingsLayer[], isTrusted: boolean): ResolvedMode {
  const wishes = layers.flatMap((layer) => {
    const wish = wishOf(layer.values);
    return wish ? [{ layer: layer.name, scope: layer.scope, ...wish }] : [];
  });
  const own = wishes.find(({ scope }) => scope !== "project");
  const project = wishes.find(({ scope }) => scope === "project");
  const { scope: _, ...person } = own ?? { scope: undefined };
  if (!project || own?.scope === "invocation") return person;
  const { scope: __, ...wish } = project;
  if (laxity(wish.mode) <= laxity(own?.mode ?? "default")) return wish;
  if (wish.mode === "bypassPermissions") {
    const message = "is left out: no project may turn all approvals off";
    return { ...person, never: { layer: wish.layer, setting: wish.setting, message } };
  }
  const afterTrust = { layer: wish.layer, mode: wish.mode };
  return isTrusted ? { ...wish, afterTrust } : { ...person, afterTrust };
}

function wishOf(values: SettingsObject): { mode: PermissionMode; setting: string } | undefined {
  const { permissions, defaultTrustLevel } = values;
  const mode = isObject(permissions) ? permissions["defaultMode"] : undefined;
  if (mode !== undefined) {
    return { mode: mode as PermissionMode, setting: "permissions.defaultMode" };
  }
  if (defaultTrustLevel === undefined) return undefined;
  return { mode: TRUST_TO_MODE[defaultTrustLevel as TrustLevel], setting: "defaultTrustLevel" };
}

function laxity(mode: PermissionMode): number {
  return PERMISSION_MODES.indexOf(mode);
}

function pick(object: SettingsObject, isWanted: (key: string) => boolean): SettingsObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => isWanted(key) && !isEmpty(value)),
  );
}

function putIn(target: SettingsObject, key: string, value: SettingsObject): void {
  if (!isEmpty(value)) target[key] = value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
