import type { ProblemCode } from "./operations/problem-codes.ts";
import { HttpProblem, notFound } from "./problem.ts";
import { exportedLog } from "./session-log.ts";
import { type Principal, withPrincipal } from "./principal/principal.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { SessionGateway, SessionHost } from "./session-host.ts";

type Reached = InteractiveSession | SessionGateway;

/**
 * Forks an owner's session into a new one, wherever its host runs either: imports the export, and rewinds to the
 * checkpoint. Resolves to its id; after a failure, there is none.
 * @throws {HttpProblem} as the routes for it do
 */
export async function forkOverHost(
  sessions: SessionHost,
  principal: Principal,
  {
    id: from,
    at,
    ...source
  }: { id: string; at?: string | undefined; address?: string | undefined },
): Promise<string> {
  const { owner } = principal;
  const original = await sessions.open(owner, from);
  if (!original) throw notFound();
  const log = await logOf(original, from, principal);
  const id = crypto.randomUUID();
  let isMade = false;
  try {
    await sessions.create(owner, { id, fingerprint: id, ...source });
    isMade = true;
    const fork = await sessions.open(owner, id);
    if (!fork) throw notFound();
    await importInto(fork, id, { log, principal });
    if (at !== undefined) await rewind(fork, id, { checkpointId: at, principal });
    return id;
  } catch (error) {
    // Refused while somebody reads it, who then gives it up.
    log.cancel(error).catch(() => undefined);
    if (isMade) await sessions.delete(owner, id);
    throw error;
  }
}

async function logOf(
  session: Reached,
  id: string,
  principal: Principal,
): Promise<ReadableStream<Uint8Array>> {
  if (!("fetch" in session)) return exportedLog(session, { files: "changed" });
  const { body } = await answered(session, principal, `${id}/log`, { method: "GET" });
  if (!body) throw notFound();
  return body;
}

async function importInto(
  session: Reached,
  id: string,
  { log, principal }: { log: ReadableStream<Uint8Array>; principal: Principal },
): Promise<void> {
  if ("fetch" in session) {
    // Browsers and Node require `duplex` for a stream as body; the type lacks it.
    const init = { method: "PUT", body: log, duplex: "half" };
    await answered(session, principal, `${id}/log`, init);
  } else await session.importInto(log);
}

async function rewind(
  session: Reached,
  id: string,
  { checkpointId, principal }: { checkpointId: string; principal: Principal },
): Promise<void> {
  if ("fetch" in session)
    await answered(session, principal, `${id}/rewind`, {
      method: "POST",
      body: JSON.stringify({ checkpointId }),
    });
  else await session.rewind(checkpointId);
}

/** A session's successful answer. @throws {HttpProblem} its error otherwise */
async function answered(
  session: SessionGateway,
  principal: Principal,
  route: string,
  init: RequestInit,
): Promise<Response> {
  const request = withPrincipal(
    new Request(`http://session/v1/sessions/${route}`, init),
    principal,
  );
  try {
    const response = await session.fetch(request);
    if (response.ok) return response;
    const problem: unknown = await response.json().catch(() => undefined);
    throw problemOf(response.status, problem);
  } catch (error) {
    // Ends the making of a body that nobody reads.
    request.body?.cancel(error).catch(() => undefined);
    throw error;
  }
}

function problemOf(status: number, problem: unknown): HttpProblem {
  const fields = typeof problem === "object" && problem !== null ? problem : {};
  const text = (name: string, otherwise: string): string => {
    const value: unknown = Reflect.get(fields, name);
    return typeof value === "string" ? value : otherwise;
  };
  return new HttpProblem(
    status,
    // Both ends are of one server.
    text("code", "INTERNAL_ERROR") as ProblemCode,
    text("detail", "The session could not be forked."),
    { hint: text("hint", "") },
  );
}
