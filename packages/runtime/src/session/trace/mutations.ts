import { messageForJson } from "../../messages/message-json.ts";
import { compactedMessages } from "../state/compacted.ts";
import type { SessionEvent } from "../log/events.ts";
import type { HistoryMutation } from "./entry.ts";

/** The change that an event makes to the conversation. `checkpoints`: the number of each checkpoint's event. */
export function mutationOf(
  event: SessionEvent,
  checkpoints: ReadonlyMap<string, number>,
): HistoryMutation | undefined {
  const { seq: sequence } = event;
  switch (event.type) {
    case "user_message":
    case "assistant_message":
    case "tool_end":
      return { sequence, operation: "append", message: messageForJson(event.message) };
    case "history_cleared":
      return { sequence, operation: "clear" };
    case "compaction": {
      const [message] = compactedMessages([], event);
      if (!message) return undefined;
      return { sequence, operation: "compact", message, kept: event.kept ?? [] };
    }
    case "tool_results_cleared":
      return { sequence, operation: "clear_tool_results", keep: event.keep };
    case "rewind": {
      const point = checkpoints.get(event.checkpointId);
      if (event.what === "files" || point === undefined) return undefined;
      // Restores the conversation from before the checkpoint's event.
      return { sequence, operation: "rewind", upTo: point - 1 };
    }
    default:
      return undefined;
  }
}
