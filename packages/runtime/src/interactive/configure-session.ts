import { defined } from "../defined.ts";
import type { HookExecutors } from "../hooks/executor.ts";
import { mergeHooks } from "../hooks/merge-hooks.ts";
import { WEB_SEARCH } from "../permissions/rules/tool-names.ts";
import { DEFAULT_ALLOW_PATTERNS } from "../permissions/rules/default-rules.ts";
import type {
  PermissionLayer,
  PermissionLists,
  PermissionMode,
} from "../permissions/permission.ts";
import { markBrought, personalFiles } from "../ports/brought-files.ts";
import type { Platform } from "../ports/platform.ts";
import type {
  ConfigurationUpdate,
  ConfigureContext,
  SessionConfiguration,
  TurnWatch,
} from "../session/configuration.ts";
import { nativeWebTools } from "../session/turn/native-web.ts";
import type { Tool } from "../tools/tool.ts";
import type { CommandSource } from "./commands/command.ts";
import type { AgentDefinition } from "./agents/agent-definition.ts";
import { agentsInForce, isSameAgents } from "./agents/agents-in-force.ts";
import { createAgentOutputTool } from "./agents/agent-output-tool.ts";
import { createAgentTool } from "./agents/agent-tool.ts";
import { commandsOfBundles, toolsOfBundles, withBundles } from "./bundles/session-bundles.ts";
import { type BuiltInToolFilter, toolChoice, withChosenTools } from "./built-in-tools.ts";
import type { ConfigurationListeners } from "./create-session.ts";
import { compactInstructions } from "./instructions/compact-instructions.ts";
import {
  type ProjectInstructions,
  projectInstructions,
} from "./instructions/project-instructions.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import type { SessionServers } from "./mcp/session-servers.ts";
import { fitBroughtSections } from "./prompt/brought-sections.ts";
import { buildSystemPrompt, type SystemPrompt } from "./prompt/build-system-prompt.ts";
import type { FittedSections } from "./prompt/fit-sections.ts";
import { replacedPrompt, withGivenPrompt } from "./prompt/given-prompt.ts";
import { projectSection } from "./project/project-section.ts";
import { ownSections } from "./prompt/own-sections.ts";
import type { PromptSection } from "./prompt/prompt-section.ts";
import {
  type LoadedSettings,
  loadSettings,
  type LoadSettingsOptions,
} from "./settings/load-settings.ts";
import { SkillFileCache } from "./skills/skill-file-cache.ts";
import { LiveSkills } from "./skills/live-skills.ts";
import type { RemoteSkills } from "./skills/remote-skills.ts";
import { isObject } from "./settings/settings-object.ts";
import type { TrustManager } from "./commands/trust-manager.ts";

export interface SessionSurroundings extends ConfigureContext, ConfigurationListeners {
  platform: Platform;
  cwd: string;
  /** Size of the model's window, in tokens. */
  contextWindow: number;
  /** Tools that the session has already. */
  tools: readonly Tool[];
  /** The tools that every session has, for one on these files. */
  ownTools: (platform: Platform, cwd: string) => Tool[];
}

/** The configuration from files of a workspace and its person; the session's options take precedence. */
export async function configureSession(
  options: InteractiveSessionOptions,
  given: SessionSurroundings,
): Promise<SessionConfiguration> {
  const isChosen = toolChoice(options);
  const surroundings = withChosenTools(given, options.tools, isChosen);
  const { platform, cwd, contextWindow, signal, ...listeners } = surroundings;
  const asked = await settingsOptions(options, surroundings);
  let loaded = await loadSettings(platform, { ...asked, signal });
  const found = await skillFiles(loaded, { platform, signal });
  const skills = await LiveSkills.of(loaded.skills, { fetched: found.fetched, contextWindow });
  const brought = await fitBroughtSections(loaded, { contextWindow, skills: skills.parts });
  const report = ({ resolved }: LoadedSettings): void => {
    listeners.onSkills(skills.parts?.skills ?? new Map());
    const warnings = [...resolved.warnings, ...found.warnings, ...brought.warnings];
    listeners.onSettings({ ...resolved, warnings });
  };
  report(loaded);
  const instructions = projectInstructions(brought.kept);
  let agents = agentsOf(options, loaded);
  let servers = await serversOf(options, surroundings, () => loaded);
  const plugins = commandsOfBundles(platform, cwd, () => loaded);
  const prompts = promptsOf(() => servers);
  const revocation = new Revocation();
  listeners.onCommands({
    sources: [...(options.commandSources ?? []), skills.source, plugins, prompts],
    agents: () => [...agents.values()],
    place: { platform, cwd },
    trust: () => trustOf(platform, asked, revocation),
    servers: () => servers,
  });
  const ownTools = (): Tool[] =>
    toolsWith(surroundings, { loaded, skills, agents, instructions, isChosen });
  let own = ownTools();
  const tools = [...own, ...(await toolsOfBundles(loaded))];
  const { values } = loaded.resolved;
  const permissionMode = options.permissionMode ?? loaded.mode.mode;
  const { language } = values;
  const promptFacts = { loaded, tools, permissionMode, language };
  return {
    tools,
    hookAgents: hookAgentsOf(() => agents, instructions),
    ...updateFrom(options, loaded, skills, servers),
    prepareRound: (turn) => servers?.prepareRound(turn),
    skillRules: skills.rules,
    skillModel: skills.modelOf,
    ...systemPromptOf(options, surroundings, promptFacts, brought),
    compactInstructions: options.compactInstructions ?? compactInstructions(loaded.instructions),
    ...defined({
      hookOrigins: values.hookOrigins,
      language,
      permissionMode,
      watchTurn: platform.userSettings === "home" ? watchOf(platform, loaded) : undefined,
    }),
    async refresh(turn, putInForce) {
      const { refreshSettings } = await import("./settings/refresh-settings.ts");
      const current = { ...asked, ...revocation.decision, signal: turn };
      const changed = await refreshSettings(platform, current, loaded, revocation.take());
      if (!changed) return;
      servers ??= await serversOf(options, surroundings, () => changed);
      const news = await skills.update(changed.skills);
      const update = updateFrom(options, changed, skills, servers);
      const hasOtherAgents = !isSameAgents(changed.agents, loaded.agents);
      if (hasOtherAgents) agents = agentsOf(options, changed);
      if (news || hasOtherAgents) {
        own = ownTools();
        update.tools = [...own, ...(await toolsOfBundles(changed))];
        update.hooks = mergeHooks(update.hooks, news);
      }
      await putInForce(await withBundles(update, own, loaded, changed));
      loaded = changed;
      report(changed);
      await listeners.onRefreshed();
    },
  };
}

