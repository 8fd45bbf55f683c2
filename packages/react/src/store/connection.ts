import type { InteractiveSession } from "@robota/runtime";

/**
 * A session as a user interface sees it: an `InteractiveSession` of this page, or an object of the same interface for a
 * session that runs elsewhere.
 */
export type SessionConnection = Pick<
  InteractiveSession,
  | "sessionId"
  | "ready"
  | "events"
  | "submit"
  | "steer"
  | "abort"
  | "isExecuting"
  | "getQueue"
  | "cancelQueue"
  | "pendingPermissions"
  | "resolvePermission"
  | "getPermissionMode"
  | "setPermissionMode"
  | "getContextState"
  | "getName"
  | "setName"
  | "listCommands"
  | "completeCommand"
  | "executeCommand"
>;
