import { SessionError } from "../../errors.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import type { HookEvent, HookFields } from "../../hooks/events.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";
import { derivedProvider } from "../../providers/derived.ts";
import { generate, type Provider } from "../../providers/provider.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { Approvals, PermissionHandler } from "../approvals/approvals.ts";
import type { TurnWatch } from "../configuration.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "../state/state.ts";
import type { SessionTracer } from "../trace/tracer.ts";
import { AgentRecorder } from "./agent-recorder.ts";
import type {
  BeginSession,
  DelegatingCall,
  Delegation,
  Isolation,
  StartedAgent,
} from "./delegation.ts";
import { runningAgents } from "./running-agents.ts";

export interface DelegationParts {
  readonly sessionId: string;
  readonly options: SessionOptions;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The platform of the session's tools. */
  readonly platform: Platform;
  readonly hostPlatform: Platform;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly approvals: Approvals;
  readonly hooks: SessionHooks;
  readonly tracer: SessionTracer | undefined;
  readonly toolState: Map<string, unknown>;
  readonly watchTurn: TurnWatch | undefined;
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
  context: DelegatingCall,
  agent: StartedAgent,
): Delegation {
  const { approvals, hooks, log } = parts;
  const provider = counted(parts.options.provider, context);
  const place = { parentId: context.toolCallId, agentId: agent.id };
  const delegation: Delegation = {
    options: childOptions(parts, context, agent, provider),
    open: beginSession,
    notifyHooks: (event, fields) => {
      // The fields of either event, with the agent's own.
      const all = { ...fields, agent_id: agent.id, agent_type: agent.type } as HookFields<
        typeof event
      >;
      return hooks.run(event, all, event === "SubagentStart" ? context.signal : undefined);
    },
    record: (step) => log.commit(step),
    follow: (session, model) => {
      const recorder = new AgentRecorder(place, model);
      session.subscribe((event) => {
        const step = recorder.take(event);
        if (step) streamUnlessClosed(log, step);
      });
      return () => recorder.used;
    },
    isolate: () => isolate(parts, context, agent, delegation),
    explain: (tool, args) =>
      approvals.rules.explainOnFiles(tool, args, toolContext(parts, context)),
    ask: (question) =>
      approvals.relay(
        { ...question, id: "", toolCallId: agent.id },
        { ...agent, toolCallId: context.toolCallId },
        context.signal,
      ),
    running: runningAgents(parts.toolState),
    watch: parts.watchTurn,
  };
  return delegation;
}

async function isolate(
  parts: DelegationParts,
  { signal }: DelegatingCall,
  agent: StartedAgent,
  { ask, explain }: Delegation,
): Promise<Isolation | undefined> {
  const { platform, options, state } = parts;
  const { IsolatedFiles } = await import("./isolated-files.ts");
  const files = new IsolatedFiles(platform.fs, () => platform.now());
  const over = platformOver(parts, files.fs);
  const roots = options.roots ?? [state.cwd];
  return (
    over && {
      platform: over,
      settle: async (result) => {
        const { mergeFiles } = await import("./merge-files.ts");
        const target = platform.fs;
        return mergeFiles({ files, target, roots, agent, signal, ask, explain }, result);
      },
    }
  );
}

/** An agent that does not end with its turn may outlive the session. */
function streamUnlessClosed(log: SessionLog, step: SessionEventBody): void {
  try {
    log.stream(step);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
  }
}

function childOptions(
  { options, tools, state, approvals, sessionId, tracer }: DelegationParts,
  context: DelegatingCall,
  agent: StartedAgent,
  provider: Provider,
): SessionOptions {
  const { roots, models, guardUntrustedReads, readOnlyCommands, hookHost, hookDepth } = options;
  const { hookAgents, hookOrigins, redactor, logger } = options;
  const { providerTimeout, progressTimeout, callTimeout, maxTurns } = options;
  return {
    provider,
    tools: [...tools.values()],
    platform: context.platform,
    // The parent session records its file changes.
    trackFiles: false,
    keep: false,
    sessionId: agent.id,
    agent,
    cwd: state.cwd,
    permissionMode: state.mode,
    permissions: approvals.rules.lists,
    permissionHandler: relayed(approvals, context, agent),
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
  };
}

/** The provider, as long as the turn may use it. */
function counted(provider: Provider, { spending }: DelegatingCall): Provider {
  const { name, model } = provider;
  return derivedProvider({
    name,
    model: () => model,
    members: [provider],
    async generate(messages, options, onEvent) {
      const other = options.model === model ? undefined : options.model;
      const refusal = spending?.refusal(other);
      if (refusal) throw refusal;
      const message = await generate(provider, messages, options, onEvent);
      if (message.usage) spending?.add(message.usage, other);
      return message;
    },
  });
}

/** Forwards requests to the session's own handler. A wider answer holds for the agent as long as it lives. */
function relayed(
  approvals: Approvals,
  { toolCallId, signal }: DelegatingCall,
  agent: StartedAgent,
): PermissionHandler {
  return async (_tool, _args, request) => {
    // An agent of this agent asks in both their names.
    const type = request.agent ? `${agent.type} > ${request.agent.type}` : agent.type;
    const asking = { ...agent, type, toolCallId };
    const { by: _by, scope, ...answer } = await approvals.relay(request, asking, signal);
    if (scope === undefined) return answer;
    return { ...answer, scope: scope === "workspace" ? "session" : scope };
  };
}

/** Programs of a machine can't see other files: commands run in its shell's virtual one then. */
function platformOver(
  { platform, hostPlatform }: DelegationParts,
  fs: FileSystem,
): Platform | undefined {
  const shell = platform.shell.over?.(fs) ?? hostPlatform.shell.virtual?.(fs);
  return shell && withParts(platform, { fs, shell });
}

/** The same platform with other parts. */
function withParts(platform: Platform, parts: Pick<Platform, "fs" | "shell">): Platform {
  return new Proxy(platform, {
    get(target, name): unknown {
      if (Object.hasOwn(parts, name)) return Reflect.get(parts, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The call as rules see it. */
function toolContext({ state, toolState }: DelegationParts, call: DelegatingCall): ToolContext {
  return {
    ...call,
    cwd: state.cwd,
    ownerPath: [],
    emit: () => undefined,
    state: toolState,
    memory: new Map(),
  };
}

function only(hooks: HooksConfig = {}): HooksConfig {
  return Object.fromEntries(
    Object.entries(hooks).filter(([event]) => (AGENT_HOOKS as readonly string[]).includes(event)),
  );
}