async function settingsOptions(
  { settings, trustWorkspace, hookHost }: InteractiveSessionOptions,
  { platform, cwd, tools }: SessionSurroundings,
): Promise<LoadSettingsOptions> {
  const executors = hookHost?.executors;
  return {
    cwd,
    tools: tools.map(({ name }) => name),
    hookTypes: executors && (await hookTypes(executors)),
    settings,
    trustWorkspace,
    skillFiles: new SkillFileCache(() => platform.now()),
  };
}

function agentsOf(
  { agents: given }: InteractiveSessionOptions,
  { agents, resolved }: LoadedSettings,
): ReadonlyMap<string, AgentDefinition> {
  const projectMayReplace = resolved.values.projectAgents === "replace";
  return agentsInForce(agents, { given, projectMayReplace });
}

function hookAgentsOf(
  agents: () => ReadonlyMap<string, AgentDefinition>,
  instructions: ProjectInstructions,
): NonNullable<SessionConfiguration["hookAgents"]> {
  return async (...asked) => {
    const { hookAgents } = await import("./agents/hook-agents.ts");
    return hookAgents(agents(), instructions)(...asked);
  };
}

/** The facts behind the sections of the system prompt that are not from files. */
interface OwnPromptFacts {
  loaded: LoadedSettings;
  tools: readonly Tool[];
  permissionMode: PermissionMode | undefined;
  language: string | undefined;
  /** The directory of a stored session, when it is another one. */
  cwd?: string;
}

/** The system prompt of a new session, and the one that a stored session gets instead of its own, if the caller gives one. */
function systemPromptOf(
  options: InteractiveSessionOptions,
  surroundings: SessionSurroundings,
  facts: OwnPromptFacts,
  brought: FittedSections,
): SystemPrompt & Pick<SessionConfiguration, "promptOnResume"> {
  const sections = (where: Pick<OwnPromptFacts, "cwd" | "language"> = facts): PromptSection[] =>
    sectionsOf(options, surroundings, { ...facts, ...where });
  const isGiven = (options.systemPrompt ?? options.appendSystemPrompt) !== undefined;
  return {
    ...buildSystemPrompt(sections(), brought),
    promptOnResume: isGiven
      ? ({ cwd, language, promptReport }) =>
          replacedPrompt(sections({ cwd, language }), promptReport)
      : undefined,
  };
}

/** The sections of the system prompt that are not from files: the runtime's own, as far as the caller replaces none. */
function sectionsOf(
  options: InteractiveSessionOptions,
  { platform, cwd: here }: SessionSurroundings,
  { loaded, tools, permissionMode = "default", language, cwd = here }: OwnPromptFacts,
): PromptSection[] {
  const searchesWeb = nativeWebTools(options)?.webSearch ?? false;
  const own = ownSections({
    cwd,
    project: projectSection(loaded.project),
    permissionMode,
    tools,
    shell: platform.shell.kind,
    searchesWeb: searchesWeb && toolChoice(options)(WEB_SEARCH),
    language,
  });
  return withGivenPrompt(own, options);
}

/** A person's no to the workspace in an open session. It counts before the program's yes. */
class Revocation {
  #isNew = false;
  decision: Pick<InteractiveSessionOptions, "trustWorkspace"> = {};

