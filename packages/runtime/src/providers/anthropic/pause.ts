import { errorFacts, isAbortError } from "../../errors.ts";
import type { AssistantMessage, Part, TokenUsage } from "../../messages/message.ts";
import { reportable } from "../../messages/reported-error.ts";

/**
 * Continues an answer that the service has paused in the middle of its own tools: `ask` sends back the received part.
 * Shown text is never requested again.
 * @returns one message; its usage is the sum of both calls
 */
export async function goOn(
  paused: AssistantMessage,
  ask: () => Promise<AssistantMessage>,
): Promise<AssistantMessage> {
  try {
    return joined(paused, await ask());
  } catch (error) {
    return ended(paused, error);
  }
}

function joined(first: AssistantMessage, next: AssistantMessage): AssistantMessage {
  const message: AssistantMessage = {
    ...next,
    id: first.id,
    content: [...partsOf(first), ...partsOf(next)],
  };
  // The visible part alone of an interrupted answer can be kept.
  if (next.state === "interrupted") message.content = shown(message);
  if (first.usage || next.usage) message.usage = sum(first.usage, next.usage);
  return message;
}

/** @throws the error itself, when nothing was shown before it */
function ended(first: AssistantMessage, error: unknown): AssistantMessage {
  const facts = errorFacts(error);
  // After its own tools the model may have nothing to add.
  if (facts.code === "EMPTY_RESPONSE") return { ...first, stopReason: "end_turn" };
  const content = shown(first);
  if (!content.some(({ type }) => type === "text")) throw error;
  const kept: AssistantMessage = { ...first, content, state: "interrupted" };
  if (isAbortError(error)) return { ...kept, stopReason: "aborted" };
  const report = error instanceof Error ? reportable(error) : facts;
  return { ...kept, stopReason: "error", error: report };
}

function shown(message: AssistantMessage): Part[] {
  return partsOf(message).flatMap((part): Part[] => {
    if (part.type === "thinking")
      return part.text === "" ? [] : [{ type: "thinking", text: part.text }];
    return part.type === "provider" ? [] : [part];
  });
}

function partsOf({ content }: AssistantMessage): Part[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

function sum(first: TokenUsage | undefined, next: TokenUsage | undefined): TokenUsage {
  const total: TokenUsage = {
    inputTokens: (first?.inputTokens ?? 0) + (next?.inputTokens ?? 0),
    outputTokens: (first?.outputTokens ?? 0) + (next?.outputTokens ?? 0),
    cacheReadTokens: (first?.cacheReadTokens ?? 0) + (next?.cacheReadTokens ?? 0),
    cacheWriteTokens: (first?.cacheWriteTokens ?? 0) + (next?.cacheWriteTokens ?? 0),
  };
  const reasoning = (first?.reasoningTokens ?? 0) + (next?.reasoningTokens ?? 0);
  if (reasoning > 0) total.reasoningTokens = reasoning;
  return total;
}
