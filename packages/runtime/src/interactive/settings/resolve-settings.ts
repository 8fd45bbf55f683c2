import { defined } from "../../defined.ts";
import { hookWarnings } from "../../hooks/usable-hooks.ts";
import { toolNames } from "../../session/approvals/known-tool-names.ts";
import type { PermissionLists } from "../../permissions/permission.ts";
import type { AgentFile } from "../agents/agent-files.ts";
import { bundleAgents, bundleLayers, bundleSkills } from "../bundles/bundle-parts.ts";
import type { FoundBundles } from "../bundles/find-bundles.ts";
import { SERVER_FILE, serversInFile } from "../mcp/server-file.ts";
import { hiddenSkills } from "../skills/skills-in-force.ts";
import type { SkillFile } from "../skills/skill.ts";
import type { ProjectInfo } from "../project/project-info.ts";
import type { InstructionFile } from "../instructions/read-instructions.ts";
import { fillIn } from "./environment.ts";
import { environmentSettings } from "./environment-layer.ts";
import { layersOf, type SettingsLayer } from "./layers.ts";
import type { LoadedSettings, LoadSettingsOptions, SettingsPlatform } from "./load-settings.ts";
import { type LayerInForce, mergeLayers } from "./merge.ts";
import {
  type ResolvedMode,
  resolveMode,
  type ScopedLayer,
  scopeOf,
  withExamples,
} from "./project-scope.ts";
import { checkSettings, unknownKeys, withoutForeign } from "./setting-fields.ts";
import type { SettingsFile } from "./settings-files.ts";
import { isObject, type SettingProblem, type SettingsObject } from "./settings-object.ts";
import type { ResolvedSettings, Settings, SettingsWarning } from "./settings.ts";
import { relativePath, resolvePath } from "../../ports/path.ts";
import { partsOf, partsInForce } from "./trusted-parts.ts";
import {
  isTrusted,
  partKey,
  rememberedTrust,
  type TrustedPart,
  type TrustState,
} from "./workspace-trust.ts";

/** Files found in a workspace and at its person's home. */
export interface FoundFiles {
  files: readonly SettingsFile[];
  agents: readonly AgentFile[];
  skills: readonly SkillFile[];
  instructions: readonly InstructionFile[];
  project: ProjectInfo;
  bundles: FoundBundles;
}

/**
 * Combines the files, as far as they may take effect.
 * @throws {ConfigurationError} for an invalid file: nothing is guessed
 */
export async function resolveSettings(
  platform: SettingsPlatform,
  options: LoadSettingsOptions,
  found: FoundFiles,
  before?: LoadedSettings,
): Promise<LoadedSettings> {
  const { files, agents, skills, instructions, project, bundles } = found;
  const { cwd, settings, trustWorkspace, hookTypes } = options;
  const { signal = new AbortController().signal } = options;
  const { userSettings } = platform;
  const warnings: SettingsWarning[] = [];
  const warn = (layer: string, problems: readonly SettingProblem[]): void =>
    void warnings.push(...problems.map((problem) => ({ layer, ...problem })));

  for (const { name, setting, message } of fileProblems(found, cwd))
    warn(name, [{ setting, message }]);
  const host = typeof userSettings === "object" ? userSettings : undefined;
  const environment = environmentSettings(platform);
  const layers = layersOf(files, { invocation: settings, environment, host }).map((layer) =>
    checked(layer, { platform, hookTypes, warn }),
  );
  const scoped = layers.map((layer) =>
    layer.scope === "project"
      ? { layer, ...scopeOf(layer.values) }
      : { layer, always: layer.values, afterTrust: {}, never: [] },
  );
  for (const { layer, never } of scoped) warn(layer.name, never);
  const waiting = [
    ...scoped.flatMap(({ layer, afterTrust }) => partsOf(layer.name, afterTrust)),
    ...modeParts(layers),
    ...fileParts({ agents, skills, instructions, bundles }),
  ];

  // A name alone is not worth a question; it is part of every other one.
  const parts = waiting.length === 0 ? [] : [...waiting, ...nameParts(project, cwd)];
  const question = { cwd, parts, trust: trustWorkspace, onParts: options.onTrustParts, signal };
  const answer = await isTrusted(platform, question);
  const inForce = trustedParts(answer, parts, trustWorkspace === true ? before : undefined);
  const isIn = (part: TrustedPart): boolean => inForce.has(partKey(part));
  const isNameTrusted =
    trustWorkspace === true || (parts.length > 0 && nameParts(project, cwd).every(isIn));
  const left = waiting.filter((part) => !isIn(part));
  const trust = left.length > 0 ? "untrusted" : answer;
  for (const { file, setting } of distinct(left))
    warn(file, [{ setting, message: whyNot(answer) }]);

  const bundlesInUse = bundlesInForce(bundles, isIn);
  const inLayers = [
    ...scoped.flatMap((layer) => layersInForce(layer, isIn)),
    ...bundleLayers(bundlesInUse),
  ];
  for (const { name, values } of inLayers) {
    warn(name, await idleHooks(values, options));
    warn(name, await surprisingRules(values));
  }
  const skillsInUse = skillsInForce(skills, isIn);
  for (const { name, problem } of hiddenSkills(skillsInUse))
    warn(name, [{ setting: "skill", message: problem }]);
  const mode = resolveMode(layers, modeParts(layers).every(isIn));
  if (mode.never) warnings.push(mode.never);
  return {
    resolved: resolve(inLayers, mode, trust, warnings),
    mode,
    layers: inLayers,
    files,
    agents: [
      ...agents.filter(
        (file) => file.scope === "user" || fileParts({ agents: [file] }).every(isIn),
      ),
      ...bundleAgents(bundlesInUse),
    ],
    skills: [...skillsInUse, ...bundleSkills(bundlesInUse)],
    foundSkills: skills,
    bundles: bundlesInUse,
    foundBundles: bundles,
    ...instructionsInForce(instructions, isIn, whyNot(answer)),
    project: isNameTrusted ? project : { ...project, name: undefined },
    remembered: parts.length > 0 ? (await rememberedTrust(platform, cwd))?.digest : undefined,
    trustedParts: inForce,
    trustBefore: trust,
  };
}

