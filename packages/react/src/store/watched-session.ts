import { SessionError, type Storage } from "@robota/runtime";
import { watchSession } from "@robota/runtime/sessions";
import type { SessionConnection } from "./connection.ts";

/**
 * A session that another tab or process has open, to read along: its events as they are stored, with at most a fifth of a second
 * of delay. It takes no lease and writes nothing.
 * Actions are refused with `SESSION_BUSY`.
 */
export function watchedSession(
  storage: Pick<Storage, "read">,
  sessionId: string,
): SessionConnection {
  const refuse = async (): Promise<never> => {
    throw new SessionError("SESSION_BUSY", "The session is open elsewhere and can only be read", {
      hint: "Open it with takeOver, or act on it where it is open.",
    });
  };
  return {
    sessionId,
    ready: Promise.resolve(),
    // Only the reading itself finds the end of a log that another one writes.
    lastSeq: 0,
    events: (options) => watchSession(storage, sessionId, { ...options, every: EVERY_MS }),
    isExecuting: () => false,
    getQueue: () => [],
    queue: {
      list: () => [],
      isPaused: () => false,
      edit: refuse,
      move: refuse,
      remove: refuse,
      pause: refuse,
      resume: refuse,
    },
    pendingPermissions: () => [],
    getPermissionMode: () => "default",
    getContextState: () => ({
      usedTokens: 0,
      maxTokens: 0,
      usedPercentage: 0,
      remainingPercentage: 100,
    }),
    getName: () => undefined,
    listCommands: () => [],
    getCommands: async () => [],
    completeCommand: async () => [],
    abort() {},
    cancelQueue() {},
    submit: refuse,
    steer: refuse,
    resolvePermission: refuse,
    setPermissionMode: refuse,
    setName: refuse,
    executeCommand: refuse,
  };
}

const EVERY_MS = 200;
