import { raceAbort } from "../../abort.ts";
import type { SessionSummary } from "../http/session-host.ts";
import { Deadline } from "./deadline.ts";
import { HttpLink } from "./http-link.ts";
import { fetchOf, type RemoteAddress, sessionsAddress, tokenOf } from "./link-to.ts";
import { problemError } from "./problem-error.ts";
import { objectOf } from "./read-wire.ts";
import type { RemoteAnswer, RemoteRequest } from "./link.ts";
import { RemoteError } from "./remote-error.ts";

/** Milliseconds that a server has for its answer when nobody says otherwise. */
const ANSWER_MS = 30_000;

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds that the server has for its answer; 30,000 when omitted. */
  timeoutMs?: number | undefined;
}

/**
 * Lists the sessions on a server that the token's owner has, newest first. Asks once: a server that is not reached is
 * reported at once, and one that does not answer in time.
 * @throws {RemoteError} `UNREACHABLE`, `BAD_ANSWER`
 * @throws {HttpProblem} `UNAUTHORIZED` and other refusals
 */
export async function listRemoteSessions(
  server: RemoteAddress,
  options: AskOptions = {},
): Promise<SessionSummary[]> {
  const answer = await ask(sessionsAddress(server), server, "GET", options);
  if (answer.status !== 200) throw problemError(answer);
  const { sessions } = objectOf(answer.body);
  if (!Array.isArray(sessions) || !sessions.every(isSummary))
    throw new RemoteError("BAD_ANSWER", "The server sent something other than a list of sessions");
  return sessions;
}

/** Stops a session on a server and deletes it there; nothing happens when there is none. @throws as `listRemoteSessions` */
export async function deleteRemoteSession(
  server: RemoteAddress,
  sessionId: string,
  options: AskOptions = {},
): Promise<void> {
  const address = `${sessionsAddress(server)}/${encodeURIComponent(sessionId)}`;
  const answer = await ask(address, server, "DELETE", options);
  if (answer.status >= 300 && answer.status !== 404) throw problemError(answer);
}

async function ask(
  address: string,
  server: RemoteAddress,
  method: RemoteRequest["method"],
  { signal, timeoutMs = ANSWER_MS }: AskOptions,
): Promise<RemoteAnswer> {
  const link = new HttpLink({ address, fetch: fetchOf(server), token: () => tokenOf(server) });
  using deadline = new Deadline(timeoutMs, signal);
  const asking = link.request({ method, path: "", signal: deadline.signal });
  return await raceAbort(asking, deadline.signal);
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
