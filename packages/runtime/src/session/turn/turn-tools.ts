import { defined } from "../../defined.ts";
import type { Authorization, Runnable, ToolCompletion } from "../../agent/tool-batch.ts";
import { abortError, callSafely } from "../../errors.ts";
import type { AssistantMessage, JsonValue, ToolArgs, ToolCall } from "../../messages/message.ts";
import type { HookOutcome } from "../../hooks/outcome.ts";
import type { SkillUse, Tool, ToolContext, ToolResult } from "../../tools/tool.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Approvals, PermissionHint } from "../approvals/approvals.ts";
import { notifyDenied } from "../hooks/permission-hooks.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionMemory } from "../state/memory.ts";
import type { SessionOptions, ToolExecution } from "../options.ts";
import type { RequestContext } from "../state/request-context.ts";
import { type ContextReportParts, contextReport } from "../state/report-context.ts";
import { loadDiff } from "../state/tool-diff.ts";
import type { SessionState } from "../state/state.ts";
import type { RunningTurn } from "./running-turn.ts";
import type { SkillModelParts } from "./skill-model.ts";
import { toolEndOf, toolStartOf } from "./turn-events.ts";
import { raceAbort } from "../../abort.ts";

export interface ToolCallParts extends ContextReportParts, SkillModelParts {
  readonly sessionId: string;
  readonly options: SkillModelParts["options"] &
    Pick<SessionOptions, "onContextUpdate" | "onToolExecution" | "skillRules">;
  /** The platform of the session's tools: their changes are recorded. */
  readonly platform: Platform;
  readonly state: SessionState;
  readonly requestContext: RequestContext;
  readonly approvals: Approvals;
  readonly hooks: SessionHooks;
  /** State of tools, as long as this page or process has the session open. */
  readonly toolState: Map<string, unknown>;
  readonly memory: SessionMemory;
  /** The end of a pause, which calls and further requests wait for before they begin. */
  pause: Promise<void> | undefined;
}

const BY_HOOKS = "PreToolUse";

/** Decides on a call: hooks are asked first, and then the rules about the arguments that hooks may have changed. */
export async function authorizeCall(
  parts: ToolCallParts,
  turn: RunningTurn,
  call: ToolCall,
  tool: Tool,
  args: ToolArgs,
): Promise<Authorization> {
  const { hooks } = parts;
  const context = toolContext(parts, turn, call);
  const fields = { tool_name: tool.name, tool_input: args, tool_use_id: call.id };
  const outcome = await hooks.run("PreToolUse", fields, context.signal);
  if (!outcome) return askForApproval(parts, turn, call, tool, args, context);
  if (outcome.stopped) endTurn(parts, turn, outcome.stopReason);
  if (outcome.additionalContext) addContext(turn, call.id, outcome.additionalContext);
  if (outcome.blocked || outcome.permissionDecision === "deny") {
    const reason = outcome.reason ?? outcome.permissionDecisionReason ?? "";
    return blocked(parts, call, tool, reason);
  }
  let wanted = args;
  if (outcome.updatedInput) {
    const { invalidArgumentsText, validateArgs } = await import("../../tools/validate-args.ts");
    const valid = await validateArgs(tool, outcome.updatedInput);
    if (!valid.ok) return blocked(parts, call, tool, invalidArgumentsText(tool, valid.problems));
    wanted = valid.args;
  }
  return askForApproval(parts, turn, call, tool, wanted, context, hintOf(outcome));
}

/** Decides by the rules and approvals. A hook's denial may end the turn. */
async function askForApproval(
  parts: ToolCallParts,
  turn: RunningTurn,
  call: ToolCall,
  tool: Tool,
  args: ToolArgs,
  context: ToolContext,
  hint?: PermissionHint,
): Promise<Authorization> {
  const authorization = await parts.approvals.authorize(call, tool, args, context, hint);
  const decision = parts.state.decisions.get(call.id);
  if (decision?.allow === false && decision.interrupt) endTurn(parts, turn, decision.reason);
  return authorization;
}

function hintOf({
  permissionDecision: decision,
  permissionDecisionReason: reason,
}: HookOutcome): PermissionHint | undefined {
  return decision && { decision, by: BY_HOOKS, reason };
}

