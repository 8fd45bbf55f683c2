import type { SessionHeader } from "../session/store/header.ts";
import type { SessionRecord } from "../session/store/record.ts";

/** What a session is known by. `Session` and `InteractiveSession` are ones. */
export interface ISession {
  readonly sessionId: string;
}

/** Where records of sessions are kept. `SessionStore` is one. */
export interface ISessionStore {
  save(record: SessionRecord): Promise<void>;
  /** Resolves to `undefined` when there is no such session. */
  load(id: string): Promise<SessionRecord | undefined>;
  /** Newest first. */
  list(): Promise<SessionHeader[]>;
  /** Silent when there is no such session. */
  delete(id: string): Promise<void>;
}

/** How a session is shut down. */
export interface ISessionShutdownOptions {
  /** For hooks: `clear`, `logout`, `prompt_input_exit` or `other`. */
  reason?: string;
}

/** Share of the window above which a session makes room by itself, or `false` for never. */
export type TAutoCompactThreshold = number | false;

/** The tools that permissions know by name. */
export type TKnownToolName =
  | "Bash"
  | "Read"
  | "Write"
  | "Edit"
  | "Glob"
  | "Grep"
  | "WebFetch"
  | "WebSearch";
