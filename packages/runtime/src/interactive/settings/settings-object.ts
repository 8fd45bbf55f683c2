/** An object of settings, with own keys only. */
export type SettingsObject = { [key: string]: unknown };

/** A problem with a value; `setting` is its location. */
export interface SettingProblem {
  setting: string;
  message: string;
}

export function isObject(value: unknown): value is SettingsObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
