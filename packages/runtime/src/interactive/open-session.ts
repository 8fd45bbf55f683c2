import { SessionError } from "../errors.ts";
import { isHandedOver } from "../session/log/notes.ts";
import type { Session } from "../session/session.ts";
import type { InteractiveSessionOptions } from "./options.ts";

/**
 * Opens a new session, the stored one that `options` name, or a copy of it.
 * @throws {SessionError} `NOT_FOUND`, and as `Session.open`
 */
export async function openSession(
  session: Session,
  options: InteractiveSessionOptions,
): Promise<void> {
  try {
    await forkFirst(session, options);
    await session.openForTurns();
    if (options.resumeSessionId !== undefined && !session.exists()) throw notFound(session);
  } catch (error) {
    // Nobody tries again with this object, and it may hold the session.
    await session.shutdown().catch(() => undefined);
    throw error;
  }
}

/**
 * Resolves once a session is open, with the rules that its `explain` judges by. Rejections reach those who await it; nobody
 * has to.
 */
export function withRules(opened: Promise<void>, session: Session): Promise<void> {
  const loaded = opened.then(() => session.loadRules());
  loaded.catch(() => undefined);
  return loaded;
}

/** True for a session that was imported as a copy and has not gone on since. */
export function isCopy(session: Session): boolean {
  const last = session.getFullHistory().at(-1);
  return last?.type === "imported" && !isHandedOver(last.data);
}

function notFound({ sessionId }: Session): SessionError {
  return new SessionError("NOT_FOUND", `There is no session ${sessionId}`, {
    hint: "List the sessions with listSessions(platform.storage).",
  });
}

async function forkFirst(
  { sessionId: to }: Session,
  { resumeSessionId: from, forkSession, platform, sessionStore }: InteractiveSessionOptions,
): Promise<void> {
  const storage = sessionStore?.storage ?? platform?.storage;
  if (!forkSession || from === undefined || !storage) return;
  const { forkStored } = await import("../session/store/fork.ts");
  await forkStored(storage, { from, to, fs: platform?.fs });
}

/** Stores a fork of a session, and resolves to the options that open it. @throws as `Session.fork` */
export async function forkOptions(
  session: Session,
  options: InteractiveSessionOptions,
  at: string | number | undefined,
): Promise<InteractiveSessionOptions> {
  // The configuration of a prepared session is its owner's.
  if (options.session) {
    const own = { resumeSessionId: undefined, forkSession: undefined };
    return { ...options, ...own, session: await session.fork(at) };
  }
  const { sessionId: resumeSessionId, ...others } = await session.storeFork(at);
  return { ...options, ...others, resumeSessionId, sessionId: undefined, forkSession: undefined };
}
