import { SessionError } from "../../errors.ts";
import { SESSION_FORMAT } from "../log/events.ts";
import { acquireSession } from "../log/lease.ts";
import { LogReader } from "../log/log-reader.ts";
import { type NoteKind, placeIn } from "../log/notes.ts";
import { readHeader, saveHeader } from "../store/header.ts";
import type { ImportTarget } from "./import.ts";
import { sessionKey } from "../store/storage-keys.ts";

/**
 * Breaks the seal of a session that was handed over and never arrived: it goes on here, with its turn, its queue and its
 * open requests. The caller knows that nobody else has it, or ever will: two holders would run the same turn.
 * @throws {SessionError} `SESSION_BUSY` while it is open, `NOT_FOUND` for one that was not handed over
 */
export async function takeBack(
  { storage, now, randomUUID }: Pick<ImportTarget, "storage" | "now" | "randomUUID">,
  sessionId: string,
): Promise<void> {
  await using _lease = await acquireSession(storage, sessionId, false);
  const log = new LogReader(storage, sessionKey(sessionId), sessionId, now);
  const seal = (await log.load()).events.at(-1);
  if (!seal || !placeIn(seal)) {
    throw new SessionError("NOT_FOUND", `The session ${sessionId} was not handed over`, {
      hint: "It goes on here already.",
    });
  }
  await log.append([
    {
      v: SESSION_FORMAT,
      seq: seal.seq + 1,
      sessionId,
      time: now(),
      type: "note",
      kind: "imported" satisfies NoteKind,
      data: { from: sessionId, handedOver: true, mark: randomUUID() },
    },
  ]);
  const header = await readHeader(storage, sessionId);
  if (!header) return;
  // The rest is written anew when it is opened.
  const { handedOverTo: _, ...here } = header;
  await saveHeader(storage, here, {});
}
