import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { SessionHeader } from "../../session/store/header.ts";
import type { Owner } from "./authenticate.ts";

export interface NewSession {
  /** Chosen by the transport: the same for the same owner and `Idempotency-Key`. */
  id: string;
  /** Equal for equal requests; a request that comes again with another one is a mistake of its sender. */
  fingerprint: string;
  name?: string;
  permissionMode?: PermissionMode;
  /** Where the request came from, when the transport knows. */
  address?: string | undefined;
}

/** What a list shows of a session at least. */
export type SessionSummary = Pick<SessionHeader, "id" | "createdAt" | "updatedAt" | "state"> &
  Partial<SessionHeader>;

/** A session that runs somewhere else, such as in a Durable Object: whole requests are handed on to it. */
export interface SessionGateway {
  fetch(request: Request): Promise<Response>;
}

/**
 * Where an HTTP transport finds sessions. Each call names the owner, and what belongs to somebody else is as if it were
 * not there.
 */
export interface SessionHost {
  /**
   * Makes a session, or finds the one made by the same request before.
   * @throws {HttpProblem} 422 when the id is taken by a different request, 429 when the owner has enough
   */
  create(owner: Owner, session: NewSession): Promise<void>;
  /** Newest first. */
  list(owner: Owner): Promise<SessionSummary[]>;
  /** The session, loaded, or the way to it. */
  open(owner: Owner, id: string): Promise<InteractiveSession | SessionGateway | undefined>;
  /** Stops the session and removes all it has; `false` when there is none. */
  delete(owner: Owner, id: string): Promise<boolean>;
}
