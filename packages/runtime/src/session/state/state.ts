import { withoutToolRoundText } from "../../agent/conversation.ts";
import { coveredTokens } from "../../context/tracker.ts";
import type { Message } from "../../messages/message.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type {
  AgentEvent,
  ModelChoice,
  PermissionDecisionRecord,
  PermissionRequest,
  SessionEvent,
  SessionEventOf,
} from "../log/events.ts";
import { isNote, type SessionPlace } from "../log/notes.ts";
import {
  Checkpoints,
  FILES_NOT_COVERED,
  type RewoundConversation,
  type UncoveredFiles,
} from "../files/checkpoints.ts";
import type { RecordedVersions } from "../files/recorded-versions.ts";
import {
  clearToolResults,
  compactedMessages,
  COMPACTION_PAUSED,
  forgetCompactions,
  hasShrunk,
  isFailedSummary,
  judgeCompaction,
} from "./compacted.ts";
import type { HistoryEntry } from "../../messages/history.ts";
import { hookFacts } from "./hook-facts.ts";
import { askedFor } from "./first-argument.ts";
import { reportWithLanguage, withLanguage } from "./language.ts";
import { agentsAfter, agentsBefore, agentsNotIn } from "./agent-events.ts";
import { NO_CALLS, OpenCalls, type OpenTurn } from "./open-calls.ts";
import { restoredQueue, type WaitingPrompt, waitingPrompts } from "../queue.ts";
import {
  type Grant,
  OLDER_STATE,
  savedFields,
  type SavedState,
  UnfoldedPast,
} from "./saved-state.ts";
import { SessionHistory } from "./session-history.ts";
import { noteTransfer } from "./note-transfer.ts";
import { stateAtStart } from "./state-at-start.ts";
import { previewOf } from "./preview.ts";
import type { ToolState } from "./tool-state.ts";
import { noteSkills } from "./turn-skills.ts";

const NONE: ReadonlySet<string> = new Set();
const SEPARATOR = /^\n\n/;

/**
 * A session's state, the fold of its events: only `apply` changes it, while running and while loading alike. Applying
 * an event costs no more than that event.
 */
export class SessionState {
  #messages: Message[] = [];
  #history = new SessionHistory();
  /** Events not yet folded into the lists above, until they are needed; `undefined` when the lists are complete. */
  #past: UnfoldedPast | undefined;
  cwd = "/";
  systemMessage = "";
  projectInstructions = "";
  promptReport: SavedState["promptReport"];
  /** Language of the answers; absent when none is asked for. */
  language: string | undefined;
  /** The chosen model and the name of its provider; absent until the first choice. */
  model: ModelChoice | undefined;
  name: string | undefined;
  mode: PermissionMode = "default";
  turn: OpenTurn | undefined;
  /** The text of the answer in progress, and the id of its message. */
  streaming = { messageId: "", text: "" };
  /** Calls from the open turn's first one on; most finished turns leave nothing here. */
  #calls: OpenCalls | undefined;
  #answeredRequests: Set<string> | undefined;
  grants: Grant[] = [];
  /** The memory of tools; absent while it is empty. */
  memory: Map<string, string> | undefined;
  queue: readonly WaitingPrompt[] = [];
  isQueuePaused = false;
  completedTurns = 0;
  /** Consecutive automatic compactions that failed or hardly freed tokens. */
  stalledCompactions = 0;
  /** True once the pause of automatic compaction was reported. */
  isCompactionPaused = false;
  /** Tokens before the last compaction, until the provider's next count shows its effect. */
  compactedFrom: number | undefined;
  /** The first words of the first prompt. */
  preview = "";
  createdAt = 0;
  updatedAt = 0;
  isInitialised = false;
  /** True for a session on a copy-on-write view of the platform's files. */
  hasOwnFiles = false;
  /** The events of subagents that are not over for the model: their starts, their usage and their ends. */
  agents: readonly AgentEvent[] = [];
  /** The place at which it goes on instead of here. */
  handedOverTo: SessionPlace | undefined;
  /** Mark of an import that has not arrived completely. */
  arriving: string | undefined;
  readonly #checkpoints = new Checkpoints();
  /** SHA-256 digests of the contents stored beside the log; absent without any. */
  payloads: Set<string> | undefined;
  #displayInput: string | undefined;

  /** The conversation: grows at its end, and is replaced by another array after a compaction or a clear. */
  get messages(): Message[] {
    this.#recallMessages();
    return this.#messages;
  }

