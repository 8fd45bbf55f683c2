import type { Platform } from "../../ports/platform.ts";
import { type AgentFile, readAgentFiles } from "../agents/agent-files.ts";
import { readSkillFiles } from "../skills/skill-files.ts";
import type { SkillFileCache } from "../skills/skill-file-cache.ts";
import type { SkillFile } from "../skills/skill.ts";
import type { BundleRecord } from "../bundles/bundle-records.ts";
import { findBundles, type FoundBundles } from "../bundles/find-bundles.ts";
import { type InstructionFile, readInstructions } from "../instructions/read-instructions.ts";
import { detectProject } from "../project/detect-project.ts";
import type { ProjectInfo } from "../project/project-info.ts";
import type { LayerInForce } from "./merge.ts";
import type { ResolvedMode } from "./project-scope.ts";
import { ENVIRONMENT_VARIABLES, settingsPlaces } from "./places.ts";
import { readSettingsFiles, type SettingsFile } from "./settings-files.ts";
import type { ResolvedSettings, SettingsOptions } from "./settings.ts";
import type { TrustState, WorkspaceTrustRequest } from "./workspace-trust.ts";

/** The part of a platform for reading settings. */
export type SettingsPlatform = Pick<
  Platform,
  "fs" | "storage" | "home" | "userSettings" | "env" | "now"
>;

export interface LoadSettingsOptions extends SettingsOptions {
  /** Absolute: the workspace. */
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Names of the session's tools: hooks whose matcher fits none of them cause a warning. */
  tools?: readonly string[] | undefined;
  /** Types of hooks with an executor, besides the built-in ones. */
  hookTypes?: readonly string[] | undefined;
  /** Results of earlier reads of the skills; a session has one. */
  skillFiles?: SkillFileCache | undefined;
  /** Called with the parts of the workspace that need trust, if there are any, whoever decides on them. */
  onTrustParts?: ((request: WorkspaceTrustRequest) => void) | undefined;
}

/** Settings, and the initial mode of sessions under them. */
export interface LoadedSettings {
  resolved: ResolvedSettings;
  mode: ResolvedMode;
  /** The parts of each layer in force, in order of precedence. */
  layers: readonly LayerInForce[];
  /** The settings files behind this. */
  files: readonly SettingsFile[];
  /** Agent files in use, in order of precedence. */
  agents: readonly AgentFile[];
  /** Skill files in use, in order of precedence. */
  skills: readonly SkillFile[];
  /** All skill files that were found, usable or not, to notice changes by. */
  foundSkills: readonly SkillFile[];
  /** Installed bundles in force. */
  bundles: readonly BundleRecord[];
  /** All that was found of installed bundles, to notice changes by. */
  foundBundles: FoundBundles;
  /** Instruction files in force, the outermost first. */
  instructions: readonly InstructionFile[];
  /** Instruction files that are not, with the reason. */
  omittedInstructions: readonly OmittedInstructions[];
  /** The project, without its name where that is not trusted. */
  project: ProjectInfo;
  /** Digest of the parts for which a yes is remembered; absent without one, and where nothing needs trust. */
  remembered?: string | undefined;
  /** Trusted parts of the workspace in force, by `partKey`. */
  trustedParts: ReadonlySet<string>;
  /** The trust in the workspace without skills that have come or changed since. */
  trustBefore: TrustState;
}

/** An instruction file that is not in force. */
export interface OmittedInstructions {
  file: InstructionFile;
  reason: string;
}

/**
 * Reads the settings of the invocation, the workspace and the person, in this order of precedence: the invocation, the
 * variables of the platform's environment, the project's `.robota/settings.local.json`, `.robota/settings.json`, `.claude/settings.json` and `.mcp.json`, and the person's layer:
 * `~/.robota/settings.json` and `~/.claude/settings.json`, or the host's object instead. Parts of a project that act or
 * allow something wait for trust, and so do files at the home that are not the person's own.
 * @param before the parts in force in the same session: with `trustWorkspace: true`, no further parts of the workspace
 * take effect
 * @throws {ConfigurationError} for an unreadable or invalid file: nothing is guessed
 */
export async function loadSettings(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
  before?: LoadedSettings,
): Promise<LoadedSettings> {
  const { cwd, settings, trustWorkspace, signal } = options;
  const places = await settingsPlaces(platform, cwd);
  const [files, agents, skills, instructions, project, bundles] = await Promise.all([
    readSettingsFiles(platform.fs, places),
    readAgentFiles(platform.fs, places),
    readSkillFiles(platform.fs, places, options.skillFiles),
    readInstructions(platform.fs, places),
    detectProject(platform.fs, cwd, { signal }),
    findBundles(platform, cwd),
  ]);
  const lists = { files, agents, skills, instructions, bundles };
  const isPlain =
    !hasEnvironment(platform) &&
    project.problems.length === 0 &&
    Object.values(lists).every(({ length }) => length === 0);
  if (!settings && typeof platform.userSettings !== "object" && isPlain)
    return nothing(trustWorkspace === true ? project : { ...project, name: undefined });
  // Most programs' sessions have none, and then skip loading the code for them.
  const { resolveSettings } = await import("./resolve-settings.ts");
  return resolveSettings(platform, options, { ...lists, project }, before);
}

/** True for any variable of the environment layer; its code loads only then. */
function hasEnvironment({ env }: SettingsPlatform): boolean {
  return ENVIRONMENT_VARIABLES.some((name) => env(name));
}

function nothing(project: ProjectInfo): LoadedSettings {
  return {
    resolved: { values: {}, sources: {}, warnings: [], trust: "not-needed" },
    mode: {},
    layers: [],
    files: [],
    agents: [],
    skills: [],
    foundSkills: [],
    bundles: [],
    foundBundles: [],
    instructions: [],
    omittedInstructions: [],
    project,
    trustedParts: new Set(),
    trustBefore: "not-needed",
  };
}
