import { checkLists } from "../permissions/check-lists.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { requireThreshold } from "./compact-threshold.ts";
import type { SessionCore } from "./core.ts";
import type { Delegation, BeginSession, StartedAgent } from "./delegation.ts";
import type { SessionOptions } from "./options.ts";
import { closed } from "./refusals.ts";

/**
 * What a session learns only when it opens, such as from files of settings. Takes the place of what its options said of the
 * same; what is left out stays.
 */
export interface SessionConfiguration extends Pick<
  SessionOptions,
  | "permissions"
  | "hooks"
  | "maxTurns"
  | "systemMessage"
  | "projectInstructions"
  | "permissionMode"
  | "autoCompactThreshold"
  | "compactInstructions"
> {
  /** All of them; one that has the name of an earlier one replaces it. */
  tools?: readonly Tool[];
}

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
  const configuration = await orClosed(asked, signal);
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
}

async function orClosed<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: isClosed, reject } = Promise.withResolvers<never>();
  const close = (): void => reject(closed());
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    return await Promise.race([work, isClosed]);
  } finally {
    signal.removeEventListener("abort", close);
  }
}