  revoke(): void {
    this.#isNew = true;
    this.decision = { trustWorkspace: undefined };
  }

  /** True for the first turn after it. */
  take(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }
}

async function trustOf(
  platform: Platform,
  asked: LoadSettingsOptions,
  revocation: Revocation,
): Promise<TrustManager> {
  const { trustManager } = await import("./commands/trust-manager.ts");
  return trustManager(platform, asked, () => revocation.revoke());
}

interface ToolParts {
  loaded: LoadedSettings;
  skills: LiveSkills;
  agents: ReadonlyMap<string, AgentDefinition>;
  instructions: ProjectInstructions;
  isChosen: BuiltInToolFilter;
}

/** The given tools, and those for agents and skills; a program's own tools of these names stay. */
function toolsWith(
  { tools: given, platform, delegate, collect, ownTools }: SessionSurroundings,
  { loaded, skills, agents, instructions, isChosen }: ToolParts,
): Tool[] {
  const forAgents = {
    agents,
    instructions,
    delegate,
    ownTools,
    randomUUID: () => platform.randomUUID(),
    levels: loaded.resolved.values.agentDepth ?? 1,
    mayRunInBackground: true,
    createTool: createAgentTool,
  };
  const added = [
    createAgentTool(forAgents),
    createAgentOutputTool({ collect }),
    ...skills.tools(forAgents),
  ];
  const own = new Set(given.map(({ name }) => name));
  return [...given, ...added.filter(({ name }) => !own.has(name) && isChosen(name))];
}

/** Observes the person's own files: a turn's changes to them are not the person's doing. */
function watchOf(platform: Platform, { instructions }: LoadedSettings): TurnWatch {
  const imported = instructions.flatMap(({ scope, importedBy, path }) =>
    scope === "user" && importedBy !== undefined ? [path] : [],
  );
  return async () => {
    const before = await personalFiles(platform, imported);
    return () => markBrought(platform, before, imported);
  };
}

/** Most sessions have no executors of their own. */
async function hookTypes(executors: HookExecutors): Promise<string[]> {
  const { typesOf } = await import("../session/hooks/hook-checks.ts");
  return typesOf(executors);
}

/** The settings that take effect while a session is open. */
function updateFrom(
  options: InteractiveSessionOptions,
  loaded: LoadedSettings,
  skills: LiveSkills,
  servers: SessionServers | undefined,
): ConfigurationUpdate {
  const { values } = loaded.resolved;
  return defined({
    permissions: withLayers(options.permissions, loaded, skills),
    hooks: mergeHooks(options.hooks, values.hooks, servers?.hooks),
    readOnlyCommands: options.readOnlyCommands ?? values.readOnlyCommands,
    maxTurns: options.maxTurns ?? values.maxTurns,
    autoCompactThreshold: options.autoCompactThreshold ?? values.autoCompactThreshold,
  });
}

/** The prompts of MCP servers as commands. */
function promptsOf(servers: () => SessionServers | undefined): CommandSource {
  return {
    name: "mcp",
    isEmpty: () => !servers(),
    getCommands: () => servers()?.commands() ?? [],
  };
}

/** Most sessions have no MCP servers, and then skip loading the code for them. */
async function serversOf(
  options: InteractiveSessionOptions,
  surroundings: SessionSurroundings,
  loaded: () => LoadedSettings,
): Promise<SessionServers | undefined> {
  const named = { ...options.mcpServers, ...loaded().resolved.values.mcpServers };
  if (Object.keys(named).length === 0) return undefined;
  const { sessionServers } = await import("./mcp/configured-servers.ts");
  return sessionServers(options, surroundings, loaded);
}

/** The skills that settings name by address. */
async function skillFiles(
  { resolved, skills }: LoadedSettings,
  host: { platform: Platform; signal: AbortSignal },
): Promise<RemoteSkills> {
  if (resolved.values.skills === undefined) return { fetched: [], warnings: [] };
  const { withRemoteSkills } = await import("./skills/remote-skills.ts");
  return withRemoteSkills(skills, resolved.values, host);
}

/** The rules of all layers, each under its layer's name, and the default readable paths. */
function withLayers(
  given: PermissionLists = {},
  { layers }: LoadedSettings,
  skills: LiveSkills,
): PermissionLists {
  const own = layers.flatMap(({ name, values: { permissions } }): PermissionLayer[] =>
    isObject(permissions) ? [{ name, lists: rulesOnly(permissions) }] : [],
  );
  const defaults = { name: "default", lists: { allow: DEFAULT_ALLOW_PATTERNS } };
  return { ...given, layers: [...(given.layers ?? []), ...own, ...skills.readable, defaults] };
}

function rulesOnly(permissions: Record<string, unknown>): PermissionLists {
  // A file may have other keys, of which its settings warn.
  const { allow, ask, deny, examples } = permissions;
  // Validated with its layer.
  return { allow, ask, deny, examples } as PermissionLists;
}
