import type { PermissionDecisionRecord, PermissionRequest } from "../log/events.ts";
import type { ToolState } from "./state.ts";

/** What a session has of the calls of its open turn; by tool call, but for the requests, which have ids of their own. */
export class OpenCalls {
  readonly active = new Map<string, ToolState>();
  readonly pending = new Map<string, PermissionRequest>();
  readonly decisions = new Map<string, PermissionDecisionRecord>();
}

/** Where no turn has called anything. Only read. */
export const NO_CALLS: OpenCalls = new OpenCalls();
