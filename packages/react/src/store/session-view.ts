import type { PermissionMode, PermissionRequest, TokenUsage, ToolArgs } from "@robota/runtime";
import type { GrantScope, PermissionDecisionRecord } from "@robota/runtime/permissions";
import type { ErrorFacts } from "@robota/runtime/ports";
import type {
  Attachment,
  ModelRetry,
  QueuedPrompt,
  SessionEventOf,
  ToolOutcome,
} from "@robota/runtime/sessions";

/** Text of the model. It keeps its id from the first word to the finished message. */
export interface TextItem {
  kind: "text";
  id: string;
  text: string;
  streaming: boolean;
}

/** Thinking of the model, as far as its service shows it. */
export interface ThinkingItem {
  kind: "thinking";
  id: string;
  text: string;
  streaming: boolean;
}

/** A message that a person added while the turn was running. */
export interface SteerItem {
  kind: "steer";
  id: string;
  text: string;
}

/**
 * `waiting` is for a person; `denied` and `blocked` (by a hook) never ran; `stopped` was cut, so its outcome may be
 * unknown.
 */
export type ToolPhase =
  | "queued"
  | "waiting"
  | "running"
  | "done"
  | "failed"
  | "denied"
  | "blocked"
  | "stopped";

/** The decision on a call that nobody was asked about: by a rule, the mode, or a hook. */
export interface AutomaticDecision extends Pick<
  SessionEventOf<"permission_auto">,
  "decision" | "step" | "by" | "reason"
> {
  /** The deciding rule, and the layer it comes from. */
  rule?: string | undefined;
  layer?: string | undefined;
  /** The part of a command that decided. */
  command?: string | undefined;
  /** The hook's name. */
  hook?: string | undefined;
}

/** A subagent, with the call that started it. */
export interface SubagentRun {
  id: string;
  /** Name of its definition. */
  agent: string;
  /** Its work: in a few words where the model gave some, else the whole prompt. */
  work: string;
  isBackground: boolean;
  state: SessionEventOf<"agent_end">["state"] | "running";
  /** Its own calls, in order. Long texts in them are bounded. */
  calls: readonly ToolItem[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number;
}

/** A tool call, from the model's request to its result. */
export interface ToolItem {
  kind: "tool";
  id: string;
  tool: string;
  args: ToolArgs;
  phase: ToolPhase;
  /** Output so far, and finally the result for the model. */
  output: string;
  /** Milliseconds since the epoch. */
  startedAt?: number;
  request?: PermissionRequest;
  /** When a person was asked, and when that was answered; milliseconds since the epoch. */
  askedAt?: number;
  answeredAt?: number;
  decision?: PermissionDecisionRecord;
  automatic?: AutomaticDecision;
  outcome?: ToolOutcome;
  /** The subagents that it started. */
  agents?: readonly SubagentRun[];
}

/** A part of a turn: text, thinking, a steering message, or a tool call. */
export type TurnItem = TextItem | ThinkingItem | SteerItem | ToolItem;

/** A prompt and all of its results. */
export interface TurnView {
  kind: "turn";
  id: string;
  prompt: string;
  /** Images and files behind the prompt. */
  attachments?: readonly Attachment[] | undefined;
  /** `running` until the session says that it ended. */
  state: "running" | "complete" | "interrupted" | "failed";
  items: readonly TurnItem[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number;
  /** The provider and the model of its last answer; before the first one, those that are asked. */
  provider: string;
  model: string;
  /** The request to the model failed and is repeated; absent again with the first sign of an answer. */
  retry?: ModelRetry | undefined;
  usage?: TokenUsage | undefined;
  /** US dollars, when the model's prices are known. */
  cost?: number | undefined;
  /** The provider counted nothing; the numbers of `usage` are its guess. */
  isEstimated?: boolean | undefined;
  error?: ErrorFacts | undefined;
  /** The page went away in the middle, and nothing has happened in the turn since. */
  cut: boolean;
}

/** A change of the model's context between turns. */
export interface Divider {
  kind: "divider";
  id: string;
  label: string;
  /** Further text, such as the summary that replaced older messages. */
  detail?: string;
}

/** An entry of the transcript: a turn, or a divider between turns. */
export type TimelineEntry = TurnView | Divider;

/** Use of the model's window, in tokens. */
export interface ContextUse {
  usedTokens: number;
  maxTokens: number;
  /** 0 to 100. */
  usedPercentage: number;
  exact: boolean;
}

/** A subagent that works by itself, while turns of the session go on. */
export interface BackgroundAgent {
  id: string;
  /** Name of its definition. */
  agent: string;
  /** Its work: in a few words where the model gave some, else the whole prompt. */
  work: string;
}

/** A rule that an answer of this session has stored, until it is revoked or its turn ends. */
export interface StoredGrant {
  pattern: string;
  scope: Exclude<GrantScope, "once">;
  /** The call that was answered. */
  toolCallId: string;
}

/** A session as a person sees it: a fold of its events. Parts that an event does not touch stay the same objects. */
export interface SessionView {
  timeline: readonly TimelineEntry[];
  /** Open permission requests, oldest first. */
  requests: readonly PermissionRequest[];
  /** Prompts behind the running turn, in order. */
  queue: readonly QueuedPrompt[];
  /** True when none of them begins by itself. */
  isQueuePaused: boolean;
  /** True while a model summarises the earlier messages. */
  isSummarising: boolean;
  /** Subagents that run in the background, in the order of their starts. */
  agents: readonly BackgroundAgent[];
  /** Oldest first. */
  grants: readonly StoredGrant[];
  mode: PermissionMode;
  /** Empty until the session has a name. */
  name: string;
  provider: string;
  model: string;
  context?: ContextUse;
  /** Timelines that rewinds have replaced, by the id of the checkpoint that undoes the rewind. */
  undone: ReadonlyMap<string, readonly TimelineEntry[]>;
}

/** The view of a session before its first event. */
export const emptyView: SessionView = {
  timeline: [],
  requests: [],
  queue: [],
  isQueuePaused: false,
  isSummarising: false,
  agents: [],
  grants: [],
  mode: "default",
  name: "",
  provider: "",
  model: "",
  undone: new Map(),
};

/** The last turn, if the session has one. */
export function lastTurn({ timeline }: SessionView): TurnView | undefined {
  return timeline.findLast((entry) => entry.kind === "turn");
}

/** The turn that has not ended, if there is one. */
export function runningTurn({ timeline }: Pick<SessionView, "timeline">): TurnView | undefined {
  const last = timeline.at(-1);
  return last?.kind === "turn" && last.state === "running" ? last : undefined;
}

/** True when token counts are a provider's estimates. */
export function hasEstimates(view: SessionView): boolean {
  return lastTurn(view)?.isEstimated === true;
}
