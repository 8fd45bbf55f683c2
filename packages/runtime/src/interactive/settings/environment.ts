import { isObject, type SettingProblem, type SettingsObject } from "./settings-object.ts";

const REFERENCE = /\$ENV:([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * Places where values of the environment are permitted: names of models and languages, keys, and connection data. Not
 * in commands, rules or texts for a model. `*` stands for one key.
 */
const PLACES: readonly (readonly string[])[] = [
  ["language"],
  ["provider", "*"],
  ["hooks", "*", "*", "hooks", "*", "url"],
  ["hooks", "*", "*", "hooks", "*", "headers", "*"],
  ["mcpServers", "*", "url"],
  ["mcpServers", "*", "headers", "*"],
  ["mcpServers", "*", "env", "*"],
  ["mcpServers", "*", "oauth", "*"],
];

/** A layer with its `$ENV:NAME` resolved, and the unresolved ones with reasons. */
export interface FilledIn {
  values: SettingsObject;
  problems: SettingProblem[];
}

/**
 * Substitutes `$ENV:NAME` by values of the environment. A variable that is unset, or in a place without substitution,
 * stays as written. `env` is absent for layers that other people write: these get nothing of the environment.
 */
export function fillIn(
  values: SettingsObject,
  env: ((name: string) => string | undefined) | undefined,
): FilledIn {
  const problems: SettingProblem[] = [];
  const filled = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === "string") return textWith(value, path);
    if (Array.isArray(value))
      return value.map((item: unknown, index) => filled(item, [...path, `${index}`]));
    return isObject(value) ? inObject(value, path) : value;
  };
  const inObject = (object: SettingsObject, path: readonly string[]): SettingsObject =>
    Object.fromEntries(
      Object.entries(object).map(([key, value]) => [key, filled(value, [...path, key])]),
    );
  const textWith = (text: string, path: readonly string[]): string =>
    text.replace(REFERENCE, (written, name: string) => {
      const value = env && canStandAt(path) ? env(name) : undefined;
      if (value !== undefined) return value;
      const why = !env
        ? "is not replaced: a project's settings get nothing of the environment"
        : canStandAt(path)
          ? "is not set"
          : "is not replaced in this setting";
      problems.push({ setting: path.join("."), message: `${written} ${why}` });
      return written;
    });
  return { values: inObject(values, []), problems };
}

function canStandAt(path: readonly string[]): boolean {
  return PLACES.some(
    (place) =>
      place.length === path.length &&
      place.every((key, index) => key === "*" || key === path[index]),
  );
}
