import type { HookEvent } from "./events.ts";
import type { JsonObject, JsonValue } from "../messages/message.ts";

/** The exit of a hook, as of a program: 0 allows, 2 blocks with stderr as the reason, anything else is a failure. */
export interface HookResult {
  exitCode: number;
  /** An object of JSON is read as `HookOutput`. Any other text is context where a prompt or a session begins. */
  stdout: string;
  stderr: string;
}

export type HookPermissionDecision = "allow" | "ask" | "deny";

/** JSON output of a hook, with the field names that Claude Code documents. Unknown fields are ignored. */
export interface HookOutput {
  /** `false` ends the turn, regardless of the other fields. */
  continue?: boolean;
  /** The reason for the person, when `continue` is `false`. */
  stopReason?: string;
  /** Hides stdout from people. */
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
  /** Added to the model's context. */
  additionalContext?: string;
  /** Replaces the tool's result for the model. */
  updatedToolOutput?: JsonValue;
  /** The answer to a request for permission. */
  decision?: {
    behavior: "allow" | "deny";
    updatedInput?: JsonObject;
    message?: string;
    /** With `deny`: also ends the turn. */
    interrupt?: boolean;
  };
  /** After a denial: the model may try the call again. */
  retry?: boolean;
}
