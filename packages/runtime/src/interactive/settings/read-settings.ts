import type { LoadSettingsOptions, SettingsPlatform } from "./load-settings.ts";
import type { SettingsObject } from "./settings-object.ts";
import type { ResolvedSettings } from "./settings.ts";

/**
 * The settings that a session of a workspace would begin with, for decisions before there is one, such as the choice of
 * a provider.
 * @throws {ConfigurationError} for an unreadable or invalid settings file
 */
export async function readSettings(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
): Promise<ResolvedSettings> {
  const { loadSettings } = await import("./load-settings.ts");
  return (await loadSettings(platform, options)).resolved;
}

/** Checks settings that a program or a command line gives. @throws {ConfigurationError} for what is wrong, named after `place` */
export async function requireSettings(value: SettingsObject, place: string): Promise<void> {
  const { checkSettings } = await import("./setting-fields.ts");
  checkSettings(value, place);
}
