import type {
  SettingsFileLayer,
  SettingsUpdate,
  UpdateSettingsOptions,
  WritingPlatform,
} from "./update-settings.ts";

/**
 * Changes settings in a layer's file, and keeps everything else of it as it is: comments, order and indentation. The file
 * is replaced as a whole or not at all, and writers take turns, over tabs and processes: none undoes another's change.
 * Sessions take the change up as they do any change of the file.
 * @throws {ConfigurationError} for a setting that is not valid, a file that can't be read, and the person's layer on a host
 * that sets it itself; nothing is written then
 * @throws {FileSystemError} when the file can't be written
 */
export async function updateSettings(
  platform: WritingPlatform,
  layer: SettingsFileLayer,
  update: SettingsUpdate,
  options: UpdateSettingsOptions,
): Promise<void> {
  const { writeSettings } = await import("./update-settings.ts");
  await writeSettings(platform, layer, update, options);
}
