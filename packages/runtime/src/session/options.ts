import type { Budget } from "../agent/budget.ts";
import type { ModelDefinition } from "../context/models.ts";
import type { PluginError } from "../errors.ts";
import type { EventService } from "../events/event-service.ts";
import type { HooksConfig } from "../hooks/definition.ts";
import type { HookHost } from "../hooks/run-hooks.ts";
import type { Plugin } from "../plugins/plugin.ts";
import type { SystemPromptReport } from "../context/prompt-report.ts";
import type { ContextWindowState } from "../context/tracker.ts";
import type { Attachment, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { Redactor } from "../messages/redactor.ts";
import type { PermissionLists, PermissionMode } from "../permissions/permission.ts";
import type { Storage } from "../ports/storage.ts";
import type { TerminalOutput } from "../ports/terminal.ts";
import type { AnswerFormat, ChatOptions, Provider } from "../providers/provider.ts";
import type { Tool } from "../tools/tool.ts";
import type { PlatformParts } from "../ports/assemble.ts";
import type { CompactionEvent } from "./turn/compaction-event.ts";
import type { ConfigureContext, SessionConfiguration } from "./configuration.ts";
import type { StartedAgent } from "./agents/delegation.ts";
import type { TurnRequest } from "./log/events.ts";
import type { WaitingPrompt } from "./queue.ts";
import type { PermissionHandler } from "./approvals/approvals.ts";
import type { SessionLogger } from "./trace/logger.ts";
import type { ToolSummary } from "./state/tool-state.ts";
import type { PromptForApproval } from "./terminal/prompt-for-approval.ts";

/** The model and the effort that a skill wants for its work. */
export interface SkillModel extends Pick<ChatOptions, "model" | "effort"> {
  /** A model that it wants and the provider does not have. */
  unavailableModel?: string | undefined;
}

/** Makes a system prompt for a stored session, of what its record says. */
export type PromptOnResume = (recorded: {
  cwd: string;
  language: string | undefined;
  promptReport: SystemPromptReport | undefined;
}) => { systemMessage: string; promptReport?: SystemPromptReport };

export interface SessionOptions extends PlatformParts {
  provider: Provider;
  /**
   * Further providers, which `setModel` finds by their names. A stored session continues with the provider and the model
   * that were chosen last, when it is among these.
   */
  providers?: readonly Provider[] | undefined;
  tools?: readonly Tool[] | undefined;
  systemMessage?: string | undefined;
  /** The project's instructions: sent to the model after the system message, and counted as memory. */
  projectInstructions?: string | undefined;
  /** The account of the sections in both, recorded with them. */
  promptReport?: SystemPromptReport | undefined;
  /** Returns the system prompt that a stored session continues with, instead of its own. */
  promptOnResume?: PromptOnResume | undefined;
  /** The form of the answers, for the model. Nothing checks them: `structuredAnswers` does. */
  responseFormat?: ChatOptions["responseFormat"];
  /** Language of the answers, such as `German` or `pt-BR`: the system message asks for it. */
  language?: string | undefined;
  /**
   * Called once when the session opens, before anything is loaded or runs, for late configuration. Its exceptions fail
   * the opening. `signal` aborts when the session is closed meanwhile.
   */
  configure?(context: ConfigureContext): Promise<SessionConfiguration>;
  /** Called before each round of a turn, and awaited: the session's tools may change until it resolves. */
  prepareRound?: ((signal: AbortSignal) => Promise<void> | undefined) | undefined;
  /**
   * Sends the files that a prompt mentions as `@path` along with it, as far as the session may read them without approval.
   * False by default.
   */
  readsMentions?: boolean | undefined;
  /** The platform's own when omitted, else `/`; a relative one starts there. */
  cwd?: string | undefined;
  /**
   * The id of a stored session to open, or of a new one. A UUID when omitted. Letters, digits, `_` and `-`, at most 64.
   */
  sessionId?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  permissions?: PermissionLists | undefined;
  permissionHandler?: PermissionHandler | undefined;
  /** Fallback without a handler, with the terminal: `promptForApproval` of this package, or a custom function. */
  promptForApproval?: PromptForApproval | undefined;
  /** Terminal that shows progress and hooks' warnings, and is used by `promptForApproval`. */
  terminal?: TerminalOutput | undefined;
  /**
   * Treatment of a call that needs approval when neither is given: `deny` (default), or `wait` for `resolvePermission`.
   */
  unanswered?: "wait" | "deny" | undefined;
  /** The workspace's directories, absolute: reading outside of them asks. By default the working directory. */
  roots?: readonly string[] | undefined;
  /**
   * Lets read-only commands run on the workspace without approval, in `default` and `acceptEdits`. True by default;
   * `false` leaves them to the rules.
   */
  readOnlyCommands?: boolean | undefined;
  /**
   * Leaves the permission engine, which is large, to the first call of a tool, also when `open` or `ready` is awaited: a
   * page's first screen does not need it. Existing rules are loaded and checked at opening all the same. Until then,
   * `explain` throws `CLOSED`. False by default.
   */
  loadsRulesLater?: boolean | undefined;
  /**
   * Once network content was read, calls that reach out or read outside ask again, regardless of rules; `from-start`
   * for a session begun by one that has read some.
   */
  guardUntrustedReads?: boolean | "from-start" | undefined;
  /** The permission rules of a skill, by its name: in force in turns that use it. Without it, skills allow nothing. */
  skillRules?: ((name: string) => readonly string[]) | undefined;
  /** The model and the effort of a skill, by its name and for the session's provider: in force in turns that use it. */
  skillModel?: ((name: string, provider: Provider) => SkillModel | undefined) | undefined;
  /** Hooks at the session's events, such as before a tool. */
  hooks?: HooksConfig | undefined;
  /** Executors of custom hook types, and replacements for the session's model and agents in hooks. */
  hookHost?: Pick<HookHost, "executors" | "ask" | "runAgent" | "egress"> | undefined;
  /** Private origins that http hooks may reach, such as `http://127.0.0.1:9000`, besides those of `hookHost.egress`. */
  hookOrigins?: readonly string[] | undefined;
  /** The agents that hooks can name. Without it, a hook's agent needs a `systemPrompt` in its `config`. */
  hookAgents?: HookAgents | undefined;
  /** The subagent whose session it is, for hooks. */
  agent?: StartedAgent | undefined;
  /** Nesting depth of hooks' agents; no hook runs inside of one. */
  hookDepth?: number | undefined;
  /** Watch and guard every turn, in the order of their priorities. */
  plugins?: readonly Plugin[] | undefined;
  /** Called when a plugin threw; the turn continues. */
  onPluginError?(error: PluginError): void;
  /** Gets the events of `AGENT_EVENTS`, each with the path of its owners. */
  eventService?: EventService | undefined;
  /** Additional models, for windows and prices; searched before the catalog. */
  models?: readonly ModelDefinition[] | undefined;
  /** Budget of all turns and hooks together, including those before the session was resumed. */
  budget?: Budget | undefined;
  /** Budget of each turn, including the usage of its hooks and of a compaction before or within it. */
  turnBudget?: Budget | undefined;
  /** Tool rounds after which the final answer is requested; omitted or 0 for no limit. */
  maxTurns?: number | undefined;
  /** Milliseconds without any progress after which a provider call fails. */
  providerTimeout?: number | undefined;
  /** Milliseconds without anything new of an answer, although the service is alive; 15 minutes when omitted, 0 for no limit. */
  progressTimeout?: number | undefined;
  /** Maximum milliseconds of one answer; an hour by default, 0 for no limit. */
  callTimeout?: number | undefined;
  /** Overrides the catalog. Tokens. */
  contextWindow?: number | undefined;
  /**
   * Share of the window above which the session compacts by itself, before a turn or within it; 0.835 when omitted,
   * `false` for never. Without it, a full window ends the turn with an answer that says so.
   */
  autoCompactThreshold?: number | false | undefined;
  /** Default instructions for the summary of `compact`. */
  compactInstructions?: string | undefined;
  /** Stores the session; `false` for one that is never opened again. */
  keep?: boolean | undefined;
  /** Keeps the session where this store keeps its own, instead of in the platform's storage. */
  sessionStore?: { readonly storage: Storage } | undefined;
  /**
   * Records previous versions of changed files, so that they can be rewound; on unless `false`. With a native shell,
   * the working directory is scanned before and after each command.
   */
  trackFiles?: boolean | undefined;
  /** Gets the log of everything that happens, for people and for replay readers; nothing is logged without. */
  logger?: SessionLogger | undefined;
  /** Knows additional secrets, for data passed to the logger. */
  redactor?: Redactor | undefined;
  /** Offers the provider's own web search while `WebSearch` needs no approval; unless `false`. */
  nativeWebTools?: boolean | undefined;
  /**
   * Treatment of a turn that was cut, by a crash, an eviction or a deployment: `end` (default) closes it as interrupted
   * when the session is opened again; with `continue` it stays open, and `resumeTurn` goes on with it. Calls that had
   * begun run again only if they just read or are declared `idempotent`; of the others, the model reads that their
   * outcome is unknown. An `InteractiveSession` goes on by itself, also with the prompts that wait.
   */
  onInterruptedTurn?: "end" | "continue" | undefined;
  /** Takes a session over that another tab or process holds. */
  takeOver?: boolean | undefined;
  onTextDelta?(delta: string): void;
  onToolExecution?(execution: ToolExecution): void;
  onContextUpdate?(state: ContextWindowState): void;
  /** Gets the summary that took the conversation's place. */
  onCompact?(summary: string): void;
  /** Called after each compaction, with the window's use before and after it. */
  onCompactEvent?(event: CompactionEvent): void;
}

/**
 * The configuration of the named agent: its own prompt, and of the session's tools, model and rounds those that its
 * definition permits.
 * @throws {ConfigurationError} for an unknown agent
 */
export type HookAgents = (name: string, session: SessionOptions) => HookAgent | Promise<HookAgent>;

/** The configuration of a hook's agent. */
export type HookAgent = Pick<SessionOptions, "provider" | "tools" | "systemMessage" | "maxTurns">;

/** Argument of `onToolExecution`. */
export interface ToolExecution {
  type: "start" | "end";
  /** The same as `type`. */
  phase: "start" | "end";
  toolName: string;
  toolArgs: ToolArgs;
  success?: boolean;
  denied?: boolean;
  errorCode?: string;
  /** The reason why the call was not run: unknown tool, invalid arguments, denied, blocked, aborted. */
  reason?: string;
  toolResultData?: string;
}

/** The end of a turn. */
export interface TurnOutcome {
  turnId: string;
  state: "complete" | "interrupted" | "failed";
  response: string;
  toolSummaries: ToolSummary[];
  /** Usage of all model calls in this turn; absent for one that never began. */
  usage?: TokenUsage | undefined;
  /** US dollars, when the model's prices are known. */
  cost?: number | undefined;
  /** The error of a failed turn, as thrown. */
  error?: unknown;
  /** Messages given to `steer` too late for the turn. */
  unread: string[];
}

export interface TurnInput {
  input: string;
  /** Text for the history instead. */
  displayInput?: string | undefined;
  /** Text for hooks instead: the prompt as typed. */
  rawInput?: string | undefined;
  /** Name of the skill whose instructions it is: shown in the history, with its permission rules in force. */
  skill?: string | undefined;
  /** The client's request that it comes of; recorded together with the turn's begin. */
  request?: TurnRequest | undefined;
  /**
   * Prompts queued behind this one at the turn's start; recorded together with it, so that none is lost or run twice.
   */
  queue?: readonly (string | WaitingPrompt)[] | undefined;
  /** Says then whether that queue is paused. */
  isQueuePaused?: (() => boolean) | undefined;
  /** Images and files behind the text. */
  attachments?: readonly Attachment[] | undefined;
  /** The form of this turn's answer, instead of the session's. Nothing checks it: `stopHooks` can. */
  responseFormat?: AnswerFormat | undefined;
  /** Hooks of this turn alone, asked once the session's own let it end. */
  stopHooks?: HooksConfig["Stop"];
  /** Stops the turn, also before it began. */
  signal?: AbortSignal | undefined;
}
