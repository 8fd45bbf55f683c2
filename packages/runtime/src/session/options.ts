import type { Budget } from "../agent/budget.ts";
import type { ModelDefinition } from "../context/models.ts";
import type { PluginError } from "../errors.ts";
import type { EventService } from "../events/event-service.ts";
import type { HooksConfig } from "../hooks/definition.ts";
import type { HookHost } from "../hooks/run-hooks.ts";
import type { Plugin } from "../plugins/plugin.ts";
import type { ContextWindowState } from "../context/tracker.ts";
import type { TokenUsage, ToolArgs } from "../messages/message.ts";
import type { Redactor } from "../messages/redactor.ts";
import type { PermissionLists, PermissionMode } from "../permissions/permission.ts";
import type { Storage } from "../ports/storage.ts";
import type { TerminalOutput } from "../ports/terminal.ts";
import type { Provider } from "../providers/provider.ts";
import type { Tool } from "../tools/tool.ts";
import type { PlatformParts } from "../ports/assemble.ts";
import type { CompactionEvent } from "./turn/compaction-event.ts";
import type { ConfigureContext, SessionConfiguration } from "./configuration.ts";
import type { StartedAgent } from "./delegation.ts";
import type { TurnRequest } from "./log/events.ts";
import type { WaitingPrompt } from "./queue.ts";
import type { PermissionHandler } from "./approvals/approvals.ts";
import type { SessionLogger } from "./trace/logger.ts";
import type { ToolSummary } from "./state/state.ts";
import type { PromptForApproval } from "./terminal/prompt-for-approval.ts";

export interface SessionOptions extends PlatformParts {
  provider: Provider;
  tools?: readonly Tool[];
  systemMessage?: string;
  /** What the project says of how to work in it: told to the model behind the system message, and counted as memory. */
  projectInstructions?: string;
  /**
   * Asked once when the session opens, before anything is loaded or runs, for what only then can be known. What it throws
   * is what opening fails with. `signal` aborts when the session is closed meanwhile.
   */
  configure?(context: ConfigureContext): Promise<SessionConfiguration>;
  /** The platform's own when omitted, else `/`; a relative one starts there. */
  cwd?: string;
  /** Given: that session, new or stored. Omitted: a new one with a UUID. Letters, digits, `_` and `-`, at most 64. */
  sessionId?: string;
  permissionMode?: PermissionMode;
  permissions?: PermissionLists;
  permissionHandler?: PermissionHandler;
  /** Asked when there is no handler, with the terminal: `promptForApproval` of this package, or a function of one's own. */
  promptForApproval?: PromptForApproval;
  /** Where a person sees that work goes on and what hooks warn of, and is asked by `promptForApproval`. */
  terminal?: TerminalOutput;
  /** What happens to a call that needs approval when neither is given: `deny` (default), or `wait` for `resolvePermission`. */
  unanswered?: "wait" | "deny";
  /** The workspace's directories, absolute: looking outside of them asks. The working directory when omitted. */
  roots?: readonly string[];
  /**
   * Whether commands that only look at the workspace run without asking, in `default` and `acceptEdits`. True when omitted;
   * `false` leaves it to the rules.
   */
  readOnlyCommands?: boolean;
  /**
   * Whether what judges calls is loaded with the first turn instead of at opening: a page's first screen needs none of it.
   * Rules that the session has are loaded and checked at opening all the same. Until it is loaded, `explain` throws `CLOSED`.
   * False when omitted.
   */
  loadsRulesLater?: boolean;
  /**
   * Once something from the network was read, reaching out and looking outside ask again, whatever is allowed;
   * `from-start` for a session that is begun by one which has read some.
   */
  guardUntrustedReads?: boolean | "from-start";
  /** What runs at the session's events, such as before a tool. */
  hooks?: HooksConfig;
  /** For hooks of one's own types, and what those that ask models and agents use instead of the session's provider. */
  hookHost?: Pick<HookHost, "executors" | "ask" | "runAgent" | "egress">;
  /** Private origins that http hooks may reach, such as `http://127.0.0.1:9000`, besides those of `hookHost.egress`. */
  hookOrigins?: readonly string[];
  /** The agents that hooks can name. Without it, a hook's agent needs a `systemPrompt` in its `config`. */
  hookAgents?: HookAgents;
  /** The subagent whose session it is, for hooks. */
  agent?: StartedAgent;
  /** How many agents of hooks this is inside of; no hook runs inside of one. */
  hookDepth?: number;
  /** Watch and guard every turn, in the order of their priorities. */
  plugins?: readonly Plugin[];
  /** Told when a plugin threw; the turn goes on. */
  onPluginError?(error: PluginError): void;
  /** Gets the events of `AGENT_EVENTS`, each with the path of its owners. */
  eventService?: EventService;
  /** Models of one's own, for windows and prices; looked at before the catalog. */
  models?: readonly ModelDefinition[];
  /** Budget of all turns together, also those before the session was resumed. */
  budget?: Budget;
  /** Budget of each turn. */
  turnBudget?: Budget;
  /** Rounds of tools after which an answer is asked for; omitted or 0 for no limit. */
  maxTurns?: number;
  /** Milliseconds without any progress after which a provider call fails. */
  providerTimeout?: number;
  /** Milliseconds without anything new of an answer, although the service is alive; 15 minutes when omitted, 0 for no limit. */
  progressTimeout?: number;
  /** Milliseconds that one answer may take at the most; an hour when omitted, 0 for no limit. */
  callTimeout?: number;
  /** Overrides the catalog. Tokens. */
  contextWindow?: number;
  /**
   * Share of the window above which the session compacts by itself, before a turn or within it; 0.835 when omitted,
   * `false` for never. Without it, a full window ends the turn with an answer that says so.
   */
  autoCompactThreshold?: number | false;
  /** What summaries keep in view, when `compact` is not told. */
  compactInstructions?: string;
  /** Whether it is kept at all; `false` for one that nobody opens again. */
  keep?: boolean;
  /** Keeps the session where this store keeps its own, instead of in the platform's storage. */
  sessionStore?: { readonly storage: Storage };
  /**
   * Takes down how files were before they are changed, so that they can be rewound; on unless `false`. On a machine whose
   * programs are run, the working directory is looked at before and after each command.
   */
  trackFiles?: boolean;
  /** Gets the log of everything that happens, for people and for replay readers; nothing is logged without. */
  logger?: SessionLogger;
  /** Knows what else is a secret, for what the logger gets. */
  redactor?: Redactor;
  /** Whether the provider's own web search is offered while `WebSearch` needs no approval; unless `false`. */
  nativeWebTools?: boolean;
  /** Takes a session over that another tab or process holds. */
  takeOver?: boolean;
  onTextDelta?(delta: string): void;
  onToolExecution?(execution: ToolExecution): void;
  onContextUpdate?(state: ContextWindowState): void;
  /** Gets the summary that took the conversation's place. */
  onCompact?(summary: string): void;
  /** Told of each compaction, with how full the window was before and is after it. */
  onCompactEvent?(event: CompactionEvent): void;
}

