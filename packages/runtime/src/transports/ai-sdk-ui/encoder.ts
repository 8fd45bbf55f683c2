import { defined } from "../../defined.ts";
import { contentText, type StopReason, type TokenUsage } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf } from "../../session/log/events.ts";
import { attachmentsIn } from "../../session/queue.ts";
import { attachmentUrl } from "../attachment-url.ts";
import type { AiSdkUiChunk, AiSdkUiMetadata, FinishReason } from "./chunks.ts";
import { dataChunks, type KnownAgents } from "./data-chunks.ts";
import {
  endPart,
  endStep,
  enterStep,
  messageOf,
  type MessageState,
  streamWords,
} from "./message-state.ts";
import {
  agentResultChunks,
  autoChunks,
  decisionChunks,
  endChunks,
  requestChunks,
  startChunks,
} from "./tool-chunks.ts";

/** Translates one event after the other into chunks. */
export type AiSdkUiEncoder = (event: SessionEvent) => AiSdkUiChunk[];

/**
 * Encodes a session's events as the UI message stream of the AI SDK. Each turn is an assistant message whose id is the
 * turn's, each request to the model a step of it. Needs nothing but the events, in order, from the start of a turn on.
 */
export function aiSdkUiEncoder(): AiSdkUiEncoder {
  let message: MessageState | undefined;
  const agents: KnownAgents = new Map();
  return (event) => {
    const chunks: AiSdkUiChunk[] = [];
    const { turnId, sessionId } = event;
    if (turnId !== undefined && turnId !== message?.turnId) {
      message = messageOf(turnId);
      chunks.push({ type: "start", messageId: turnId, messageMetadata: { sessionId, turnId } });
    }
    const state = turnId === undefined || message?.hasEnded ? undefined : message;
    if (state) chunks.push(...messageChunks(state, event));
    chunks.push(...dataChunks(agents, event, state !== undefined));
    return chunks;
  };
}

function messageChunks(state: MessageState, event: SessionEvent): AiSdkUiChunk[] {
  switch (event.type) {
    case "user_message":
      return steeringChunks(state, event);
    case "text_delta":
      return streamWords(state, "text", event.messageId, event.delta);
    case "thinking_delta":
      return streamWords(state, "reasoning", event.messageId, event.delta);
    case "assistant_message":
      return answerChunks(state, event);
    case "permission_request":
      return requestChunks(state, event.request);
    case "permission_decision":
      return decisionChunks(state, event);
    case "permission_auto":
      return autoChunks(state, event);
    case "tool_start":
      return startChunks(state, event);
    case "tool_end":
      return endChunks(state, event);
    case "agent_message":
      return agentResultChunks(state, event);
    case "turn_end":
      return turnEndChunks(state, event);
    default:
      return [];
  }
}

/** A message of a person behind the turn's prompt. */
function steeringChunks(
  state: MessageState,
  { message: { role, id, content } }: SessionEventOf<"user_message">,
): AiSdkUiChunk[] {
  if (!state.isPrompted) {
    state.isPrompted = true;
    return [];
  }
  if (role !== "user") return [];
  const parts = [{ type: "text" as const, text: contentText(content) }];
  return [...endPart(state), { type: "steering-message", id, parts }];
}

function answerChunks(
  state: MessageState,
  { message }: SessionEventOf<"assistant_message">,
): AiSdkUiChunk[] {
  const { id, content, toolCalls = [], stopReason, model, error } = message;
  for (const call of toolCalls) state.requested.set(call.id, call);
  state.model = model ?? state.model;
  state.finishReason = finishReasonOf(stopReason);
  // The session's own words about a failure, which the turn's end reports.
  if (error && !state.streamed.has(id)) return [];
  const chunks = enterStep(state, id);
  if (!state.streamed.has(id)) chunks.push(...streamWords(state, "text", id, contentText(content)));
  chunks.push(...endPart(state));
  for (const attachment of attachmentsIn(content))
    chunks.push({
      type: "file",
      url: attachmentUrl(attachment),
      mediaType: attachment.mediaType,
    });
  const parts = typeof content === "string" ? [] : content;
  for (const part of parts) {
    if (part.type !== "text") continue;
    for (const { url, title } of part.citations ?? []) {
      if (url === undefined) continue;
      state.parts += 1;
      const sourceId = `${id}-${state.parts}`;
      chunks.push(defined({ type: "source-url", sourceId, url, title }));
    }
  }
  return chunks;
}

function turnEndChunks(
  state: MessageState,
  { state: outcome, sessionId, turnId = "", usage, cost, error }: SessionEventOf<"turn_end">,
): AiSdkUiChunk[] {
  const { model } = state;
  const messageMetadata: AiSdkUiMetadata = {
    sessionId,
    turnId,
    ...defined({ model, usage: usage && usageOf(usage), cost }),
  };
  const chunks = endStep(state);
  state.hasEnded = true;
  if (outcome === "complete") {
    return [...chunks, { type: "finish", finishReason: state.finishReason, messageMetadata }];
  }
  if (outcome === "interrupted") {
    return [
      ...chunks,
      { type: "abort", reason: "The turn was stopped." },
      { type: "finish", finishReason: "interrupted", messageMetadata },
    ];
  }
  return [
    ...chunks,
    // Clients stop reading at the error.
    { type: "message-metadata", messageMetadata },
    { type: "error", errorText: error?.message ?? "The turn failed." },
    { type: "finish", finishReason: "error", messageMetadata },
  ];
}

function finishReasonOf(stopReason: StopReason | undefined): FinishReason {
  switch (stopReason) {
    case undefined:
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
      return "length";
    case "refusal":
      return "content-filter";
    case "tool_use":
      return "tool-calls";
    case "error":
      return "error";
    default:
      return "other";
  }
}

function usageOf(usage: TokenUsage): NonNullable<AiSdkUiMetadata["usage"]> {
  const { inputTokens: noCacheTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const { reasoningTokens } = usage;
  const inputTokens = noCacheTokens + cacheReadTokens + cacheWriteTokens;
  const textTokens = outputTokens - (reasoningTokens ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    inputTokenDetails: { noCacheTokens, cacheReadTokens, cacheWriteTokens },
    outputTokenDetails: reasoningTokens === undefined ? {} : { textTokens, reasoningTokens },
  };
}
