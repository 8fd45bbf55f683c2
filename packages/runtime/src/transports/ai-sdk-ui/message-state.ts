import type { ToolCall } from "../../messages/message.ts";
import type { AiSdkUiChunk, FinishReason } from "./chunks.ts";

/** A tool call, as far as the client knows of it. */
export interface KnownCall {
  /** The input that was sent, as JSON. */
  input: string;
  state: "running" | "asked" | "ended";
  /** True when an approval was requested, by a person or by the rules. */
  hasApproval: boolean;
}

/** The assistant message that is being sent: one turn. */
export interface MessageState {
  turnId: string;
  /** Id of the model's message whose step is open. */
  step: string | undefined;
  /** The part that is being streamed. */
  part: { kind: "text" | "reasoning"; id: string; messageId: string } | undefined;
  parts: number;
  /** Messages of the model of which words were streamed. */
  streamed: Set<string>;
  /** Calls of the model, of which the client learns when they are decided. */
  requested: Map<string, ToolCall>;
  calls: Map<string, KnownCall>;
  /** True behind the turn's own prompt. */
  isPrompted: boolean;
  finishReason: FinishReason;
  model: string | undefined;
  hasEnded: boolean;
}

export function messageOf(turnId: string): MessageState {
  return {
    turnId,
    step: undefined,
    part: undefined,
    parts: 0,
    streamed: new Set(),
    requested: new Map(),
    calls: new Map(),
    isPrompted: false,
    finishReason: "stop",
    model: undefined,
    hasEnded: false,
  };
}

/** Ends the part that is being streamed. */
export function endPart(state: MessageState): AiSdkUiChunk[] {
  const { part } = state;
  if (!part) return [];
  state.part = undefined;
  return [{ type: `${part.kind}-end`, id: part.id }];
}

/** Enters the step of a message of the model. */
export function enterStep(state: MessageState, messageId: string): AiSdkUiChunk[] {
  if (state.step === messageId) return [];
  const chunks = endStep(state);
  state.step = messageId;
  return [...chunks, { type: "start-step" }];
}

export function endStep(state: MessageState): AiSdkUiChunk[] {
  const chunks = endPart(state);
  if (state.step === undefined) return chunks;
  state.step = undefined;
  return [...chunks, { type: "finish-step" }];
}

/** Words of a message, in the part of their kind. */
export function streamWords(
  state: MessageState,
  kind: "text" | "reasoning",
  messageId: string,
  delta: string,
): AiSdkUiChunk[] {
  const isOpen = state.part?.kind === kind && state.part.messageId === messageId;
  // Blank lines between the rounds of a turn, which here are steps.
  if (!isOpen && delta.trim() === "") return [];
  const chunks = [...enterStep(state, messageId), ...(isOpen ? [] : endPart(state))];
  if (!state.part) {
    state.parts += 1;
    state.part = { kind, id: `${messageId}-${state.parts}`, messageId };
    chunks.push({ type: `${kind}-start`, id: state.part.id });
  }
  if (kind === "text") state.streamed.add(messageId);
  chunks.push({ type: `${kind}-delta`, id: state.part.id, delta });
  return chunks;
}
