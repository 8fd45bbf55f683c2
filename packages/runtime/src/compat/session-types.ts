import type { SessionHeader } from "../session/store/header.ts";
import type { SessionRecord } from "../session/store/record.ts";

/** The interface that `Session` and `InteractiveSession` share. */
export interface ISession {
  readonly sessionId: string;
}

/** A store of session records. `SessionStore` implements it. */
export interface ISessionStore {
  save(record: SessionRecord): Promise<void>;
  /** Resolves to `undefined` for an unknown session. */
  load(id: string): Promise<SessionRecord | undefined>;
  /** Newest first. */
  list(): Promise<SessionHeader[]>;
  /** Silent for an unknown session. */
  delete(id: string): Promise<void>;
}

/** Options for shutting down a session. */
export interface ISessionShutdownOptions {
  /** Reason for hooks: `clear`, `logout`, `prompt_input_exit` or `other`. */
  reason?: string | undefined;
}

/** Share of the window above which a session makes room by itself, or `false` for never. */
export type TAutoCompactThreshold = number | false;

/** Names of the tools that permissions know. */
export type TKnownToolName =
  | "Bash"
  | "Read"
  | "Write"
  | "Edit"
  | "Glob"
  | "Grep"
  | "WebFetch"
  | "WebSearch";
