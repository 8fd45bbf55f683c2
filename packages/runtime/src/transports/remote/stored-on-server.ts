import type { SessionSummary } from "../http/session-host.ts";
import { HttpLink } from "./http-link.ts";
import { fetchOf, type RemoteAddress, sessionsAddress, tokenOf } from "./link-to.ts";
import { problemError } from "./problem-error.ts";
import { objectOf } from "./read-wire.ts";
import { RemoteError } from "./remote-error.ts";

/**
 * Lists the sessions on a server that the token's owner has, newest first. Asks once: a server that is not reached is
 * reported at once.
 * @throws {RemoteError} `UNREACHABLE`, `BAD_ANSWER`
 * @throws {HttpProblem} `UNAUTHORIZED` and other refusals
 */
export async function listRemoteSessions(
  server: RemoteAddress,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<SessionSummary[]> {
  const answer = await linkOf(sessionsAddress(server), server).request({
    method: "GET",
    path: "",
    signal,
  });
  if (answer.status !== 200) throw problemError(answer);
  const { sessions } = objectOf(answer.body);
  if (!Array.isArray(sessions) || !sessions.every(isSummary))
    throw new RemoteError("BAD_ANSWER", "The server sent something other than a list of sessions");
  return sessions;
}

/** Stops a session on a server and deletes it there; nothing happens when there is none. @throws as `listRemoteSessions` */
export async function deleteRemoteSession(server: RemoteAddress, sessionId: string): Promise<void> {
  const address = `${sessionsAddress(server)}/${encodeURIComponent(sessionId)}`;
  const answer = await linkOf(address, server).request({ method: "DELETE", path: "" });
  if (answer.status >= 300 && answer.status !== 404) throw problemError(answer);
}

function linkOf(address: string, server: RemoteAddress): HttpLink {
  return new HttpLink({ address, fetch: fetchOf(server), token: () => tokenOf(server) });
}

const STATES: readonly unknown[] = ["idle", "open", "waiting"];

/** Attached sessions of a program have no times. */
function isSummary(value: unknown): value is SessionSummary {
  if (typeof value !== "object" || value === null) return false;
  const { id, state, name, preview, updatedAt } = value as Record<string, unknown>;
  return (
    typeof id === "string" &&
    STATES.includes(state) &&
    [name, preview, updatedAt].every((text) => text === undefined || typeof text === "string")
  );
}
