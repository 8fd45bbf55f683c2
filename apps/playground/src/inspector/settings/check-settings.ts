import { WORKSPACE_ROOT } from "../../constants.ts";
import { type LoadSettingsOptions, readSettings, type Settings } from "@robota/runtime/settings";

/** Reads settings as a session would. @throws {ConfigurationError} that names what is wrong with them */
export async function checkSettings(
  platform: Parameters<typeof readSettings>[0],
  userSettings: Settings,
): Promise<void> {
  const options: LoadSettingsOptions = { cwd: WORKSPACE_ROOT, trustWorkspace: false };
  await readSettings({ ...platform, userSettings }, options);
}