/** The parts of a layer in force: those that always are, and those that wait for trust. */
function layersInForce(
  { layer, always, afterTrust }: ScopedLayer & { layer: SettingsLayer },
  isIn: (part: TrustedPart) => boolean,
): LayerInForce[] {
  return [always, partsInForce(layer.name, afterTrust, isIn)].map((values) => ({
    ...layer,
    values: withExamples(values, layer.values),
  }));
}

/** The files that can't be used, each with the reason. */
function fileProblems(
  { agents, skills, bundles, instructions, project }: FoundFiles,
  cwd: string,
): (SettingProblem & { name: string })[] {
  const lists = { agent: agents, skill: skills, plugin: bundles, instructions };
  const ofFiles = Object.entries(lists).flatMap(([setting, files]) =>
    files.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [{ name, setting, message: problem }],
    ),
  );
  const ofProject = project.problems.map(({ file, message }) => ({
    name: relativePath(cwd, file),
    setting: "project",
    message,
  }));
  return [...ofFiles, ...ofProject];
}

/** Permissive modes that a project asks for. */
function modeParts(layers: readonly SettingsLayer[]): TrustedPart[] {
  const wish = resolveMode(layers, false).afterTrust;
  return wish ? [{ file: wish.layer, setting: "permissions.defaultMode", value: wish.mode }] : [];
}

/** The name that a project gives itself. */
function nameParts({ name, manifest = "", directory }: ProjectInfo, cwd: string): TrustedPart[] {
  if (name === undefined) return [];
  return [
    { file: relativePath(cwd, resolvePath(directory, manifest)), setting: "name", value: name },
  ];
}

/** The instruction files, by whether they are in force. */
function instructionsInForce(
  files: readonly InstructionFile[],
  isIn: (part: TrustedPart) => boolean,
  whyUntrusted: string,
): Pick<LoadedSettings, "instructions" | "omittedInstructions"> {
  const isInForce = (file: InstructionFile): boolean =>
    file.problem === undefined &&
    (file.scope === "user" || fileParts({ instructions: [file] }).every(isIn));
  return {
    instructions: files.filter(isInForce),
    omittedInstructions: files
      .filter((file) => !isInForce(file))
      .map((file) => ({ file, reason: file.problem ?? whyUntrusted })),
  };
}

function skillsInForce(
  skills: readonly SkillFile[],
  isIn: (part: TrustedPart) => boolean,
): SkillFile[] {
  return skills.filter(
    (file) => file.scope === "user" || fileParts({ skills: [file] }).every(isIn),
  );
}

function bundlesInForce(bundles: FoundBundles, isIn: (part: TrustedPart) => boolean): FoundBundles {
  return bundles.filter(
    (record) => record.bundle && record.isEnabled && fileParts({ bundles: [record] }).every(isIn),
  );
}

