import { defined } from "../../defined.ts";
import { contentText, type JsonObject } from "../../messages/message.ts";
import type { PermissionRequest, SessionEventOf } from "../../session/log/events.ts";
import type { AiSdkUiChunk } from "./chunks.ts";
import { endPart, type KnownCall, type MessageState } from "./message-state.ts";

interface Call {
  id: string;
  name: string;
  input: unknown;
}

const OWN = { dynamic: true, providerExecuted: true } as const;

/** Tells the client of a call, unless it knows it with this input. */
function announce(
  state: MessageState,
  { id, name, input }: Call,
  phase: KnownCall["state"],
): AiSdkUiChunk[] {
  const json = JSON.stringify(input);
  const call = { toolCallId: id, toolName: name, ...OWN };
  const available: AiSdkUiChunk = { type: "tool-input-available", ...call, input };
  const known = state.calls.get(id);
  if (known) {
    known.state = phase;
    if (known.input === json) return [];
    known.input = json;
    return [available];
  }
  state.calls.set(id, { input: json, state: phase, hasApproval: false });
  return [...endPart(state), { type: "tool-input-start", ...call }, available];
}

export function startChunks(
  state: MessageState,
  { toolCallId: id, tool: name, args: input }: SessionEventOf<"tool_start">,
): AiSdkUiChunk[] {
  return announce(state, { id, name, input }, "running");
}

/**
 * A question to a person. A client that answers it automatically waits until every call of the step is decided or done, so
 * that calls which run meanwhile (a subagent that asks does) stay behind in a step of their own.
 */
export function requestChunks(state: MessageState, request: PermissionRequest): AiSdkUiChunk[] {
  const { id: approvalId, toolCallId, tool: name, args: input, reason } = request;
  const isAnyRunning = [...state.calls.values()].some((call) => call.state === "running");
  const chunks: AiSdkUiChunk[] = isAnyRunning
    ? [...endPart(state), { type: "finish-step" }, { type: "start-step" }]
    : [];
  chunks.push(...announce(state, { id: toolCallId, name, input }, "asked"));
  markApproval(state, toolCallId);
  const approvalDescriptor = descriptorOf(request);
  const facts = { approvalId, toolCallId, reason, approvalDescriptor };
  return [...chunks, { type: "tool-approval-request", ...facts }];
}

function descriptorOf(request: PermissionRequest): JsonObject {
  const { id: _id, toolCallId: _toolCallId, args: _args, reason: _reason, ...facts } = request;
  return JSON.parse(JSON.stringify(facts)) as JsonObject;
}

function markApproval(state: MessageState, toolCallId: string): void {
  const call = state.calls.get(toolCallId);
  if (call) call.hasApproval = true;
}

export function decisionChunks(
  state: MessageState,
  { requestId, toolCallId, parentId, decision }: SessionEventOf<"permission_decision">,
): AiSdkUiChunk[] {
  const call = state.calls.get(toolCallId);
  if (!call) return [];
  const chunks: AiSdkUiChunk[] = [responseTo(requestId, decision.allow, decision.reason)];
  if (parentId === undefined) return chunks;
  // For a subagent's call only the result is reported, and for a denied one not even that.
  call.state = "ended";
  if (!decision.allow) chunks.push({ type: "tool-output-denied", toolCallId });
  return chunks;
}

function responseTo(approvalId: string, approved: boolean, reason?: string): AiSdkUiChunk {
  return {
    type: "tool-approval-response",
    approvalId,
    approved,
    providerExecuted: true,
    ...defined({ reason }),
  };
}

/** A call that the rules deny: a question, and their answer to it. */
export function autoChunks(
  state: MessageState,
  { toolCallId, tool: name, decision, reason }: SessionEventOf<"permission_auto">,
): AiSdkUiChunk[] {
  if (decision !== "deny") return [];
  const input = state.requested.get(toolCallId)?.args ?? {};
  const approvalId = `auto-${toolCallId}`;
  const chunks = announce(state, { id: toolCallId, name, input }, "asked");
  markApproval(state, toolCallId);
  return [
    ...chunks,
    { type: "tool-approval-request", approvalId, toolCallId, reason, isAutomatic: true },
    responseTo(approvalId, false, reason),
  ];
}

export function endChunks(
  state: MessageState,
  { toolCallId, tool: name, message, outcome }: SessionEventOf<"tool_end">,
): AiSdkUiChunk[] {
  const requested = state.requested.get(toolCallId);
  const call = { id: toolCallId, name, input: requested?.args ?? {} };
  const errorText = contentText(message.content);
  const input = requested?.rawArgs;
  if (input !== undefined && !state.calls.has(toolCallId)) {
    return [
      ...endPart(state),
      { type: "tool-input-error", toolCallId, toolName: name, ...OWN, input, errorText },
    ];
  }
  const known = state.calls.get(toolCallId);
  const chunks = known ? [] : announce(state, call, "ended");
  if (known) known.state = "ended";
  if (outcome.denied && known?.hasApproval)
    return [...chunks, { type: "tool-output-denied", toolCallId }];
  const output = { toolCallId, ...OWN, providerMetadata: { robota: outcomeOf(outcome) } };
  if (message.isError) return [...chunks, { type: "tool-output-error", ...output, errorText }];
  return [...chunks, { type: "tool-output-available", ...output, output: message.content }];
}

function outcomeOf(outcome: SessionEventOf<"tool_end">["outcome"]): JsonObject {
  const { memory: _memory, answers: _answers, ...facts } = outcome;
  return JSON.parse(JSON.stringify(facts)) as JsonObject;
}

/** The result of a subagent's call that a person was asked about. */
export function agentResultChunks(
  state: MessageState,
  { parentId, entry }: SessionEventOf<"agent_message">,
): AiSdkUiChunk[] {
  if (entry.role !== "tool" || entry.toolCallId === undefined) return [];
  const toolCallId = `${parentId}/${entry.toolCallId}`;
  if (!state.calls.has(toolCallId)) return [];
  const { text, isError } = entry;
  if (isError) return [{ type: "tool-output-error", toolCallId, ...OWN, errorText: text }];
  return [{ type: "tool-output-available", toolCallId, ...OWN, output: text }];
}
