import type { HookExecutors } from "../hooks/executor.ts";
import { mergeHooks } from "../hooks/merge-hooks.ts";
import { DEFAULT_ALLOW_PATTERNS } from "../permissions/rules/default-rules.ts";
import type { PermissionLayer, PermissionLists } from "../permissions/permission.ts";
import { markBrought, personalFiles } from "../ports/brought-files.ts";
import type { Platform } from "../ports/platform.ts";
import type {
  ConfigurationUpdate,
  ConfigureContext,
  SessionConfiguration,
} from "../session/configuration.ts";
import { nativeWebTools } from "../session/turn/native-web.ts";
import type { Tool } from "../tools/tool.ts";
import { agentsInForce } from "./agents/agents-in-force.ts";
import { createAgentTool } from "./agents/agent-tool.ts";
import type { InstructionsInForce } from "./instructions/project-instructions.ts";
import type { InstructionFile } from "./instructions/read-instructions.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import { type LoadedSettings, loadSettings } from "./settings/load-settings.ts";
import { isObject } from "./settings/settings-object.ts";
import type { ResolvedSettings } from "./settings/settings.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

export interface SessionSurroundings extends ConfigureContext {
  platform: Platform;
  cwd: string;
  /** Tools that the session has already. */
  tools: readonly Tool[];
  /** Called with the settings in force, when the session opens and whenever they change. */
  onSettings: (settings: ResolvedSettings) => void;
}

/** The configuration from files of a workspace and its person; the session's options take precedence. */
export async function configureSession(
  options: InteractiveSessionOptions,
  { platform, cwd, tools: given, signal, delegate, onSettings }: SessionSurroundings,
): Promise<SessionConfiguration> {
  const { settings, trustWorkspace } = options;
  const executors = options.hookHost?.executors;
  const asked = {
    cwd,
    tools: given.map(({ name }) => name),
    hookTypes: executors && (await hookTypes(executors)),
    settings,
    trustWorkspace,
  };
  let loaded = await loadSettings(platform, { ...asked, signal });
  onSettings(loaded.resolved);
  const { instructions, prompt, compact } = await instructionsIn(loaded.instructions);
  const agents = agentsInForce(loaded.agents, {
    projectMayReplace: loaded.resolved.values.projectAgents === "replace",
  });
  const agentTool = createAgentTool({
    agents,
    instructions,
    delegate,
    randomUUID: () => platform.randomUUID(),
  });
  // A program's own tool of that name stays.
  const hasOwn = given.some(({ name }) => name === agentTool.name);
  const tools = hasOwn ? given : [...given, agentTool];
  const { values } = loaded.resolved;
  const { language } = values;
  const permissionMode = options.permissionMode ?? loaded.mode.mode;
  const compactInstructions = options.compactInstructions ?? compact;
  return {
    tools,
    hookAgents: async (...asked) => {
      const { hookAgents } = await import("./agents/hook-agents.ts");
      return hookAgents(agents, instructions)(...asked);
    },
    ...(values.hookOrigins && { hookOrigins: values.hookOrigins }),
    ...updateFrom(options, loaded),
    systemMessage: buildSystemPrompt({
      cwd,
      permissionMode: permissionMode ?? "default",
      tools,
      shell: platform.shell.kind,
      searchesWeb: nativeWebTools(options)?.webSearch ?? false,
      ...(language !== undefined && { language }),
    }),
    projectInstructions: prompt,
    ...(compactInstructions !== undefined && { compactInstructions }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(platform.userSettings === "home" && {
      // Changes by a turn to the person's own files are not the person's doing.
      watchTurn: async () => {
        const before = await personalFiles(platform);
        return () => markBrought(platform, before);
      },
    }),
    async refresh(turn, putInForce) {
      const { refreshSettings } = await import("./settings/refresh-settings.ts");
      const changed = await refreshSettings(platform, { ...asked, signal: turn }, loaded);
      if (!changed) return;
      await putInForce(updateFrom(options, changed));
      loaded = changed;
      onSettings(changed.resolved);
    },
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
): ConfigurationUpdate {
  const { values } = loaded.resolved;
  const readOnlyCommands = options.readOnlyCommands ?? values.readOnlyCommands;
  const maxTurns = options.maxTurns ?? values.maxTurns;
  const autoCompactThreshold = options.autoCompactThreshold ?? values.autoCompactThreshold;
  return {
    permissions: withLayers(options.permissions, loaded),
    hooks: mergeHooks(options.hooks, values.hooks),
    ...(readOnlyCommands !== undefined && { readOnlyCommands }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(autoCompactThreshold !== undefined && { autoCompactThreshold }),
  };
}

/** Most sessions have none, and then skip loading the code for them. */
async function instructionsIn(files: readonly InstructionFile[]): Promise<InstructionsInForce> {
  if (files.length === 0) return { instructions: {}, prompt: "" };
  const { instructionsInForce } = await import("./instructions/project-instructions.ts");
  return instructionsInForce(files);
}

/** The rules of all layers, each under its layer's name, and the default readable paths. */
function withLayers(given: PermissionLists = {}, { layers }: LoadedSettings): PermissionLists {
  const own = layers.flatMap(({ name, values: { permissions } }): PermissionLayer[] =>
    isObject(permissions) ? [{ name, lists: rulesOnly(permissions) }] : [],
  );
  const defaults = { name: "default", lists: { allow: DEFAULT_ALLOW_PATTERNS } };
  return { ...given, layers: [...(given.layers ?? []), ...own, defaults] };
}

function rulesOnly(permissions: Record<string, unknown>): PermissionLists {
  const { defaultMode: _, ...lists } = permissions;
  // Validated with its layer.
  return lists as PermissionLists;
}