/** Agents, skills, instructions and bundles of a project, each whole. */
export function fileParts({
  agents = [],
  skills = [],
  instructions = [],
  bundles = [],
}: Partial<Pick<FoundFiles, "agents" | "skills" | "instructions" | "bundles">>): TrustedPart[] {
  const ofAgents = agents.filter(({ scope, definition }) => scope === "project" && definition);
  const ofSkills = skills.filter(({ scope, skill }) => scope === "project" && skill);
  const ofInstructions = instructions.filter(
    ({ scope, problem }) => scope === "project" && problem === undefined,
  );
  const ofBundles = bundles.filter(({ scope, bundle }) => scope === "project" && bundle);
  return [
    ...ofBundles.map(({ name, text }) => ({ file: name, setting: "plugin", value: text })),
    ...ofAgents.map(({ name, text }) => ({ file: name, setting: "agent", value: text })),
    ...ofSkills.map(({ name, text }) => ({ file: name, setting: "skill", value: text })),
    ...ofInstructions.map(({ name, text }) => ({
      file: name,
      setting: "instructions",
      value: text,
    })),
  ];
}

/**
 * Parts in force. A program's yes for a session covers the parts present when the session opens: later ones came from
 * the session, or from others who write there meanwhile.
 */
function trustedParts(
  answer: TrustState,
  parts: readonly TrustedPart[],
  before: LoadedSettings | undefined,
): ReadonlySet<string> {
  if (answer !== "trusted") return new Set();
  const keys = parts.map(partKey);
  return new Set(before ? keys.filter((key) => before.trustedParts.has(key)) : keys);
}

/** The reason for which a part of a workspace is not in force. */
export function whyNot(answer: TrustState): string {
  return answer === "trusted"
    ? "is not in force: it has appeared or changed since the session was opened"
    : "is not in force: the workspace is not trusted";
}

/** One part per location, even for several hooks of an event. */
function distinct(parts: readonly TrustedPart[]): TrustedPart[] {
  return [...new Map(parts.map((part) => [`${part.file}\0${part.setting}`, part])).values()];
}

function checked(
  layer: SettingsLayer,
  parts: {
    platform: Pick<SettingsPlatform, "env">;
    hookTypes: readonly string[] | undefined;
    warn: (layer: string, problems: readonly SettingProblem[]) => void;
  },
): SettingsLayer {
  const { name, scope, isForeign } = layer;
  const { platform, hookTypes, warn } = parts;
  const env = scope === "project" ? undefined : (variable: string) => platform.env(variable);
  // Each value comes whole from one layer, so that the result equals the one after the merge.
  const { values: filled, problems } = fillIn(layer.values, env);
  const { values, left } = usable(filled, layer);
  checkSettings(values, name, hookTypes);
  warn(name, [...problems, ...left, ...(isForeign ? [] : unknownKeys(values))]);
  return { ...layer, values };
}

/** The part of a layer that this program has settings for; another's file has others too. */
function usable(
  values: SettingsObject,
  { name, isForeign }: SettingsLayer,
): { values: SettingsObject; left: SettingProblem[] } {
  if (name === SERVER_FILE) {
    const { mcpServers } = values;
    if (!isObject(mcpServers)) return { values: defined({ mcpServers }), left: [] };
    const { servers, left } = serversInFile(mcpServers);
    return { values: { mcpServers: servers }, left };
  }
  return isForeign ? withoutForeign(values) : { values, left: [] };
}

/** Hooks that do nothing, or block everything that they guard. */
async function idleHooks(
  { hooks }: SettingsObject,
  { tools, hookTypes }: LoadSettingsOptions,
): Promise<SettingProblem[]> {
  if (hooks === undefined) return [];
  const options = { tools: tools && toolNames(tools), types: hookTypes };
  const warnings = await hookWarnings(hooks, options);
  return warnings.map(({ path, message }) => ({ setting: `hooks.${path}`, message }));
}

/** Rules that do more, or less, than they seem to. */
async function surprisingRules({ permissions }: SettingsObject): Promise<SettingProblem[]> {
  if (!isObject(permissions)) return [];
  const { permissionWarnings } = await import("../../permissions/rules/rule-warnings.ts");
  // Validated with its layer.
  const warnings = permissionWarnings(permissions as PermissionLists);
  return warnings.map(({ rule, kind, message }) => ({
    setting: `permissions.${kind}`,
    message: `${rule}: ${message}`,
  }));
}

/** Merges layers into settings. */
export function resolve(
  layers: readonly LayerInForce[],
  { mode, layer, setting }: ResolvedMode,
  trust: TrustState,
  warnings: readonly SettingsWarning[],
): ResolvedSettings {
  const { values, sources } = mergeLayers(layers);
  if (mode !== undefined && layer !== undefined && setting !== undefined) {
    const { permissions } = values;
    values["permissions"] = { ...(isObject(permissions) ? permissions : {}), defaultMode: mode };
    sources["permissions.defaultMode"] = layer;
  }
  // Every layer was validated, and merging adds nothing new.
  return { values: values as Settings, sources, warnings, trust };
}
