import type { SessionPlace } from "../../../session/log/notes.ts";
import { raceAbort, wait } from "../../../abort.ts";
import type { TransferredFiles } from "../../../session/transfer/format.ts";
import type { ExportOptions } from "../../../session/transfer/export.ts";
import type { HandOverOptions } from "../../../session/transfer/hand-over.ts";
import { HttpProblem } from "../../http/problem.ts";
import { delayBefore, type Delays } from "../backoff.ts";
import { Deadline } from "../deadline.ts";
import { HttpLink } from "../http-link.ts";
import { fetchOf, type RemoteAddress, sessionsAddress, tokenOf } from "../link-to.ts";
import { newSession, type NewSessionOptions } from "../new-session.ts";
import { problemError } from "../problem-error.ts";
import { isPassingStatus, mayPass } from "../session-follower.ts";
import { deleteRemoteSession } from "../stored-on-server.ts";

/** A session that can move: an `InteractiveSession`, a `Session` or a `RemoteSession`. */
export interface MovingSession {
  readonly sessionId: string;
  readonly handedOverTo: SessionPlace | undefined;
  readonly lastSeq: number;
  handOver(options: HandOverOptions): Promise<SessionPlace>;
  export(options: ExportOptions): Promise<ReadableStream<Uint8Array>>;
}

export interface MoveOptions extends Delays {
  /**
   * Milliseconds for which each of the requests is tried; 30,000 when omitted. The session itself gets more time by its size.
   */
  timeoutMs?: number | undefined;
  /** As `handOver`. */
  waitMs?: number | undefined;
  /** Asks the server to keep the session's id, which it does if that is a UUID and free there. */
  keepId?: boolean | undefined;
  /** The files that go along; `changed` when omitted. */
  files?: TransferredFiles | undefined;
}

/**
 * Moves a session to a server, where it goes on with its turn, its queue and its open requests; resolves to its place there.
 * Needs a token with the scope `admin`. After a failure, the same call completes the move: once the session is sealed, it
 * goes to the session that the seal names.
 * @throws as `handOver` and `RemoteSession.create` @throws {RemoteError} `UNREACHABLE`
 */
export async function moveToServer(
  session: MovingSession,
  server: RemoteAddress,
  { timeoutMs, waitMs, keepId = false, files = "changed", ...delays }: MoveOptions = {},
): Promise<SessionPlace> {
  const isKept = keepId && UUID.test(session.sessionId);
  const wantedId = isKept ? session.sessionId : crypto.randomUUID();
  const sessionId =
    session.handedOverTo?.sessionId ?? (await begin({ ...server, ...delays, timeoutMs, wantedId }));
  const to = await stop(session, { sessionId, url: server.url }, server, waitMs);
  const log = await new Response(await session.export({ files, grants: true })).blob();
  await put(log, { ...server, ...delays, sessionId, timeoutMs, seq: session.lastSeq });
  return to;
}

/** Stops the session here; one that refuses to leaves nothing at the server. */
async function stop(
  session: MovingSession,
  to: SessionPlace,
  server: RemoteAddress,
  waitMs: number | undefined,
): Promise<SessionPlace> {
  try {
    return await session.handOver({ to, waitMs });
  } catch (error) {
    // One that may have stopped, with its answer lost, is expected there.
    if (!mayPass(error) && session.handedOverTo?.sessionId !== to.sessionId)
      await deleteRemoteSession(server, to.sessionId).catch(() => undefined);
    throw error;
  }
}

const UUID = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/;
const TRY_FOR_MS = 30_000;
/** Slower than this, a session is taken for one that does not arrive. */
const BYTES_PER_MS = 32;

/**
 * Makes the session at the server, under an id that is chosen here: choosing takes the scope that taking over a session takes,
 * so that a token without it is refused before there is anything.
 */
async function begin(options: NewSessionOptions & { wantedId: string }): Promise<string> {
  try {
    return await newSession(options);
  } catch (cause) {
    if (!(cause instanceof HttpProblem) || cause.code !== "INSUFFICIENT_SCOPE") throw cause;
    throw new HttpProblem(403, "INSUFFICIENT_SCOPE", "This token may not take over sessions", {
      hint: "Use one with the scope admin. The session goes on here.",
      cause,
    });
  }
}

function linkOf(sessionId: string, server: RemoteAddress): HttpLink {
  return new HttpLink({
    address: `${sessionsAddress(server)}/${encodeURIComponent(sessionId)}`,
    fetch: fetchOf(server),
    token: () => tokenOf(server),
  });
}

/** Imports a log into a session of the server, once however often the request has to be sent. */
async function put(
  log: Blob,
  options: RemoteAddress &
    Delays & { sessionId: string; timeoutMs: number | undefined; seq: number },
): Promise<void> {
  const { sessionId, timeoutMs = TRY_FOR_MS, seq } = options;
  const link = linkOf(sessionId, options);
  const giveUpAt = Date.now() + timeoutMs;
  for (let failures = 0; ; failures += 1) {
    try {
      if (await hasTaken(link, log, { seq, timeoutMs, giveUpAt })) return;
    } catch (error) {
      if (!mayPass(error) || Date.now() >= giveUpAt) throw error;
    }
    await wait(delayBefore(failures, options));
  }
}

/** Sends a log once. `false`: another attempt may have more luck. @throws the refusal; {RemoteError} `UNREACHABLE` */
async function hasTaken(
  link: HttpLink,
  log: Blob,
  { seq, timeoutMs, giveUpAt }: { seq: number; timeoutMs: number; giveUpAt: number },
): Promise<boolean> {
  using deadline = new Deadline(timeoutMs + log.size / BYTES_PER_MS);
  const { signal } = deadline;
  const answer = await raceAbort(link.putLog(log, signal), signal);
  if (answer.status < 300) return true;
  // An earlier attempt, whose answer was lost, may have brought it there.
  if (answer.status === 409 && (await raceAbort(link.state(signal), signal)).seq > seq) return true;
  if (isPassingStatus(answer.status) && Date.now() < giveUpAt) return false;
  throw problemError(answer);
}
