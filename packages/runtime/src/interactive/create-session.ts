import { getModelContextWindow } from "../context/models.ts";
import { ConfigurationError } from "../errors.ts";
import { workingDirectory } from "../ports/working-directory.ts";
import { WEB_SEARCH } from "../permissions/rules/tool-names.ts";
import { Session } from "../session/session.ts";
import { createDefaultTools } from "../tools/builtin/default-tools.ts";
import { toolsByName } from "../tools/tools-by-name.ts";
import type { CommandParts } from "./commands/session-commands.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import type { Skills } from "./skills/skills-in-force.ts";
import type { ResolvedSettings } from "./settings/settings.ts";

export interface ConfigurationListeners {
  /** Called with the settings in force, when the session opens and whenever they change. */
  onSettings: (settings: ResolvedSettings) => void;
  /** Called with the sources of commands when the session opens. */
  onCommands: (parts: CommandParts) => void;
  /** Called when a change of the configuration is in force. */
  onRefreshed: () => Promise<void>;
  /** Called with the skills in force when the session opens, and whenever they change. */
  onSkills: (skills: Skills) => void;
}

/**
 * Creates a session for interactive use: the built-in tools, a system prompt, approvals that wait for an answer, and
 * the settings of the person and the workspace.
 */
export function createSession(
  options: InteractiveSessionOptions,
  listeners: ConfigurationListeners,
): Session {
  // A session has no agents, and would take them for a misspelt option.
  const { agents: _, ...given } = options;
  const { platform, provider, builtInTools } = given;
  if (!platform)
    throw missing("platform", "nodePlatform(), browserPlatform() or edgePlatform(state)");
  if (!provider)
    throw missing("provider", "new OfflineProvider(), or one for a model you have a key for");
  const cwd = workingDirectory(options.cwd, platform);
  const own = toolsByName(options.tools);
  const tools = [...toolsByName([...createDefaultTools(platform, cwd), ...own.values()]).values()];
  return new Session({
    ...given,
    platform,
    provider,
    cwd,
    tools,
    unanswered: "wait",
    readsMentions: options.readsMentions ?? true,
    sessionId: (!options.forkSession && options.resumeSessionId) || options.sessionId,
    // The service's own search is a built-in tool too.
    nativeWebTools: (builtInTools?.includes(WEB_SEARCH) ?? true) && options.nativeWebTools,
    configure: async (context) => {
      const { configureSession } = await import("./configure-session.ts");
      const { contextWindow = getModelContextWindow(provider.model, options.models) } = options;
      return configureSession(options, {
        ...context,
        platform,
        cwd,
        contextWindow,
        tools,
        ownTools: createDefaultTools,
        ...listeners,
      });
    },
  });
}

function missing(part: string, example: string): ConfigurationError {
  return new ConfigurationError(`A session needs a ${part}`, {
    hint: `Pass { ${part} }: ${example}.`,
  });
}
