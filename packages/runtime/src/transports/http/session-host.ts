import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { SessionHeader } from "../../session/store/header.ts";
import type { Owner } from "./authenticate.ts";

export interface NewSession {
  /** Chosen by the transport: the same for the same owner and `Idempotency-Key`. */
  id: string;
  /** Equal for equal requests; a request that comes again with another one is a mistake of its sender. */
  fingerprint: string;
  name?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  /** The client's address, if the transport knows it. */
  address?: string | undefined;
}

/** The minimum that a list shows of a session. */
export type SessionSummary = Pick<SessionHeader, "id" | "createdAt" | "updatedAt" | "state"> &
  Partial<SessionHeader>;

/**
 * A session that runs elsewhere, such as in a Durable Object: whole requests are passed on to it, with
 * their principal (`principalOf`) in place of the caller's credentials.
 */
export interface SessionGateway {
  fetch(request: Request): Promise<Response>;
}

/** Finds the session of an owner, loaded, or the way to it. */
export type OpenSession = (
  owner: Owner,
  id: string,
) => Promise<InteractiveSession | SessionGateway | undefined>;

/** The sessions behind an HTTP transport. Each call names the owner; sessions of others behave as absent. */
export interface SessionHost {
  /**
   * Creates a session, or finds the one created by the same request before.
   * @throws {HttpProblem} 422 when the id is taken by a different request, 429 when the owner has enough
   */
  create(owner: Owner, session: NewSession): Promise<void>;
  /** Newest first. */
  list(owner: Owner): Promise<SessionSummary[]>;
  /** The session, loaded, or the way to it. */
  open: OpenSession;
  /** Stops the session and deletes everything it has; `false` when there is none. */
  delete(owner: Owner, id: string): Promise<boolean>;
}
