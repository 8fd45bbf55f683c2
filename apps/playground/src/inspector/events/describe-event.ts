import { contentText, type SessionEvent } from "@robota/runtime";

/** A summary of an event, in one line. */
export function describeEvent(event: SessionEvent): string {
  switch (event.type) {
    case "session_init":
      return `${event.provider} · ${event.model}`;
    case "session_resume":
      return event.cut ? "in the middle of a turn" : "";
    case "turn_resume":
      return event.attempt === 1 ? "" : `attempt ${event.attempt}`;
    case "turn_start":
      return event.displayInput ?? event.input;
    case "user_message":
    case "assistant_message":
      return contentText(event.message.content);
    case "text_delta":
    case "thinking_delta":
      return event.delta;
    case "permission_request":
      return `${event.request.tool}: ${event.request.reason}`;
    case "permission_decision":
      return `${event.decision.allow ? "allowed" : "denied"} by ${event.decision.by}`;
    case "tool_start":
      return `${event.tool} ${event.firstArg}`;
    case "tool_output":
      return event.text;
    case "tool_end":
      return `${event.tool} ${event.outcome.success ? "succeeded" : "failed"}`;
    case "context_update":
      return `${event.usedTokens} of ${event.maxTokens} tokens`;
    case "queue_update":
      return `${event.queue.length} waiting`;
    case "mode_change":
      return event.mode;
    case "name_change":
      return event.name;
    case "model_change":
      return `${event.provider} · ${event.model}`;
    case "language_change":
      return event.language ?? "";
    case "compaction":
      return `${event.before} to ${event.after} tokens`;
    case "permission_auto":
      return `${event.tool}: ${event.decision === "auto" ? "allowed" : "denied"} by ${event.rule ?? event.hook ?? event.by}`;
    case "permission_revoked":
      return event.pattern;
    case "hook_run":
      return `${event.event} ${event.hook}: ${event.outcome}`;
    case "files_before":
      return event.files.map(({ path }) => path).join(", ");
    case "rewind":
      return event.what;
    case "agent_start":
      return `${event.agent}: ${event.description ?? event.prompt}`;
    case "agent_message":
      return `${event.entry.role}: ${event.entry.text}`;
    case "agent_end":
      return `${event.state}: ${event.response}`;
    case "tool_results_cleared":
      return `${event.before} to ${event.after} tokens`;
    case "note":
      return `${event.kind} ${JSON.stringify(event.data ?? "").slice(0, 200)}`;
    case "turn_end":
      return event.error ? `${event.state}: ${event.error.message}` : event.state;
    case "session_shutdown":
      return event.reason;
    case "agent_collected":
    case "history_cleared":
      return "";
    default:
      // A newer version may have written unknown events.
      return "";
  }
}
