import type { JsonValue, ToolArgs } from "../messages/message.ts";

/** The events with hooks, in the order in which a session meets them. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "Notification",
  "PreCompact",
  "PostCompact",
  "Stop",
  "StopFailure",
  "SessionEnd",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Input fields of every hook. */
export interface HookInputBase {
  session_id: string;
  /** Absolute. */
  cwd: string;
  /** Path of the session's record, on hosts that keep it in a file. */
  transcript_path?: string;
  permission_mode?: string;
  /** The subagent that it happens in. */
  agent_id?: string;
  agent_type?: string;
}

interface ToolFields {
  tool_name: string;
  tool_input: ToolArgs;
  tool_use_id: string;
}

/** Input fields of one event, besides `HookInputBase`. */
interface EventFields {
  SessionStart: { source: "startup" | "resume" | "clear" | "compact"; model?: string };
  UserPromptSubmit: { prompt: string };
  PreToolUse: ToolFields;
  PermissionRequest: Omit<ToolFields, "tool_use_id"> & {
    tool_use_id?: string;
    /** The pattern that a lasting answer would store. */
    permission_suggestions?: string[];
  };
  PermissionDenied: ToolFields & { reason: string };
  PostToolUse: ToolFields & {
    tool_response: JsonValue;
    /** Milliseconds. */
    duration_ms?: number;
  };
  PostToolUseFailure: ToolFields & {
    error: string;
    /** The turn was stopped while it ran. */
    is_interrupt?: boolean;
    duration_ms?: number;
  };
  SubagentStart: { agent_id: string; agent_type: string };
  SubagentStop: {
    agent_id: string;
    agent_type: string;
    stop_hook_active: boolean;
    last_assistant_message?: string;
    agent_transcript_path?: string;
  };
  Notification: { message: string; title?: string; notification_type?: string };
  PreCompact: { trigger: "manual" | "auto"; custom_instructions?: string };
  PostCompact: { trigger: "manual" | "auto"; compact_summary: string };
  Stop: {
    /**
     * True when the agent continues because a hook blocked its end: a hook that always blocks would never let it end.
     */
    stop_hook_active: boolean;
    last_assistant_message?: string;
    response?: string;
  };
  StopFailure: { reason: string; error?: string; last_assistant_message?: string };
  SessionEnd: { reason: "clear" | "logout" | "prompt_input_exit" | "other" };
}

/** Fields passed to `HookRunner.run`; it adds the rest of the input. */
export type HookFields<Event extends HookEvent> = EventFields[Event];

/** Input of one event's hooks: JSON, with the field names that Claude Code documents. */
export type HookInputOf<Event extends HookEvent> = HookInputBase & {
  hook_event_name: Event;
} & EventFields[Event];

/** Hook input by event. */
export type HookInputs = { [Event in HookEvent]: HookInputOf<Event> };

export type HookInput = HookInputs[HookEvent];

/** All values a matcher can match, for events with a fixed set. */
export const KNOWN_VALUES: { readonly [Event in HookEvent]?: readonly string[] } = {
  SessionStart: ["startup", "resume", "clear", "compact"],
  PreCompact: ["manual", "auto"],
  PostCompact: ["manual", "auto"],
  SessionEnd: ["clear", "logout", "prompt_input_exit", "other"],
};

export function isHookEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

/** The text that a group's matcher is compared with; `undefined` for events without one, where every group runs. */
export function matchedText(input: HookInput): string | undefined {
  switch (input.hook_event_name) {
    case "PreToolUse":
    case "PermissionRequest":
    case "PermissionDenied":
    case "PostToolUse":
    case "PostToolUseFailure":
      return input.tool_name;
    case "SessionStart":
      return input.source;
    case "SubagentStart":
    case "SubagentStop":
      return input.agent_type;
    case "Notification":
      return input.notification_type;
    case "PreCompact":
    case "PostCompact":
      return input.trigger;
    case "StopFailure":
    case "SessionEnd":
      return input.reason;
    case "UserPromptSubmit":
    case "Stop":
      return undefined;
  }
}
