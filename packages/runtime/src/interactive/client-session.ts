import type { CommandInfo } from "./commands/command.ts";
import type { InteractiveSession } from "./interactive-session.ts";

type Shared =
  | "sessionId"
  | "ready"
  | "lastSeq"
  | "submit"
  | "steer"
  | "abort"
  | "cancelQueue"
  | "queue"
  | "isExecuting"
  | "getPendingPrompt"
  | "getQueue"
  | "getMessages"
  | "getFullHistory"
  | "getMessageCount"
  | "getStreamingText"
  | "getActiveTools"
  | "getContextState"
  | "getModel"
  | "getName"
  | "setName"
  | "getPermissionMode"
  | "setPermissionMode"
  | "getSessionAllowedTools"
  | "pendingPermissions"
  | "resolvePermission"
  | "events"
  | "on"
  | "off"
  | "listCommands"
  | "completeCommand"
  | "executeCommand"
  | "changes"
  | "checkpoints"
  | "rewind"
  | "export"
  | "shutdown";

/**
 * A session as its clients use it, wherever it runs: `InteractiveSession` in this process, `RemoteSession` on a server.
 */
export interface ClientSession extends Pick<InteractiveSession, Shared>, AsyncDisposable {
  /** The directory that it works in. */
  readonly workspace: Pick<InteractiveSession["workspace"], "cwd">;
  /** The commands that this client may run, for a menu. */
  getCommands(): Promise<readonly CommandInfo[]>;
  /** Forks a new session from this one's past, with its own copy of the files. */
  fork(at?: string | number): Promise<ClientSession>;
}
