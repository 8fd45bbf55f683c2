import type { ClientSession } from "@robota/runtime/sessions";

/**
 * A session as a user interface sees it: an `InteractiveSession` of this page, or a `RemoteSession`, which runs on a server.
 */
export type SessionConnection = Pick<
  ClientSession,
  | "sessionId"
  | "ready"
  | "lastSeq"
  | "events"
  | "submit"
  | "steer"
  | "abort"
  | "isExecuting"
  | "getQueue"
  | "cancelQueue"
  | "queue"
  | "pendingPermissions"
  | "resolvePermission"
  | "getPermissionMode"
  | "setPermissionMode"
  | "getContextState"
  | "getName"
  | "setName"
  | "listCommands"
  | "getCommands"
  | "completeCommand"
  | "executeCommand"
>;
