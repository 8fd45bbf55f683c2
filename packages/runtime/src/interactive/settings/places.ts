import { broughtFiles } from "../../ports/brought-files.ts";
import type { Platform } from "../../ports/platform.ts";

/** Locations of settings, agents and instructions, and their owners. */
export interface SettingsPlaces {
  cwd: string;
  home: string;
  /** True for a file at the home that is the person's own. Others wait for trust like a project's. */
  isOwn: (path: string) => boolean;
}

/** The locations for a workspace and its person. */
export async function settingsPlaces(
  platform: Pick<Platform, "fs" | "storage" | "home" | "userSettings">,
  cwd: string,
): Promise<SettingsPlaces> {
  const { home, userSettings } = platform;
  if (userSettings !== "home") return { cwd, home, isOwn: () => false };
  const brought = await broughtFiles(platform);
  return { cwd, home, isOwn: (path) => !brought.has(path) };
}

/** The variables that are settings. None is the provider: the key of another layer would go to the service it names. */
export const ENVIRONMENT_VARIABLES = [
  "ROBOTA_PERMISSION_MODE",
  "ROBOTA_MODEL",
  "ROBOTA_LANGUAGE",
  "ROBOTA_MAX_TURNS",
] as const;
