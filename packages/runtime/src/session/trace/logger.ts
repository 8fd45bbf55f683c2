import type { SessionLogData } from "./entry.ts";

/**
 * Where a session's log goes: give it to a session as `logger`. A session takes secrets out before it calls `log`, and a
 * logger that fails does not fail the session.
 */
export interface SessionLogger {
  /** Takes one event. Entries of one session are given in order; `data` is plain data that nobody changes any more. */
  log(sessionId: string, event: string, data: SessionLogData): void | Promise<void>;
  /** Resolves when everything that was logged is durable. */
  flush(): Promise<void>;
  /**
   * The highest `sequence` of a change of the conversation that the session's log has, or `undefined`. With it, a session
   * that is opened again repeats nothing; without, it logs its conversation once each time.
   */
  historyUpTo?(sessionId: string): Promise<number | undefined>;
  /** A log of its own for a subagent of a session; without it, subagents are not logged. */
  forSubagent?(parentId: string, agentId: string): SessionLogger;
}

/** Drops everything. */
export class SilentSessionLogger implements SessionLogger {
  log(): void {}

  async flush(): Promise<void> {}
}
