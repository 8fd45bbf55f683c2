import { listSessions } from "../../../session/store/stored-sessions.ts";
import type { ImportOptions, ImportTarget } from "../../../session/transfer/import.ts";
import { importSession } from "../../../session/transfer/import-session.ts";
import type { Delays } from "../backoff.ts";
import type { RemoteAddress } from "../link-to.ts";
import { RemoteSession } from "../remote-session.ts";
import { deleteRemoteSession } from "../stored-on-server.ts";

export interface MoveBackOptions extends Delays {
  /** The working directory here, absolute; `/` when omitted. */
  cwd?: string | undefined;
  /**
   * As for `importSession`. When omitted, the files that the session changed are written into the working directory; those
   * of a session that had files of its own here stay its own.
   */
  files?: ImportOptions["files"];
  /** Milliseconds for which each of the requests is tried; 30,000 when omitted. */
  timeoutMs?: number | undefined;
  /** As `handOver`. */
  waitMs?: number | undefined;
}

/**
 * Moves a session from a server to this platform, with its turn, its queue and its open requests; resolves to its id here.
 * One that left from here comes back under the id that it had, which no page or process may have open. Opened with
 * `onInterruptedTurn: "continue"`, it goes on. Needs a token with the scope `admin`. After a failure, the same call
 * completes the move. A session whose move to the server was cut before it arrived goes on here as it left.
 * @throws as `RemoteSession.ready`, `handOver` and `importSession`
 */
export async function moveFromServer(
  platform: ImportTarget,
  sessionId: string,
  server: RemoteAddress,
  { cwd, files, waitMs, ...attempts }: MoveBackOptions = {},
): Promise<string> {
  const { storage } = platform;
  const former = (await listSessions(storage)).find(
    ({ handedOverTo }) => handedOverTo?.sessionId === sessionId,
  );
  await using remote = new RemoteSession({ ...server, ...attempts, sessionId });
  await remote.ready;
  if (former && remote.lastSeq === 0) {
    // Gone, it can't arrive any more.
    await deleteRemoteSession(server, sessionId);
    const { takeBack } = await import("../../../session/transfer/take-back.ts");
    await takeBack(platform, former.id);
    return former.id;
  }
  const to = remote.handedOverTo?.sessionId ?? former?.id ?? platform.randomUUID();
  await remote.handOver({ to: { sessionId: to }, waitMs });
  const { hasOwnFiles } = await import("../../../session/transfer/own-files.ts");
  const place = former && (await hasOwnFiles(storage, former.id)) ? "own" : "workspace";
  return importSession(platform, await remote.export({ files: "changed", grants: true }), {
    sessionId: to,
    cwd,
    trusted: true,
    files: files ?? place,
  });
}
