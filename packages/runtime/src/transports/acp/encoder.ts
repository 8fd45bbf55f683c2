import { defined } from "../../defined.ts";
import { contentText } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf } from "../../session/log/events.ts";
import { attachmentsIn } from "../../session/queue.ts";
import { attachmentBlock } from "./content-blocks.ts";
import { agentResult, announced, ended, newCallContext, output, started } from "./tool-updates.ts";
import type { AcpContentBlock, AcpUpdate } from "./updates.ts";

/** Translates one event after the other. */
export type AcpEncoder = (event: SessionEvent) => AcpUpdate[];

export interface AcpEncoderOptions {
  /** Includes what a person said: for the history of a session, since a client shows its own prompts by itself. */
  includesPrompts?: ((event: SessionEvent) => boolean) | undefined;
}

/** Encodes a session's events as `session/update` notifications of ACP v1. Needs nothing but the events, in order. */
export function acpEncoder({ includesPrompts }: AcpEncoderOptions = {}): AcpEncoder {
  const calls = newCallContext();
  const streamed = new Set<string>();
  let isPrompted = true;
  return (event) => {
    switch (event.type) {
      case "session_init":
        calls.cwd = event.cwd;
        return [];
      case "turn_start":
        isPrompted = false;
        if (!includesPrompts?.(event)) return [];
        return [words("user_message_chunk", event.displayInput ?? event.input)];
      case "user_message": {
        // The turn's own prompt, whose words came with its start.
        const isPrompt = !isPrompted;
        isPrompted = true;
        if (!isPrompt || !includesPrompts?.(event)) return [];
        return attachmentsIn(event.message.content).map((attachment) =>
          chunk("user_message_chunk", attachmentBlock(attachment)),
        );
      }
      case "text_delta": {
        // Blank lines between the rounds of a turn.
        if (!streamed.has(event.messageId) && event.delta.trim() === "") return [];
        streamed.add(event.messageId);
        return [words("agent_message_chunk", event.delta, event.messageId)];
      }
      case "thinking_delta":
        return [words("agent_thought_chunk", event.delta, `${event.messageId}-thought`)];
      case "assistant_message":
        return [
          ...wholeAnswer(streamed, event),
          ...announced(calls, event.message.toolCalls ?? []),
        ];
      case "permission_request":
        return announced(calls, [asCall(event)]);
      case "tool_start":
        return started(calls, event);
      case "tool_output":
        return output(calls, event);
      case "tool_end":
        return ended(calls, event);
      case "agent_message":
        return agentResult(calls, event);
      default:
        return stateUpdates(event);
    }
  };
}

function asCall({ request }: SessionEventOf<"permission_request">) {
  return { id: request.toolCallId, name: request.tool, args: request.args };
}

/** An answer that did not stream. A failure's report is not the model's words. */
function wholeAnswer(
  streamed: ReadonlySet<string>,
  { message }: SessionEventOf<"assistant_message">,
): AcpUpdate[] {
  const text = contentText(message.content);
  const isShown = streamed.has(message.id) || message.error || text.trim() === "";
  const attachments = attachmentsIn(message.content).map((attachment) =>
    chunk("agent_message_chunk", attachmentBlock(attachment), message.id),
  );
  return [...(isShown ? [] : [words("agent_message_chunk", text, message.id)]), ...attachments];
}

function stateUpdates(event: SessionEvent): AcpUpdate[] {
  switch (event.type) {
    case "mode_change":
      return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }];
    case "name_change":
      return [{ sessionUpdate: "session_info_update", title: event.name }];
    case "context_update":
      return [{ sessionUpdate: "usage_update", used: event.usedTokens, size: event.maxTokens }];
    default:
      return [];
  }
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

export function words(sessionUpdate: ChunkKind, text: string, messageId?: string): AcpUpdate {
  return chunk(sessionUpdate, { type: "text", text }, messageId);
}

function chunk(sessionUpdate: ChunkKind, content: AcpContentBlock, messageId?: string): AcpUpdate {
  return defined({ sessionUpdate, content, messageId });
}