function blocked(parts: ToolCallParts, call: ToolCall, tool: Tool, reason: string): Authorization {
  const denied = {
    type: "permission_auto",
    toolCallId: call.id,
    tool: tool.name,
    decision: "deny",
    step: "hook",
    by: "hook",
    hook: BY_HOOKS,
    reason,
  } as const;
  // The call's end is stored or refused with it.
  parts.log.commitWithNext(denied).catch(() => undefined);
  notifyDenied(parts.hooks, call, reason);
  return { allow: false, content: `Blocked by hook: ${reason}`, errorCode: "hook_blocked" };
}

export function toolContext(parts: ToolCallParts, turn: RunningTurn, call: ToolCall): ToolContext {
  const { platform, state, sessionId, log, toolState, memory, approvals } = parts;
  const { signal } = turn.running;
  return {
    platform,
    cwd: state.cwd,
    signal,
    toolCallId: call.id,
    ownerPath: [
      { ownerType: "session", ownerId: sessionId },
      { ownerType: "tool", ownerId: call.id },
    ],
    emit: ({ text, stream }) => {
      // Output after an abort belongs to no turn.
      if (signal.aborted) return;
      log.stream({ type: "tool_output", toolCallId: call.id, text, ...defined({ stream }) });
    },
    state: toolState,
    memory,
    rules: approvals.rules.accessRules(call, { platform }),
    endTurn: (reason, agentId) => endTurn(parts, turn, reason, agentId),
    skills: parts.options.skillRules && skillUse(parts),
  };
}

function skillUse(parts: ToolCallParts): SkillUse {
  const { state, log } = parts;
  return {
    isUsed: (name) => state.turn?.skills.includes(name) ?? false,
    use: async (skillName, displayInput) => {
      const { skillUseEvent, useSkillWindow } = await import("./skill-model.ts");
      await log.commit(skillUseEvent(parts, { skillName, displayInput }));
      useSkillWindow(parts);
    },
  };
}

/** Records an answer together with the step behind it: its tool calls or the turn's end, its only consequences. */
export function recordWithNext(
  parts: ToolCallParts,
  turn: RunningTurn,
  message: AssistantMessage,
): void {
  const calling: RunningTurn["calling"] = {
    isFinal: !message.toolCalls,
    recorded: parts.log.commitWithNext({ type: "assistant_message", message }, () =>
      contextReport(parts),
    ),
  };
  turn.calling = calling;
  calling.recorded.then(
    () => (calling.isRecorded = true),
    (error: unknown) => (calling.failure = error),
  );
}

/** Records steps that follow from the answer, and the answer with them. */
async function commitBehindAnswer(
  { log }: ToolCallParts,
  { calling }: RunningTurn,
  ...steps: SessionEventBody[]
): Promise<void> {
  if (calling?.failure !== undefined) throw calling.failure;
  if (!calling || calling.isRecorded) await log.commit(...steps);
  else await Promise.all([calling.recorded, log.commit(...steps)]);
}

export async function startTools(
  parts: ToolCallParts,
  turn: RunningTurn,
  calls: readonly Runnable[],
): Promise<void> {
  const { options } = parts;
  const { agentRun, args: approved } = turn;
  await pauseOver(parts, turn);
  await commitBehindAnswer(parts, turn, ...calls.map(toolStartOf));
  for (const { call, tool, args } of calls) {
    approved.set(call.id, args);
    callSafely(() =>
      options.onToolExecution?.({
        type: "start",
        phase: "start",
        toolName: tool.name,
        toolArgs: args,
      }),
    );
  }
  await agentRun.onToolsStart(calls);
}

/** Resolves when nothing may delay the next step; rejects at an abort. */
export async function pauseOver({ pause }: ToolCallParts, { running }: RunningTurn): Promise<void> {
  if (pause) await raceAbort(pause, running.signal);
}