  get messageCount(): number {
    return this.#messages.length + (this.#past?.missingMessages ?? 0);
  }

  /** The loaded end of `messages`: another array whenever `messages` is. */
  get latestMessages(): readonly Message[] {
    return this.#messages;
  }

  get history(): HistoryEntry[] {
    this.#recall();
    return this.#history.entries;
  }

  /** The kind of the history's last entry. */
  get lastEntryType(): string | undefined {
    return this.#history.lastType ?? this.#past?.lastEntryType;
  }

  /** Running tools, by tool call. */
  get activeTools(): ReadonlyMap<string, ToolState> {
    return (this.#calls ?? NO_CALLS).active;
  }

  get pendingRequests(): ReadonlyMap<string, PermissionRequest> {
    return (this.#calls ?? NO_CALLS).pending;
  }

  /** Decisions of the open turn, by tool call. */
  get decisions(): ReadonlyMap<string, PermissionDecisionRecord> {
    return (this.#calls ?? NO_CALLS).decisions;
  }

  /** Protected files that approvals of the open turn showed, by tool call. */
  get shownFiles(): ReadonlyMap<string, readonly string[]> {
    return (this.#calls ?? NO_CALLS).shownFiles;
  }

  get answeredRequests(): ReadonlySet<string> {
    this.#recall();
    return this.#answeredRequests ?? NONE;
  }

  get checkpoints(): Checkpoints {
    this.#recall();
    return this.#checkpoints;
  }

  /** The earlier versions of changed files. */
  get versions(): RecordedVersions {
    return this.#checkpoints.versions;
  }

  /** All instructions to the model before the conversation. */
  get systemPrompt(): string {
    return [this.systemMessage, this.projectInstructions].filter(Boolean).join("\n\n");
  }

  /** The small parts of a session between two turns; the rest follows from its log. */
  save(): SavedState | undefined {
    const isBusy = this.turn || this.agents.length > 0 || this.#past?.missingMessages;
    if (!this.isInitialised || isBusy) return undefined;
    return {
      ...savedFields(this),
      compactedFrom: this.compactedFrom,
      messageCount: this.#messages.length,
      lastEntryType: this.lastEntryType,
    };
  }

  /** Restores a saved state. `older` yields the events up to there, and `messages` the conversation, on demand. */
  restore(
    saved: SavedState,
    older: () => Iterable<SessionEvent>,
    messages: (() => Message[]) | undefined,
  ): void {
    const { memory, payloads, versions, compactedFrom, messageCount, ...others } = saved;
    const { lastEntryType, ...more } = others;
    const { prompts, isPaused, rest: fields } = restoredQueue(more);
    Object.assign(this, OLDER_STATE, fields, { isInitialised: true });
    [this.queue, this.isQueuePaused] = [prompts, isPaused];
    if (memory.length > 0) this.memory = new Map(memory);
    if (payloads.length > 0) this.payloads = new Set(payloads);
    this.versions.restore(versions);
    this.compactedFrom = compactedFrom;
    this.#past = new UnfoldedPast({ messageCount, lastEntryType }, older, messages);
  }

  /** Loads the parts that an event changes. */
  prepare({ type }: SessionEvent): void {
    if (type === "compaction" || type === "tool_results_cleared") this.#recallMessages();
    if (type === "rewind") this.#recall();
  }

  #folded(events: Iterable<SessionEvent>, messages: Message[] = []): SessionState {
    const state = new SessionState();
    state.#messages = messages;
    for (const event of events) state.apply(event);
    return state;
  }

  #recallMessages(): void {
    const past = this.#past;
    if (!past || past.hasMessages) return;
    const known = past.messages();
    if (!known) return this.#recall();
    this.#messages = this.#folded(past.since, known).#messages;
    past.hasMessages = true;
  }

  #recall(): void {
    const past = this.#past;
    if (!past) return;
    this.#past = undefined;
    const recalled = this.#folded(past.events());
    if (!past.hasMessages) this.#messages = recalled.#messages;
    this.#history = recalled.#history;
    this.#answeredRequests = recalled.#answeredRequests;
    this.#checkpoints.recall(recalled.#checkpoints);
  }

  /**
   * True while a call waits for an answer that can come at any time. A subagent's wait ends with its page or process.
   */
  get isWaiting(): boolean {
    return [...this.pendingRequests.values()].some(({ agent }) => agent === undefined);
  }

  apply(event: SessionEvent): void {
    this.prepare(event);
    this.#past?.add(event);
    this.updatedAt = event.time;
    if ("agentId" in event) {
      this.agents = agentsAfter(this.agents, event);
      return;
    }
    switch (event.type) {
      case "session_init":
        Object.assign(this, stateAtStart(event));
        return;
      case "turn_start":
        return this.#beginTurn(event);
      case "turn_resume":
        this.streaming = { messageId: "", text: "" };
        return;
      case "user_message":
        return this.#addUserMessage(event);
      case "text_delta":
        return this.#addText(event);
      case "assistant_message":
        return this.#addAssistantMessage(event);
      case "permission_request":
        return this.#ask(event);
      case "permission_decision":
        return this.#decide(event);
      case "permission_revoked":
        this.grants = this.grants.filter(({ pattern }) => pattern !== event.pattern);
        return;
      case "tool_start":
        return this.#startTool(event);
      case "tool_end":
        return this.#endTool(event);
      case "mode_change":
        this.mode = event.mode;
        this.#note(event, "mode-change", { mode: event.mode });
        return;
      case "name_change":
        this.name = event.name;
        return;
      case "model_change":
        return this.#changeModel(event);
      case "language_change":
        this.language = event.language;
        this.systemMessage = withLanguage(this.systemMessage, event.language);
        this.promptReport = reportWithLanguage(this.promptReport, event.language);
        this.#note(event, "language-change", { language: event.language });
        return;
      case "queue_update":
        [this.queue, this.isQueuePaused] = [waitingPrompts(event), event.paused ?? false];
        return;
      case "history_cleared":
        return this.#clearHistory(event);
      case "compaction":
        return this.#compact(event);
      case "tool_results_cleared":
        this.#messages = clearToolResults(this.#messages, event.keep);
        this.#note(event, "tool-results-cleared", { before: event.before, after: event.after });
        return;
      case "files_before":
        return this.#fileHistory(event);
      case "rewind":
        return this.#rewind(event);
      case "turn_end":
        return this.#endTurn(event);
      case "note":
        return this.#addNote(event);
      case "hook_run":
        // Calls that hooks let pass are not shown to people.
        if (event.outcome !== "allowed") this.#note(event, "hook-run", hookFacts(event));
        return;
      case "session_resume":
      case "session_shutdown":
      case "permission_auto":
      case "thinking_delta":
      case "tool_output":
      case "context_update":
        return;
    }
  }

  #changeModel(event: SessionEventOf<"model_change">): void {
    const { provider, model } = event;
    this.model = { provider, model };
    forgetCompactions(this);
    this.systemMessage = event.systemMessage ?? this.systemMessage;
    this.promptReport = event.promptReport ?? this.promptReport;
    this.#note(event, "model-change", this.model);
  }

