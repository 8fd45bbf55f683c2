import type { LoadSettingsOptions, SettingsPlatform } from "./load-settings.ts";
import type { ResolvedSettings } from "./settings.ts";

/**
 * The settings that a session of a workspace would begin with, for what has to be known before there is one, such as which
 * provider to make.
 * @throws {ConfigurationError} for a file of settings that can't be read or used
 */
export async function readSettings(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
): Promise<ResolvedSettings> {
  const { loadSettings } = await import("./load-settings.ts");
  return (await loadSettings(platform, options)).resolved;
}
