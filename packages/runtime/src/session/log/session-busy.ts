import { SessionError, type StorageError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import { readHeader } from "../store/header.ts";

/** The refusal of a session that another tab or process keeps, with what is known of it. */
export async function sessionBusy(
  storage: Storage,
  sessionId: string,
  cause: StorageError,
): Promise<SessionError> {
  const doing = await doingOf(storage, sessionId);
  return new SessionError(
    "SESSION_BUSY",
    `The session ${sessionId} is open in another tab or process${doing}`,
    {
      cause,
      hint: "Read along with watchSession, fork it with forkSession, close it there, or open it here with takeOver.",
    },
  );
}

const DOING = { idle: "nothing runs", open: "a turn runs", waiting: "it waits for an answer" };

/** The holder's last known activity, and its time. */
async function doingOf(storage: Storage, sessionId: string): Promise<string> {
  const header = await readHeader(storage, sessionId).catch(() => undefined);
  return header
    ? `, with ${header.provider} ${header.model}; at ${header.updatedAt} ${DOING[header.state]}`
    : "";
}
