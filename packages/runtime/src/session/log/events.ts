import type { SystemPromptReport } from "../../context/prompt-report.ts";
import type { ErrorFacts } from "../../errors.ts";
import type {
  Attachment,
  AssistantMessage,
  SystemMessage,
  TokenUsage,
  ToolArgs,
  ToolMessage,
  UserMessage,
} from "../../messages/message.ts";
import type { HookRun } from "../../hooks/run-hooks.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { RewindScope } from "../files/checkpoints.ts";
import type { FileBefore } from "../files/past-version.ts";
import type { AnswerFormat, ReasoningEffort } from "../../providers/provider.ts";
import type { NoteKind, ProgramNoteKind } from "./notes.ts";
import type { FileChange, ModelAnswer, ToolPreview } from "../../tools/tool.ts";

/** An event about a subagent. */
export type AgentEvent = SessionEventOf<
  "agent_start" | "agent_message" | "agent_end" | "agent_collected"
>;

/** Version of the event and log format. A reader refuses a higher major number and keeps unknown fields. */
export const SESSION_FORMAT = 1;

/** Fields of every event of a session. */
export interface EventHeader {
  v: typeof SESSION_FORMAT;
  /** Increases by one from event to event of a session; `events({ after: seq })` continues behind it. */
  seq: number;
  sessionId: string;
  /** Milliseconds since the epoch, from the platform's clock. For people: order is `seq`. */
  time: number;
  /** The turn it belongs to; absent outside of turns. */
  turnId?: string;
  /** The tool call that started it, in a subagent's events. */
  parentId?: string;
}

/** The decision on a permission request. */
export interface PermissionDecisionRecord {
  allow: boolean;
  /** Duration of an allowance. */
  scope?: GrantScope;
  /** The rule that was stored for scopes wider than `once`, such as `Bash(npm test)`. */
  pattern?: string;
  reason?: string;
  /** True when the denial ends the turn as well, with `reason`. */
  interrupt?: boolean;
  /** Arguments as changed by the person; the approved call is exactly the one that runs. */
  updatedArgs?: ToolArgs;
  /** `person`, `handler`, or the automatic decider. */
  by: "person" | "handler" | "rule" | "mode" | "grant" | "hook" | "abort" | "default";
}

/** The client's request that a turn came of, so that the same request finds it again: digests of its key and content. */
export interface TurnRequest {
  key: string;
  content: string;
}

/** A model, and the name of the provider that serves it. */
export interface ModelChoice {
  provider: string;
  model: string;
}

/** The extent of an approval: the call, the turn, the session, or the workspace from now on. */
export type GrantScope = "once" | "turn" | "session" | "workspace";

/** A pending approval as data: it survives a reload, and any client can answer it. */
export interface PermissionRequest {
  id: string;
  toolCallId: string;
  tool: string;
  args: ToolArgs;
  /** The reason for a person: the rule, or that no rule matched in this mode. */
  reason: string;
  /** The asking rule, its layer, and the part of a command it concerns. */
  rule?: string;
  layer?: string;
  command?: string;
  /** Canonical paths of the call. */
  paths?: string[];
  /** The pattern that a wider scope would store. Absent when no rule would let such a call through. */
  suggestedPattern?: string;
  preview?: ToolPreview;
  /** The subagent that asks, and the call of this session that started it. */
  agent?: { id: string; type: string; toolCallId: string };
}

/** The outcome of a tool call, beside the message for the model. */
export interface ToolOutcome {
  success: boolean;
  denied?: boolean;
  errorCode?: string;
  exitCode?: number;
  /** True when words of the result may come from the network. */
  usedNetwork?: boolean;
  changes?: FileChange[];
  data?: unknown;
  /** Changes of tools to the session's memory since the last such event. */
  memory?: Record<string, string>;
  /** Answers of the session's model to the tool's own questions. */
  answers?: ModelAnswer[];
  durationMs: number;
}