/**
 * What the agent of that name has of a session: its own prompt, and of the session's tools, model and rounds what its
 * definition lets it have.
 * @throws {ConfigurationError} when there is none
 */
export type HookAgents = (name: string, session: SessionOptions) => HookAgent | Promise<HookAgent>;

/** What a hook's agent runs with. */
export type HookAgent = Pick<SessionOptions, "provider" | "tools" | "systemMessage" | "maxTurns">;

/** What `onToolExecution` is told. */
export interface ToolExecution {
  type: "start" | "end";
  /** The same as `type`. */
  phase: "start" | "end";
  toolName: string;
  toolArgs: ToolArgs;
  success?: boolean;
  denied?: boolean;
  errorCode?: string;
  /** Why the call was not run: no such tool, wrong arguments, not allowed, blocked, stopped. */
  reason?: string;
  toolResultData?: string;
}

/** How a turn ended. */
export interface TurnOutcome {
  turnId: string;
  state: "complete" | "interrupted" | "failed";
  response: string;
  toolSummaries: ToolSummary[];
  /** Of all calls of models in this turn; absent for one that never began. */
  usage?: TokenUsage;
  /** US dollars, when the model's prices are known. */
  cost?: number;
  /** There when it failed, as it was thrown. */
  error?: unknown;
  /** What `steer` was given too late for the turn to take. */
  unread: string[];
}

export interface TurnInput {
  input: string;
  /** What history shows instead. */
  displayInput?: string;
  /** What hooks are told instead: the prompt as it was typed. */
  rawInput?: string;
  /** The client's request that it comes of; recorded together with the turn's begin. */
  request?: TurnRequest;
  /** Prompts that wait behind this one, as of the turn's begin; recorded together with it, so that none is lost or run twice. */
  queue?: readonly (string | WaitingPrompt)[];
  /** Stops the turn, also before it began. */
  signal?: AbortSignal;
}
