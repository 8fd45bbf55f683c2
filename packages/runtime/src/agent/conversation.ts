import type { AssistantMessage, Message } from "../messages/message.ts";

/**
 * The messages a loop works on and adds to. The loop adds nothing by itself: whoever owns the conversation decides
 * what "added" means, an array here, a durable log in a session. Tool results reach it through the batch's `onEnd`.
 */
export interface Conversation {
  /** Grows at its end; a new array after a compaction or a clear. */
  readonly messages: readonly Message[];
  addAssistant(message: AssistantMessage): Promise<void> | void;
}

/**
 * An assistant message as the model gets it back: in a round with tool calls its words are left out, since the model
 * said them on its way to the calls; thinking that the provider requires stays.
 */
export function withoutToolRoundText(message: AssistantMessage): AssistantMessage {
  if (!message.toolCalls?.length) return message;
  if (typeof message.content === "string") {
    return message.content === "" ? message : { ...message, content: "" };
  }
  const kept = message.content.filter((part) => part.type !== "text");
  return { ...message, content: kept.length > 0 ? kept : "" };
}
