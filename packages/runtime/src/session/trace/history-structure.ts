import { defined } from "../../defined.ts";
import { contentCharacters } from "../../context/tracker.ts";
import type { Message, MessageMetadata } from "../../messages/message.ts";

/** A message without its content. */
export interface MessageStructure {
  role: Message["role"];
  contentLength: number;
  hasToolCalls: boolean;
  toolCallNames: string[];
  metadata?: MessageMetadata;
}

export function structureOf(message: Message): MessageStructure {
  const { role, content, metadata } = message;
  const toolCalls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return defined({
    role,
    contentLength: contentCharacters(content),
    hasToolCalls: toolCalls.length > 0,
    toolCallNames: toolCalls.map(({ name }) => name),
    metadata,
  });
}
