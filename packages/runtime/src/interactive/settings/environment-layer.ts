import { ConfigurationError } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import { SETTINGS } from "./settings-schema.ts";
import type { SettingsObject } from "./settings-object.ts";
import { ENVIRONMENT_VARIABLES } from "./places.ts";

/** Variables that are settings of an invocation, and the values of their texts. */
const SETTING_OF: Readonly<
  Record<(typeof ENVIRONMENT_VARIABLES)[number], (text: string) => SettingsObject>
> = {
  ROBOTA_PERMISSION_MODE: (text) => ({ permissions: { defaultMode: text } }),
  ROBOTA_MODEL: (text) => ({ provider: { model: text } }),
  ROBOTA_LANGUAGE: (text) => ({ language: text }),
  ROBOTA_MAX_TURNS: (text) => ({ maxTurns: /^\d+$/.test(text) ? Number(text) : text }),
};

/**
 * The settings in variables of the platform's environment; `undefined` without any. An empty variable counts as unset.
 * @throws {ConfigurationError} that names the variable with an unusable value
 */
export function environmentSettings({ env }: Pick<Platform, "env">): SettingsObject | undefined {
  const settings: SettingsObject = {};
  for (const name of ENVIRONMENT_VARIABLES) {
    const text = env(name)?.trim();
    if (!text) continue;
    const setting = SETTING_OF[name](text);
    const [problem] = SETTINGS.safeParse(setting).error?.issues ?? [];
    if (problem)
      throw new ConfigurationError(`The variable ${name} can't be used: it ${problem.message}`, {
        hint: `Correct or unset ${name}, and begin again.`,
      });
    for (const [key, value] of Object.entries(setting))
      settings[key] = typeof value === "object" ? Object.assign({}, settings[key], value) : value;
  }
  return Object.keys(settings).length > 0 ? settings : undefined;
}
