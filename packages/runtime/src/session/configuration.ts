import { checkLists } from "../permissions/rules/check-lists.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { requireThreshold } from "./turn/compact-threshold.ts";
import type { SessionCore } from "./core.ts";
import type { Delegation, BeginSession, StartedAgent } from "./delegation.ts";
import type { SessionOptions } from "./options.ts";
import { closed } from "./refusals.ts";
import { unlessAborted } from "./unless-aborted.ts";

/**
 * What a session learns only when it opens, such as from files of settings. Takes the place of what its options said of the
 * same; what is left out stays.
 */
export interface SessionConfiguration extends Pick<
  SessionOptions,
  | "permissions"
  | "hooks"
  | "hookAgents"
  | "hookOrigins"
  | "maxTurns"
  | "systemMessage"
  | "projectInstructions"
  | "permissionMode"
  | "autoCompactThreshold"
  | "compactInstructions"
> {
  /** All of them; one that has the name of an earlier one replaces it. */
  tools?: readonly Tool[];
  /** Asked before each turn what has changed since. */
  refresh?: ConfigurationRefresh;
  /** Called when a turn begins or goes on; what it resolves to is called when the turn has ended or waits again. */
  watchTurn?: TurnWatch;
}

/** Looks at something before a turn, and again after it. */
export type TurnWatch = () => Promise<() => Promise<void>>;

/** What of a configuration can change while the session is open. */
export type ConfigurationUpdate = Pick<
  SessionOptions,
  "permissions" | "hooks" | "maxTurns" | "autoCompactThreshold"
>;

/**
 * Hands what has changed to `putInForce`, which takes all of it or throws; does nothing when nothing has. What it throws goes
 * into a note of the session, whose configuration stays as it is.
 */
export type ConfigurationRefresh = (
  signal: AbortSignal,
  putInForce: (update: ConfigurationUpdate) => Promise<void>,
) => Promise<void>;

export interface ConfigureContext {
  signal: AbortSignal;
  /** For tools that start agents: what of this session an agent has that runs for the call of `context`. */
  delegate: (context: ToolContext, agent: StartedAgent) => Promise<Delegation>;
}

/** Asks for the configuration and puts it in force, once. A session that is closed meanwhile waits no longer. */
export async function configure(
  core: SessionCore,
  beginSession: BeginSession,
  signal: AbortSignal,
): Promise<void> {
  const { options } = core;
  if (!options.configure) return;
  const delegateLater: ConfigureContext["delegate"] = async (context, agent) => {
    const { delegate } = await import("./delegation.ts");
    return delegate(core, beginSession, context, agent);
  };
  const asked = options.configure({ signal, delegate: delegateLater });
  const configuration = await unlessAborted(asked, signal, closed);
  checkLists(configuration.permissions ?? {});
  apply(core, configuration);
  // A failure before this is asked about again with the next opening.
  delete options.configure;
}

function apply(core: SessionCore, configuration: SessionConfiguration): void {
  const { options, state, view } = core;
  const {
    permissionMode,
    systemMessage,
    projectInstructions,
    refresh,
    watchTurn,
    tools = [],
    ...others
  } = configuration;
  if (permissionMode !== undefined) {
    requirePermissionMode(permissionMode);
    state.mode = permissionMode;
  }
  if (configuration.autoCompactThreshold !== undefined)
    core.autoCompactThreshold = requireThreshold(configuration.autoCompactThreshold);
  if (systemMessage !== undefined) state.systemMessage = systemMessage;
  if (projectInstructions !== undefined) state.projectInstructions = projectInstructions;
  for (const tool of tools) core.tools.set(tool.name, tool);
  Object.assign(options, others, { tools: [...core.tools.values()] });
  view.begin(options);
  core.watchTurn = watchTurn;
  if (!refresh) return;
  core.refresh = async (changing) => {
    const { refreshConfiguration } = await import("./refresh-configuration.ts");
    await refreshConfiguration(core, refresh, changing);
  };
}
