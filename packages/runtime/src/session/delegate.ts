import type { HooksConfig } from "../hooks/definition.ts";
import type { HookEvent, HookFields } from "../hooks/events.ts";
import { chat, type Provider } from "../providers/provider.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { Approvals, PermissionHandler } from "./approvals/approvals.ts";
import type { BeginSession, Delegation, StartedAgent } from "./delegation.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { SessionOptions } from "./options.ts";
import type { SessionState } from "./state/state.ts";
import type { SessionTracer } from "./trace/tracer.ts";

export interface DelegationParts {
  readonly sessionId: string;
  readonly options: SessionOptions;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly state: SessionState;
  readonly approvals: Approvals;
  readonly hooks: SessionHooks;
  readonly tracer: SessionTracer | undefined;
}

/** Hooks that apply to an agent's work. Its start, its prompt and its end are not the session's own. */
const AGENT_HOOKS: readonly HookEvent[] = [
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PreCompact",
  "PostCompact",
];

/** The part of a session for an agent that a tool starts with the call of `context`. */
export function delegate(
  parts: DelegationParts,
  beginSession: BeginSession,
  context: ToolContext,
  agent: StartedAgent,
): Delegation {
  const { options, state, approvals, hooks, sessionId, tracer } = parts;
  const {
    roots,
    models,
    guardUntrustedReads,
    readOnlyCommands,
    hookHost,
    hookDepth,
    redactor,
    logger,
  } = options;
  const { hookAgents, hookOrigins } = options;
  const { providerTimeout, progressTimeout, callTimeout, maxTurns } = options;
  return {
    options: {
      provider: counted(options.provider, context),
      tools: [...parts.tools.values()],
      platform: context.platform,
      // The parent session records its file changes.
      trackFiles: false,
      keep: false,
      sessionId: agent.id,
      agent,
      cwd: state.cwd,
      permissionMode: state.mode,
      permissions: approvals.rules.lists,
      permissionHandler: relayed(parts, context, agent),
      hooks: only(options.hooks),
      nativeWebTools: false,
      guardUntrustedReads:
        guardUntrustedReads && (approvals.rules.hasUntrusted() ? "from-start" : true),
      roots,
      readOnlyCommands,
      models,
      hookHost,
      hookAgents,
      hookOrigins,
      hookDepth,
      redactor,
      logger: tracer && logger?.forSubagent?.(sessionId, agent.id),
      maxTurns,
      providerTimeout,
      progressTimeout,
      callTimeout,
    },
    open: beginSession,
    notifyHooks: (event, fields) => {
      // The fields of either event, with the agent's own.
      const all = { ...fields, agent_id: agent.id, agent_type: agent.type } as HookFields<
        typeof event
      >;
      return hooks.run(event, all, event === "SubagentStart" ? context.signal : undefined);
    },
  };
}

/** The provider, as long as the turn may use it. */
function counted(provider: Provider, { spending }: ToolContext): Provider {
  const own: Provider = {
    name: provider.name,
    model: provider.model,
    chat: (messages, options) => chat(own, messages, options),
    async *chatStream(messages, options) {
      const refusal = spending?.refusal();
      if (refusal) throw refusal;
      for await (const event of provider.chatStream(messages, options)) {
        if (event.type === "message" && event.message.usage) spending?.add(event.message.usage);
        yield event;
      }
    },
  };
  return own;
}

/** Forwards requests to whoever answers the session's. A wider answer holds for the agent as long as it lives. */
function relayed(
  { approvals }: DelegationParts,
  { toolCallId, signal }: ToolContext,
  agent: StartedAgent,
): PermissionHandler {
  return async (_tool, _args, request) => {
    const {
      by: _by,
      scope,
      ...answer
    } = await approvals.relay(request, { ...agent, toolCallId }, signal);
    if (scope === undefined) return answer;
    return { ...answer, scope: scope === "workspace" ? "session" : scope };
  };
}

function only(hooks: HooksConfig = {}): HooksConfig {
  return Object.fromEntries(
    Object.entries(hooks).filter(([event]) => (AGENT_HOOKS as readonly string[]).includes(event)),
  );
}
