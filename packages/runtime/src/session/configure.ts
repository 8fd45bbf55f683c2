import { requirePermissionMode } from "../permissions/permission.ts";
import { checkLists } from "../permissions/rules/check-lists.ts";
import type { Tool } from "../tools/tool.ts";
import type { SessionConfiguration, TurnWatch } from "./configuration.ts";
import type { CollectParts } from "./agents/collect.ts";
import type { DelegationParts } from "./agents/delegate.ts";
import type { BeginSession } from "./agents/delegation.ts";
import type { SessionOptions } from "./options.ts";
import type { RefreshParts } from "./refresh-configuration.ts";
import { closed } from "./log/refusals.ts";
import type { RequestContext } from "./state/request-context.ts";
import { requireThreshold } from "./option-checks.ts";
import { raceAbort } from "../abort.ts";

export type ConfigurationParts = DelegationParts &
  CollectParts &
  RefreshParts & {
    /** The session's own copy: its configuration is put in. */
    readonly options: SessionOptions;
    readonly tools: Map<string, Tool>;
    readonly requestContext: RequestContext;
    refresh: ((signal: AbortSignal) => Promise<void>) | undefined;
    watchTurn: TurnWatch | undefined;
  };

/** Asks for the configuration and puts it in force, once. A session that is closed meanwhile waits no longer. */
export async function configure(
  parts: ConfigurationParts,
  beginSession: BeginSession,
  signal: AbortSignal,
): Promise<void> {
  const { options } = parts;
  if (!options.configure) return;
  const configuring = options.configure({
    signal,
    host: parts,
    delegate: async (...started) => {
      const { delegate } = await import("./agents/delegate.ts");
      await parts.approvals.rules.load();
      return delegate(parts, beginSession, ...started);
    },
    collect: async (...asked) => {
      const { collect } = await import("./agents/collect.ts");
      return collect(parts, ...asked);
    },
  });
  const configuration = await raceAbort(configuring, signal, closed);
  checkLists(configuration.permissions ?? {});
  apply(parts, configuration);
  // A failure before this is asked about again with the next opening.
  delete options.configure;
}

function apply(parts: ConfigurationParts, configuration: SessionConfiguration): void {
  const { options, state, requestContext } = parts;
  const {
    permissionMode,
    systemMessage,
    projectInstructions,
    promptReport,
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
    parts.autoCompactThreshold = requireThreshold(configuration.autoCompactThreshold);
  if (systemMessage !== undefined) state.systemMessage = systemMessage;
  if (configuration.language !== undefined) state.language = configuration.language;
  if (projectInstructions !== undefined) state.projectInstructions = projectInstructions;
  if (promptReport !== undefined) state.promptReport = promptReport;
  for (const tool of tools) parts.tools.set(tool.name, tool);
  Object.assign(options, others, { tools: [...parts.tools.values()] });
  requestContext.begin(options);
  parts.watchTurn = watchTurn;
  if (!refresh) return;
  parts.refresh = async (changing) => {
    const { refreshConfiguration } = await import("./refresh-configuration.ts");
    await refreshConfiguration(parts, refresh, changing);
  };
}
