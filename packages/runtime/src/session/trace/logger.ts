import type { SessionLogData } from "./entry.ts";

/**
 * The destination of a session's trace: pass it to a session as `logger`. A session removes secrets before it calls
 * `log`, and a failing logger does not fail the session.
 */
export interface SessionLogger {
  /** Takes one event. Entries of one session arrive in order; `data` is plain data that never changes afterwards. */
  log(sessionId: string, event: string, data: SessionLogData): void | Promise<void>;
  /** Resolves when all entries are durable. */
  flush(): Promise<void>;
  /**
   * The highest `sequence` of a change of the conversation in the session's log, or `undefined`. With it, a resumed
   * session repeats nothing; without it, the session logs its conversation again at each opening.
   */
  historyUpTo?(sessionId: string): Promise<number | undefined>;
  /** Creates a separate log for a subagent of a session; without it, subagents are not logged. */
  forSubagent?(parentId: string, agentId: string): SessionLogger;
}

/** Discards everything. */
export class SilentSessionLogger implements SessionLogger {
  log(): void {}

  async flush(): Promise<void> {}
}