/** Records a call's end, with additions of hooks. */
export async function endTool(
  parts: ToolCallParts,
  turn: RunningTurn,
  ended: ToolCompletion,
): Promise<void> {
  const { options, memory } = parts;
  const toolArgs = turn.args.get(ended.call.id) ?? ended.call.args;
  const seen = await turn.agentRun.lookAtResult(ended, toolArgs);
  const completion = await applyUseHooks(parts, turn, seen, toolArgs);
  const answers = turn.answers.get(ended.call.id) ?? [];
  turn.answers.delete(ended.call.id);
  if (completion.result.changes) await loadDiff();
  try {
    await memory.record((changes) =>
      commitBehindAnswer(parts, turn, toolEndOf(completion, answers, changes)),
    );
  } catch (error) {
    // No step may follow one that could not be recorded.
    turn.running.abort(abortError());
    throw error;
  }
  const { call, result, denied } = completion;
  const execution: ToolExecution = defined({
    type: "end",
    phase: "end",
    toolName: call.name,
    toolArgs,
    success: result.success,
    denied: denied || undefined,
    errorCode: result.errorCode,
    reason: turn.args.has(call.id) ? undefined : textOfResult(result),
    toolResultData: textOfResult(result),
  });
  callSafely(() => options.onToolExecution?.(execution));
  turn.agentRun.onToolEnd(completion);
}

async function applyUseHooks(
  parts: ToolCallParts,
  turn: RunningTurn,
  completion: ToolCompletion,
  args: ToolArgs,
): Promise<ToolCompletion> {
  const { call } = completion;
  // A refused call was not used.
  const outcome = turn.args.has(call.id)
    ? await runUseHooks(parts, turn, completion, args)
    : undefined;
  if (outcome?.stopped) endTurn(parts, turn, outcome.stopReason);
  if (outcome?.additionalContext) addContext(turn, call.id, outcome.additionalContext);
  if (outcome?.blocked) addContext(turn, call.id, `A hook objects: ${outcome.reason ?? ""}`);
  const changed =
    outcome?.updatedToolOutput === undefined
      ? completion
      : withOutput(completion, textOf(outcome.updatedToolOutput));
  const added = turn.contexts.get(call.id) ?? [];
  turn.contexts.delete(call.id);
  return added.reduce(withContext, changed);
}

function runUseHooks(
  { hooks }: ToolCallParts,
  { running: { signal } }: RunningTurn,
  { call, result, durationMs }: ToolCompletion,
  tool_input: ToolArgs,
): Promise<HookOutcome | undefined> {
  const used = { tool_name: call.name, tool_input, tool_use_id: call.id };
  const duration_ms = Math.round(durationMs);
  if (result.success) {
    return hooks.run(
      "PostToolUse",
      { ...used, tool_response: responseOf(result), duration_ms },
      // Hooks hear of it even after an abort of the turn.
    );
  }
  const error = typeof result.output === "string" ? result.output : (result.error ?? "");
  const is_interrupt = signal.aborted;
  return hooks.run("PostToolUseFailure", { ...used, error, is_interrupt, duration_ms });
}

function textOfResult({ output }: ToolResult): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

function responseOf({ output }: ToolResult): JsonValue {
  return typeof output === "string" ? output : (JSON.parse(JSON.stringify(output)) as JsonValue);
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function withOutput(completion: ToolCompletion, content: string): ToolCompletion {
  return { ...completion, message: { ...completion.message, content } };
}

function withContext(completion: ToolCompletion, text: string): ToolCompletion {
  const { content } = completion.message;
  const message =
    typeof content === "string"
      ? { ...completion.message, content: `${content}\n\n${text}` }
      : { ...completion.message, content: [...content, { type: "text" as const, text }] };
  return { ...completion, message };
}

function addContext({ contexts }: RunningTurn, callId: string, text: string): void {
  contexts.set(callId, [...(contexts.get(callId) ?? []), text]);
}

/** Ends the turn for a hook, of a subagent too: like an abort, with its reason in the record. */
export function endTurn(
  parts: ToolCallParts,
  { running }: RunningTurn,
  reason = "",
  agentId?: string,
): void {
  if (agentId !== undefined && running.signal.aborted) return;
  parts.log.stream({
    type: "note",
    kind: "hook-stopped",
    data: defined({ reason, agentId }),
  });
  running.abort(abortError());
}
