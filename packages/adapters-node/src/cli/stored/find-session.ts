import { listSessions, type Platform, SessionError } from "@robota/runtime";
import type { PromptCommand } from "../arguments/commands.ts";
import { UsageError } from "../arguments/usage-error.ts";

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Shorter prefixes would soon become ambiguous. */
const MIN_PREFIX = 4;

/**
 * The session that a command resumes, if any.
 * @throws {SessionError} `NOT_FOUND`
 * @throws {UsageError} for an ambiguous prefix
 */
export async function findSession(
  { resume, cwd }: Pick<PromptCommand, "resume" | "cwd">,
  { storage }: Pick<Platform, "storage">,
): Promise<string | undefined> {
  if (resume === undefined) return undefined;
  if (resume !== "last") return findId(storage, resume.id);
  const last = (await listSessions(storage)).find((session) => session.cwd === cwd);
  if (last) return last.id;
  throw new SessionError("NOT_FOUND", `There is no session in ${cwd} to resume`, {
    hint: "Begin one without --continue, or name one of `robota sessions list` with --resume.",
  });
}

/** The whole id of a stored session, given its id or a beginning that no other has. @throws as `findSession` */
export async function findId(storage: Platform["storage"], given: string): Promise<string> {
  if (!SESSION_ID.test(given)) throw notFound(given);
  // A log without a header is a session too: listing it is all that it lacks.
  for await (const _ of storage.read(`sessions/${given}`)) return given;
  const matches =
    given.length < MIN_PREFIX
      ? []
      : (await listSessions(storage)).filter(({ id }) => id.startsWith(given));
  const [first, ...others] = matches;
  if (!first) throw notFound(given);
  if (others.length === 0) return first.id;
  const ids = matches.map(({ id }) => id);
  throw new UsageError(`several sessions begin with ${given}: ${ids.join(", ")}`);
}

function notFound(given: string): SessionError {
  return new SessionError("NOT_FOUND", `There is no session ${given}`, {
    hint: `\`robota sessions list\` lists them; a prefix of at least ${MIN_PREFIX} characters of the id is enough.`,
  });
}
