import { ConfigurationError } from "../../errors.ts";
import { readHooks } from "../../hooks/read-hooks.ts";
import { HOOK_EVENTS } from "../../hooks/events.ts";
import { nameHint } from "../../messages/near-names.ts";
import { PERMISSION_MODES } from "../../permissions/permission.ts";
import { isObject, type SettingProblem, type SettingsObject } from "./settings-object.ts";
import { SETTING_NAMES, SETTINGS } from "./settings-schema.ts";

/**
 * Checks one layer's settings. `hookTypes`: those with an executor, besides the built-in ones.
 * @throws {ConfigurationError} that names all problems and their locations
 */
export function checkSettings(
  values: SettingsObject,
  layer: string,
  hookTypes?: readonly string[],
): void {
  const problems = [
    ...problemsIn(values),
    ...exampleProblems(values),
    ...hookProblems(values, hookTypes),
  ];
  if (problems.length === 0) return;
  const list = problems.map(({ setting, message }) => `${setting} ${message}`).join("; ");
  throw new ConfigurationError(`The settings of ${layer} can't be used: ${list}`, {
    hint: `Correct ${layer === "invocation" ? "the option settings" : layer}, and restart.`,
  });
}

const PERMISSION_NAMES = ["allow", "ask", "deny", "defaultMode", "examples"];

/** The unknown keys, also of rules, which would forbid nothing. `$schema` is for editors. */
export function unknownKeys(values: SettingsObject): SettingProblem[] {
  const { permissions } = values;
  return [
    ...unknownAmong(values, SETTING_NAMES),
    ...(isObject(permissions) ? unknownAmong(permissions, PERMISSION_NAMES, "permissions.") : []),
  ];
}

function unknownAmong(
  values: SettingsObject,
  names: readonly string[],
  place = "",
): SettingProblem[] {
  return Object.keys(values)
    .filter((key) => key !== "$schema" && !names.includes(key))
    .map((key) => ({
      setting: place + key,
      message: `is not a setting. ${nameHint(key, names)}`,
    }));
}

/**
 * Removes from another program's file the modes and hook events unknown here, so that they do not prevent the start.
 * None of them forbids or guards anything.
 */
export function withoutForeign(values: SettingsObject): {
  values: SettingsObject;
  left: SettingProblem[];
} {
  const { permissions, hooks } = values;
  const left: SettingProblem[] = [];
  const kept = { ...values };
  if (isObject(permissions) && Object.hasOwn(permissions, "defaultMode")) {
    const { defaultMode, ...others } = permissions;
    if (!(PERMISSION_MODES as readonly unknown[]).includes(defaultMode)) {
      kept["permissions"] = others;
      left.push({ setting: "permissions.defaultMode", message: "is not a known mode" });
    }
  }
  if (isObject(hooks)) {
    const isKnown = (event: string): boolean => (HOOK_EVENTS as readonly string[]).includes(event);
    kept["hooks"] = Object.fromEntries(Object.entries(hooks).filter(([event]) => isKnown(event)));
    for (const event of Object.keys(hooks).filter((name) => !isKnown(name)))
      left.push({ setting: `hooks.${event}`, message: "is not a known event" });
  }
  return { values: kept, left };
}

function problemsIn(values: SettingsObject): SettingProblem[] {
  const { error } = SETTINGS.safeParse(values);
  return (error?.issues ?? []).map(({ path, message }) => ({ setting: path.join("."), message }));
}

/** Examples of a rule that is not there would test nothing. */
function exampleProblems({ permissions }: SettingsObject): SettingProblem[] {
  if (!isObject(permissions) || !isObject(permissions["examples"])) return [];
  const rules = ["allow", "ask", "deny"].flatMap((list) => permissions[list]);
  return Object.keys(permissions["examples"])
    .filter((rule) => !rules.includes(rule))
    .map((rule) => ({
      setting: `permissions.examples.${rule}`,
      message: "is for no rule of allow, ask or deny: write it as the rule is written",
    }));
}

function hookProblems({ hooks }: SettingsObject, types: readonly string[] = []): SettingProblem[] {
  if (hooks === undefined) return [];
  const { problems } = readHooks(hooks, { types });
  return problems.map(({ path, message }) => ({ setting: `hooks.${path}`, message }));
}