  #beginTurn(event: SessionEventOf<"turn_start">): void {
    this.#checkpoints.begin(event, this.#conversation);
    const { turnId = "", responseFormat } = event;
    this.turn = { turnId, messageIds: [], toolSummaries: [], skills: [], responseFormat };
    this.#displayInput = event.displayInput;
  }

  #addText({ messageId, delta }: SessionEventOf<"text_delta">): void {
    if (this.streaming.messageId === messageId) this.streaming.text += delta;
    else this.streaming = { messageId, text: delta.replace(SEPARATOR, "") };
  }

  #clearHistory(event: SessionEventOf<"history_cleared">): void {
    this.#messages = [];
    if (this.#past) this.#past.hasMessages = true;
    forgetCompactions(this);
    this.#note(event, "history-cleared", {});
  }

  #addNote(event: SessionEventOf<"note">): void {
    noteTransfer(this, event);
    if (isNote(event, COMPACTION_PAUSED)) this.isCompactionPaused = true;
    if (isFailedSummary(event)) this.stalledCompactions += 1;
    if (isNote(event, FILES_NOT_COVERED)) this.#checkpoints.uncovered(event.data as UncoveredFiles);
    if (this.turn) noteSkills(this.turn, event);
    this.#note(event, event.kind, event.data);
  }

  #addUserMessage({ message, seq }: SessionEventOf<"user_message">): void {
    this.#messages.push(message);
    this.agents = agentsNotIn(this.agents, message);
    this.turn?.messageIds.push(message.id);
    const shown =
      this.#displayInput === undefined ? message : { ...message, content: this.#displayInput };
    this.#displayInput = undefined;
    this.#history.addMessage(shown, seq);
    this.preview ||= previewOf(shown.content).slice(0, 120);
  }

  #addAssistantMessage({ message, seq }: SessionEventOf<"assistant_message">): void {
    this.#messages.push(withoutToolRoundText(message));
    const counted = coveredTokens(message);
    if (counted > 0) judgeCompaction(this, counted);
    this.#history.addMessage(message, seq);
    this.streaming = { messageId: "", text: "" };
  }

  #ask(event: SessionEventOf<"permission_request">): void {
    (this.#calls ??= new OpenCalls()).pending.set(event.request.id, event.request);
    this.#note(event, "permission-request", event.request);
  }

  #decide(event: SessionEventOf<"permission_decision">): void {
    const { requestId, toolCallId, decision } = event;
    (this.#answeredRequests ??= new Set()).add(requestId);
    (this.#calls ??= new OpenCalls()).decide(requestId, toolCallId, decision);
    const { pattern, scope } = decision;
    if (decision.allow && pattern !== undefined && scope !== undefined && scope !== "once") {
      this.grants.push({ pattern, scope });
    }
    this.#note(event, "permission-decision", { requestId, toolCallId, decision });
  }

  #startTool(event: SessionEventOf<"tool_start">): void {
    const { toolCallId, tool, firstArg } = event;
    const state: ToolState = { toolCallId, toolName: tool, firstArg, isRunning: true };
    (this.#calls ??= new OpenCalls()).active.set(toolCallId, state);
    this.#note(event, "tool-start", state);
  }

  #endTool(event: SessionEventOf<"tool_end">): void {
    const { toolCallId, tool, message, outcome } = event;
    this.#messages.push(message);
    for (const [key, value] of Object.entries(outcome.memory ?? {}))
      (this.memory ??= new Map()).set(key, value);
    const result = outcome.denied ? "denied" : outcome.success ? "success" : "error";
    const firstArg =
      this.activeTools.get(toolCallId)?.firstArg ?? askedFor(this.#messages, toolCallId);
    this.#calls?.end(toolCallId);
    const state: ToolState = { toolCallId, toolName: tool, firstArg, isRunning: false, result };
    if (outcome.changes) state.changes = outcome.changes;
    this.turn?.toolSummaries.push({ toolName: tool, firstArg, result });
    this.#history.addMessage(message, event.seq);
    this.#note(event, "tool-end", { ...state, outcome });
  }

  #compact(event: SessionEventOf<"compaction">): void {
    const { trigger, before, after } = event;
    this.#messages = compactedMessages(this.#messages, event);
    this.compactedFrom = before;
    if (!hasShrunk(before, after)) judgeCompaction(this, after);
    this.#note(event, "compaction", { trigger, before, after });
  }

  #endTurn(event: SessionEventOf<"turn_end">): void {
    const toolSummaries = this.turn?.toolSummaries ?? [];
    if (toolSummaries.length > 0) this.#note(event, "tool-summary", { toolSummaries });
    if (event.state !== "complete")
      this.#note(event, `turn-${event.state}`, { error: event.error });
    if (event.state === "complete") this.completedTurns += 1;
    this.turn = undefined;
    this.#checkpoints.end(event);
    this.#calls = this.#calls?.of(this.agents);
    this.grants = this.grants.filter(({ scope }) => scope !== "turn");
    this.streaming = { messageId: "", text: "" };
  }

  #fileHistory(event: SessionEventOf<"files_before">): void {
    this.#checkpoints.changed(event);
    for (const { before } of event.files) {
      if (before && "sha256" in before) (this.payloads ??= new Set()).add(before.sha256);
    }
  }

  #rewind(event: SessionEventOf<"rewind">): void {
    const { checkpointId, what } = event;
    if (what !== "files") {
      const target = this.#checkpoints.find(checkpointId);
      this.agents = agentsBefore(this.agents, target?.seq ?? event.seq);
      forgetCompactions(this);
    }
    const { messages, history, completedTurns } = this.#checkpoints.rewind(
      event,
      this.#conversation,
    );
    this.#messages = messages;
    this.#history = history;
    this.completedTurns = completedTurns;
    this.#note(event, "rewind", { checkpointId, what });
  }

  get #conversation(): RewoundConversation {
    const { completedTurns } = this;
    return { messages: this.#messages, history: this.#history, completedTurns };
  }

  #note({ seq, time }: SessionEvent, type: string, data: unknown): void {
    this.#history.addEvent({ seq, time, type, data });
  }
}
