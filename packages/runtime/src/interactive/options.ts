import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import type { SessionOptions } from "../session/options.ts";
import type { Session } from "../session/session.ts";
import type { SessionStore } from "../session/store/session-store.ts";
import type { ImportIntoOptions } from "../session/transfer/open-session.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentDefinition } from "./agents/agent-definition.ts";
import type { CommandSource } from "./commands/command.ts";
import type { McpServerOption, McpSessionOptions } from "./mcp/mcp-options.ts";
import type { SettingsOptions } from "./settings/settings.ts";

/** The options of a session that an interactive one accepts unchanged. */
type GivenToSession =
  | "permissionMode"
  | "permissions"
  | "permissionHandler"
  | "promptForApproval"
  | "terminal"
  | "roots"
  | "guardUntrustedReads"
  | "loadsRulesLater"
  | "readsMentions"
  | "readOnlyCommands"
  | "hooks"
  | "hookHost"
  | "hookDepth"
  | "plugins"
  | "onPluginError"
  | "eventService"
  | "models"
  | "providers"
  | "budget"
  | "turnBudget"
  | "sessionId"
  | "onInterruptedTurn"
  | "takeOver"
  | "trackFiles"
  | "maxTurns"
  | "providerTimeout"
  | "progressTimeout"
  | "callTimeout"
  | "contextWindow"
  | "autoCompactThreshold"
  | "compactInstructions"
  | "onCompact"
  | "onCompactEvent"
  | "logger"
  | "redactor"
  | "responseFormat"
  | "nativeWebTools";

/** The options of an imported session. */
export type ImportedSessionOptions = Omit<
  InteractiveSessionParts,
  "platform" | "provider" | "resumeSessionId" | "forkSession" | "session" | "sessionStore"
> &
  ImportIntoOptions & { provider: Provider };

/**
 * A platform and a provider, or a prepared session. Without a `permissionHandler`, requests wait for
 * `resolvePermission`.
 */
export type InteractiveSessionOptions = InteractiveSessionParts &
  (
    | { platform: Platform; provider: Provider }
    | { session: Session }
    // No object is one: for options that lack a part, the compiler reports the last possibility.
    | {
        "a session needs { platform, provider }: nodePlatform() of @robota/adapters-node, browserPlatform() of @robota/adapters-web or edgePlatform(state) of @robota/adapters-edge, and a provider such as new OfflineProvider() of @robota/runtime/providers/offline": never;
        platform?: never;
      }
  );

/** The system prompt as the caller gives it. A resumed session gets it too; without it, it keeps its own. */
export interface SystemPromptChoice {
  /** Replaces the runtime's own system prompt. Project instructions and skills still follow it. */
  systemPrompt?: string | undefined;
  /** Added to the end of the system prompt. */
  appendSystemPrompt?: string | undefined;
}

/** The options of an interactive session, whichever of them are needed. */
export interface InteractiveSessionParts
  extends Pick<SessionOptions, GivenToSession>, SettingsOptions, SystemPromptChoice {
  platform?: Platform;
  provider?: Provider;
  /**
   * The platform's own when omitted: the process's in Node, `/workspace` in a tab and in a worker, else `/`. A relative one
   * starts there. A resumed session keeps its own.
   */
  cwd?: string | undefined;
  /** Added to the built-in tools; one of the same name replaces it. */
  tools?: readonly Tool[] | undefined;
  /**
   * Names of the built-in tools that the session has, such as `["Read", "Grep"]`; all of them when omitted, none for an
   * empty list. `Agent` and `Skill` are built in too; `tools` and those of MCP servers and plugins are not concerned.
   */
  builtInTools?: readonly string[] | undefined;
  /** Further agents. They come before those of files and Robota's own, whose names they may have. */
  agents?: readonly AgentDefinition[] | undefined;
  /** Opens that stored session. */
  resumeSessionId?: string | undefined;
  /** With `resumeSessionId`: continues in a fork of that session, which is unchanged. */
  forkSession?: boolean | undefined;
  /** Keeps the session where this store keeps its own, instead of in the platform's storage. */
  sessionStore?: SessionStore | undefined;
  /** MCP servers by their names, before those of settings of the same names. See `mcp` for how they are used. */
  mcpServers?: Readonly<Record<string, McpServerOption>> | undefined;
  mcp?: McpSessionOptions | undefined;
  /** Further commands, behind the built-in ones and before those of files. */
  commandSources?: readonly CommandSource[] | undefined;
  /** Prompts that may wait while a turn runs; default 1. */
  queueLimit?: number | undefined;
  /** A prepared session instead of everything above. */
  session?: Session;
}