/** A part of a subagent's conversation, for people. Long texts are bounded. */
export interface AgentMessage {
  role: "user" | "assistant" | "tool";
  text: string;
  /** The calls of an answer; long texts in their arguments are bounded. */
  toolCalls?: { id: string; name: string; args: ToolArgs }[];
  /** The call that a result belongs to, with its tool. */
  toolCallId?: string;
  tool?: string;
  isError?: boolean;
}

/** Tokens that were used of one model. */
export interface ModelUsage {
  model: string;
  usage: TokenUsage;
}

/**
 * The events of a session, in order. The log is these events, stored; the messages for the model, the history for a
 * person and the session list are folds of it. All of it is JSON, except that messages carry `Date` timestamps, which
 * the log writes as ISO texts and readers revive.
 */
export type SessionEventBody =
  | {
      type: "session_init";
      cwd: string;
      systemMessage: string;
      /** Instructions from the project's own files; sent to the model after the system message. */
      projectInstructions?: string;
      /** The account of the sections in both texts. */
      promptReport?: SystemPromptReport;
      /** Language of the answers that the system message asks for. */
      language?: string;
      provider: string;
      model: string;
      permissionMode: PermissionMode;
      tools: string[];
      /** Origin of a forked or imported session. An import is complete with the note `imported` that has its `mark`. */
      origin?: { sessionId: string; seq: number; mark?: string };
      /** `overlay`: it has files of its own, a copy-on-write view of the platform's. */
      files?: "overlay";
    }
  /** The session was opened again, by a new page or process. `cut` says that the last one ended in the middle of a turn. */
  | { type: "session_resume"; cut: boolean }
  /** `responseFormat`: the form of its final answer, when it has one of its own. */
  | {
      type: "turn_start";
      input: string;
      displayInput?: string;
      request?: TurnRequest;
      responseFormat?: AnswerFormat;
    }
  /**
   * The open turn goes on, after a page, process or host that ran it was gone. Words that streamed and became no message
   * are void: the model is asked again.
   */
  | {
      type: "turn_resume";
      /** Counts from 1, and again after each step that the turn finished. */
      attempt: number;
      /** Ids of calls that had begun and run again, since they only read. */
      again: string[];
      /** Ids of calls that had begun and do not run again: the model reads that their outcome is unknown. */
      unknown: string[];
    }
  /** A message of a person, or of a program in the system's name. */
  | { type: "user_message"; message: UserMessage | SystemMessage }
  /** Words as they stream. The following `assistant_message` with this id has the whole text. */
  | { type: "text_delta"; messageId: string; delta: string }
  | { type: "thinking_delta"; messageId: string; delta: string }
  | { type: "assistant_message"; message: AssistantMessage }
  | { type: "permission_request"; parentId?: string; request: PermissionRequest }
  | {
      type: "permission_decision";
      parentId?: string;
      requestId: string;
      toolCallId: string;
      decision: PermissionDecisionRecord;
    }
  /** A call decided without a request. */
  | {
      type: "permission_auto";
      toolCallId: string;
      tool: string;
      decision: "auto" | "deny";
      step: "deny" | "protected" | "ask" | "allow" | "mode" | "hook";
      by: "rule" | "mode" | "hook";
      rule?: string;
      layer?: string;
      command?: string;
      /** The hook's name. */
      hook?: string;
      reason: string;
    }
  /** Revokes a rule that an answer had added. */
  | { type: "permission_revoked"; pattern: string }
  /** Durable before the tool runs: a start without an end means that the outcome is unknown. */
  | { type: "tool_start"; toolCallId: string; tool: string; args: ToolArgs; firstArg: string }
  /** Shown live, not stored: `tool_end` has the result. */
  | { type: "tool_output"; toolCallId: string; text: string; stream?: "stdout" | "stderr" }
  | {
      type: "tool_end";
      toolCallId: string;
      tool: string;
      message: ToolMessage;
      outcome: ToolOutcome;
    }
  | {
      type: "context_update";
      usedTokens: number;
      maxTokens: number;
      usedPercentage: number;
      /** True for the provider's count, false for our estimate. */
      exact: boolean;
    }
  /**
   * Queued behind the running turn. By index: `requests`, the clients' requests, and `displayInputs`, the texts for the
   * history, `skills`, the names of the skills behind them, `ids`, by which they are edited, moved and removed,
   * `attachments` and `responseFormats`; absent when no prompt has one. `paused` when none of them begins by itself.
   */
  | {
      type: "queue_update";
      queue: string[];
      requests?: (TurnRequest | null)[];
      displayInputs?: (string | null)[];
      skills?: (string | null)[];
      ids?: (string | null)[];
      attachments?: (Attachment[] | null)[];
      responseFormats?: (AnswerFormat | null)[];
      paused?: true;
    }
  | { type: "mode_change"; mode: PermissionMode }
  | { type: "name_change"; name: string }
  /** From the next turn on, this model of this provider answers. */
  /** With the system message from here on and its report, where the provider changes what it says. */
  | ({
      type: "model_change";
      systemMessage?: string;
      promptReport?: SystemPromptReport;
    } & ModelChoice)
  /** From the next turn on, the model is asked to answer in this language; in none when absent. */
  | { type: "language_change"; language?: string }
  | { type: "history_cleared" }
  | {
      type: "compaction";
      trigger: "auto" | "manual";
      summary: string;
      /** Tokens, both estimates. */
      before: number;
      after: number;
      /** Ids of messages kept after the summary: the prompt of the open turn. */
      kept?: string[];
      /** The usage of the request for the summary, if the provider reports it. */
      used?: ModelUsage;
    }
  /** The model gets old tool results without their text from now on; `keep` of the latest stay whole. */
  | { type: "tool_results_cleared"; keep: number; before: number; after: number }
  /** Files as they were before they were first changed since the last checkpoint. */
  | { type: "files_before"; files: FileBefore[] }
  /** The conversation went back at once; files that do follow. A checkpoint of its own, so that it can be undone. */
  | {
      type: "rewind";
      checkpointId: string;
      what: RewindScope;
      /** The only files and directories that go back; absent: everything does. */
      paths?: string[] | undefined;
    }
  /** A subagent begins. */
  | {
      type: "agent_start";
      parentId: string;
      agentId: string;
      /** Name of its definition. */
      agent: string;
      prompt: string;
      model: string;
      /** How thoroughly it works, where a skill sets that. */
      effort?: ReasoningEffort;
      /** The work in a few words. */
      description?: string;
      /** True when the turn does not wait for it. */
      background?: boolean;
      /** It works on a copy of the files. */
      isolation?: "overlay";
      /** The subagent that started it; absent when the session itself did. */
      startedBy?: string;
    }
  /** A message of its conversation. Its words are not shown while they stream. */
  | {
      type: "agent_message";
      parentId: string;
      agentId: string;
      entry: AgentMessage;
      used?: ModelUsage;
    }
  | {
      type: "agent_end";
      parentId: string;
      agentId: string;
      state: "complete" | "interrupted" | "failed";
      /** Its report. */
      response: string;
      /** In the background, its usage is not part of a turn's. */
      used?: ModelUsage[];
      error?: ErrorFacts;
    }
  /** The model has got the report of a subagent in the background. */
  | { type: "agent_collected"; parentId: string; agentId: string }
  /** A hook ran. */
  | ({ type: "hook_run" } & HookRun)
  | { type: "note"; kind: NoteKind | ProgramNoteKind; data: unknown }
  | {
      type: "turn_end";
      state: "complete" | "interrupted" | "failed";
      response: string;
      usage?: TokenUsage;
      /** US dollars, when the model's prices are known. */
      cost?: number;
      error?: ErrorFacts;
    }
  | { type: "session_shutdown"; reason: string };

/** An event of a session: the union of all types, numbered by `seq`, JSON-safe. */
export type SessionEvent = EventHeader & SessionEventBody;
/** The name of an event, for `on` and `SessionEventOf`. */
export type SessionEventType = SessionEventBody["type"];
/** The event of one type. */
export type SessionEventOf<Type extends SessionEventType> = Extract<SessionEvent, { type: Type }>;
