import { SessionError } from "../../../errors.ts";
import type { Platform } from "../../../ports/platform.ts";
import type { SessionPlace } from "../../../session/log/notes.ts";
import { readSessionHeader } from "../../../session/store/stored-sessions.ts";
import type { RemoteAddress } from "../link-to.ts";
import { type MoveOptions, moveToServer } from "./move-to-server.ts";

/**
 * Moves a session that is stored and not open to a server, as `moveToServer` does, and asks no model: a turn that was cut
 * stays open, and goes on at the server.
 * @throws {SessionError} `NOT_FOUND`, `SESSION_BUSY` while it is open
 * @throws {ValidationError} when `sessionId` is not a session id @throws as `moveToServer`
 */
export async function moveStoredSession(
  platform: Platform,
  sessionId: string,
  server: RemoteAddress,
  options: MoveOptions = {},
): Promise<SessionPlace> {
  const stored = await readSessionHeader(platform.storage, sessionId);
  if (!stored) {
    throw new SessionError("NOT_FOUND", `There is no session ${sessionId} to move`, {
      hint: "`listSessions` has the ids of the stored ones.",
    });
  }
  const { openToMove } = await import("../../../interactive/open-to-move.ts");
  const session = openToMove(platform, stored);
  try {
    return await moveToServer(session, server, options);
  } finally {
    await session.shutdown();
  }
}
