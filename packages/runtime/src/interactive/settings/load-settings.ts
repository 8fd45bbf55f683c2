import type { Platform } from "../../ports/platform.ts";
import { type AgentFile, readAgentFiles } from "../agents/agent-files.ts";
import { type InstructionFile, readInstructions } from "../instructions/read-instructions.ts";
import type { LayerInForce } from "./merge.ts";
import type { ResolvedMode } from "./project-scope.ts";
import { settingsPlaces } from "./places.ts";
import { readSettingsFiles, type SettingsFile } from "./settings-files.ts";
import type { ResolvedSettings, SettingsOptions } from "./settings.ts";

/** What reading settings needs of a host. */
export type SettingsPlatform = Pick<
  Platform,
  "fs" | "storage" | "home" | "userSettings" | "env" | "now"
>;

export interface LoadSettingsOptions extends SettingsOptions {
  /** Absolute: the workspace. */
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Names of the tools that a session has: hooks whose matcher fits none of them are warned of. */
  tools?: readonly string[] | undefined;
  /** Types of hooks that there are executors for, besides the built-in ones. */
  hookTypes?: readonly string[] | undefined;
}

/** Settings, and the mode that they have sessions begin in. */
export interface LoadedSettings {
  resolved: ResolvedSettings;
  mode: ResolvedMode;
  /** Those of each layer that are in force, the one that counts most first. */
  layers: readonly LayerInForce[];
  /** The files of settings that this was made of. */
  files: readonly SettingsFile[];
  /** Files of agents that may be used, the one that counts most first. */
  agents: readonly AgentFile[];
  /** Files that say how to work in the project, the outermost first; those that are in force. */
  instructions: readonly InstructionFile[];
  /** What of the workspace waits for trust and is in force, by `partKey`. */
  trustedParts: ReadonlySet<string>;
}

/**
 * Reads the settings of the invocation, the workspace and the person, in this order of what counts: the invocation, the
 * project's `.robota/settings.local.json`, `.robota/settings.json` and `.claude/settings.json`, and the person's layer:
 * `~/.robota/settings.json` and `~/.claude/settings.json`, or what the host gives instead. What of a project acts or allows
 * something waits for trust, and so does what lies at the home and is not the person's own.
 *
 * @param before what was in force in the same session: with `trustWorkspace: true`, nothing more of the workspace gets in force
 * @throws {ConfigurationError} for a file that can't be read or used: nothing is guessed
 */
export async function loadSettings(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
  before?: LoadedSettings,
): Promise<LoadedSettings> {
  const { cwd, settings } = options;
  const places = await settingsPlaces(platform, cwd);
  const [files, agents, instructions] = await Promise.all([
    readSettingsFiles(platform.fs, places),
    readAgentFiles(platform.fs, places),
    readInstructions(platform.fs, places),
  ]);
  const isPlain = files.length === 0 && agents.length === 0 && instructions.length === 0;
  if (!settings && typeof platform.userSettings !== "object" && isPlain) return nothing();
  // Most sessions of programs have none, and then need none of what makes something of them.
  const { resolveSettings } = await import("./resolve-settings.ts");
  return resolveSettings(platform, options, { files, agents, instructions }, before);
}

function nothing(): LoadedSettings {
  return {
    resolved: { values: {}, sources: {}, warnings: [], trust: "not-needed" },
    mode: {},
    layers: [],
    files: [],
    agents: [],
    instructions: [],
    trustedParts: new Set(),
  };
}
