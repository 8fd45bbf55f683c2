import type { HookEvent } from "./events.ts";
import type { JsonObject, JsonValue } from "../messages/message.ts";

/** How a hook ended, as a program does: 0 allows, 2 blocks with stderr as the reason, anything else is a failure. */
export interface HookResult {
  exitCode: number;
  /** An object of JSON is read as `HookOutput`. Any other text is context where a prompt or a session begins. */
  stdout: string;
  stderr: string;
}

export type HookPermissionDecision = "allow" | "ask" | "deny";

/** What a hook may answer as JSON, with the field names that Claude Code documents. Fields it does not know are ignored. */
export interface HookOutput {
  /** `false` ends the turn, whatever else is said. */
  continue?: boolean;
  /** For the person, when `continue` is `false`. */
  stopReason?: string;
  /** Keeps stdout out of what a person is shown. */
  suppressOutput?: boolean;
  /** A warning for the person. */
  systemMessage?: string;
  /** `block` blocks with `reason`; `approve` is the older word for the permission `allow`. */
  decision?: "block" | "approve";
  reason?: string;
  hookSpecificOutput?: HookSpecificOutput;
}

export interface HookSpecificOutput {
  hookEventName?: HookEvent;
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  /** Takes the place of the tool's whole input. */
  updatedInput?: JsonObject;
  /** For the model. */
  additionalContext?: string;
  /** Takes the place of what the model is shown as the tool's result. */
  updatedToolOutput?: JsonValue;
  /** The answer to a request for permission. */
  decision?: {
    behavior: "allow" | "deny";
    updatedInput?: JsonObject;
    message?: string;
    /** With `deny`: ends the turn as well. */
    interrupt?: boolean;
  };
  /** After a denial: the model may try the call again. */
  retry?: boolean;
}
