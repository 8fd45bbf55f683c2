import type { AssistantMessage, Message } from "../messages/message.ts";

/**
 * The messages a loop reads and appends to. The loop stores nothing by itself: the owner of the conversation decides
 * what "appended" means, an array here, a durable log in a session. Tool results arrive through the batch's `onEnd`.
 */
export interface Conversation {
  /** Grows at its end; a new array after a compaction or a clear. */
  readonly messages: readonly Message[];
  addAssistant(message: AssistantMessage): Promise<void> | void;
}

/**
 * The assistant message that goes back to the model: the text of a round with tool calls is left out, as it only
 * introduced the calls; thinking that the provider requires stays.
 */
export function withoutToolRoundText(message: AssistantMessage): AssistantMessage {
  if (!message.toolCalls?.length) return message;
  if (typeof message.content === "string") {
    return message.content === "" ? message : { ...message, content: "" };
  }
  const kept = message.content.filter((part) => part.type !== "text");
  return { ...message, content: kept.length > 0 ? kept : "" };
}
