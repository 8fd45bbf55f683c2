import { defined } from "../../defined.ts";
import type { TokenUsage } from "../../messages/message.ts";
import type { PermissionRequest, SessionEventOf } from "../../session/log/events.ts";
import type { AgUiEvent, AgUiOutcome, AgUiState, AgUiUsage } from "./events.ts";
import { interruptOf } from "./interrupts.ts";

/** The run that is being sent, and what outlives it. */
export interface RunState {
  threadId: string;
  turnId: string | undefined;
  isTurnOpen: boolean;
  /** The open run; `undefined` between runs. */
  runId: string | undefined;
  /** Runs of the turn so far. */
  runs: number;
  rounds: number;
  /** Id of the model's message whose step is open. */
  step: string | undefined;
  /** The message that is being streamed. */
  open: { kind: "text" | "reasoning"; messageId: string } | undefined;
  streamed: Set<string>;
  isPrompted: boolean;
  shared: AgUiState;
  /** Subagents that work, by their ids. */
  agents: Map<string, SessionEventOf<"agent_start">>;
  /** Those of them that this run has announced. */
  announced: Set<string>;
  usage: Map<string, AgUiUsage>;
}

export function newRunState(): RunState {
  return {
    threadId: "",
    turnId: undefined,
    isTurnOpen: false,
    runId: undefined,
    runs: 0,
    rounds: 0,
    step: undefined,
    open: undefined,
    streamed: new Set(),
    isPrompted: false,
    shared: { context: null, permissionMode: null, pendingPermissions: [], queue: [] },
    agents: new Map(),
    announced: new Set(),
    usage: new Map(),
  };
}

/** Begins a run with the state that is shared. */
export function startRun(state: RunState, runId: string): AgUiEvent[] {
  state.runId = runId;
  state.runs += 1;
  const { threadId } = state;
  return [
    { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" },
    { type: "STATE_SNAPSHOT", snapshot: structuredClone(state.shared) },
  ];
}

/** Ends everything that is open in the run. */
export function closeRun(state: RunState): AgUiEvent[] {
  const events = endStep(state);
  for (const subagentRunId of state.announced) {
    const interruptIds = state.shared.pendingPermissions
      .filter(({ agent }) => agent?.id === subagentRunId)
      .map(({ id }) => id);
    const outcome = defined({
      type: "suspended" as const,
      interruptIds: interruptIds.length > 0 ? interruptIds : undefined,
    });
    events.push({ type: "SUBAGENT_FINISHED", subagentRunId, outcome });
  }
  state.announced.clear();
  return events;
}

/** Ends the run. */
export function finishRun(state: RunState, outcome: AgUiOutcome, result?: string): AgUiEvent[] {
  const { threadId, runId = "" } = state;
  const events = closeRun(state);
  const usage = takeUsage(state);
  state.runId = undefined;
  return [
    ...events,
    {
      type: "RUN_FINISHED",
      threadId,
      runId,
      ...defined({ result }),
      outcome,
      ...usage,
    },
  ];
}

/** Ends the run with every question that waits. */
export function interruptRun(state: RunState, requests: readonly PermissionRequest[]): AgUiEvent[] {
  return finishRun(state, { type: "interrupt", interrupts: requests.map(interruptOf) });
}

export function takeUsage(state: RunState): { usage?: AgUiUsage[] } {
  const usage = [...state.usage.values()];
  state.usage.clear();
  return usage.length > 0 ? { usage } : {};
}

/** Counts a call to a model towards the run. */
export function countUsage(
  state: RunState,
  used: TokenUsage,
  { provider, model }: { provider?: string | undefined; model?: string | undefined },
): void {
  const key = JSON.stringify([provider, model]);
  const before = state.usage.get(key);
  const input = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  const reasoningTokens = (before?.reasoningTokens ?? 0) + (used.reasoningTokens ?? 0);
  const inputTokens = (before?.inputTokens ?? 0) + input;
  const outputTokens = (before?.outputTokens ?? 0) + used.outputTokens;
  state.usage.set(key, {
    ...defined({ provider, model, reasoningTokens: reasoningTokens || undefined }),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + used.cacheReadTokens,
    cacheWriteInputTokens: (before?.cacheWriteInputTokens ?? 0) + used.cacheWriteTokens,
  });
}

/** Ends the message that is being streamed. */
export function endOpen(state: RunState): AgUiEvent[] {
  const { open } = state;
  state.open = undefined;
  if (!open) return [];
  const { messageId } = open;
  if (open.kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
  return [
    { type: "REASONING_MESSAGE_END", messageId },
    { type: "REASONING_END", messageId },
  ];
}

/** Enters the step of a message of the model: one round of the turn. */
export function enterStep(state: RunState, messageId: string): AgUiEvent[] {
  if (state.step === messageId) return [];
  const events = endStep(state);
  state.step = messageId;
  state.rounds += 1;
  return [...events, { type: "STEP_STARTED", stepName: `round ${state.rounds}` }];
}

function endStep(state: RunState): AgUiEvent[] {
  const events = endOpen(state);
  if (state.step === undefined) return events;
  state.step = undefined;
  return [...events, { type: "STEP_FINISHED", stepName: `round ${state.rounds}` }];
}
