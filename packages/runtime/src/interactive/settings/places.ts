import { broughtFiles } from "../../ports/brought-files.ts";
import type { Platform } from "../../ports/platform.ts";

/** Where files of settings, agents and instructions are looked for, and whose they are. */
export interface SettingsPlaces {
  cwd: string;
  home: string;
  /** Whether a file of the home is the person's own. What is not waits for trust as a project does. */
  isOwn: (path: string) => boolean;
}

/** Where to look for a workspace's settings and its person's. */
export async function settingsPlaces(
  platform: Pick<Platform, "fs" | "storage" | "home" | "userSettings">,
  cwd: string,
): Promise<SettingsPlaces> {
  const { home, userSettings } = platform;
  if (userSettings !== "home") return { cwd, home, isOwn: () => false };
  const brought = await broughtFiles(platform);
  return { cwd, home, isOwn: (path) => !brought.has(path) };
}
