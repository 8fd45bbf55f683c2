import { StorageError } from "../../errors.ts";
import type { Lease, Storage } from "../../ports/storage.ts";
import { overlayKey, sessionKey } from "../store/storage-keys.ts";

/**
 * Wait for a departing holder (a reloading page) before reporting "busy". In steps: under heavy load, a pause in which
 * nothing could run counts as one of them, and not as all of the time.
 */
const LEASE_WAIT_STEPS = 4;
const LEASE_WAIT_STEP_MS = 500;

/** The right to write a session. @throws {SessionError} `SESSION_BUSY` when another tab or process has it and keeps it */
export async function acquireSession(
  storage: Storage,
  sessionId: string,
  takeOver: boolean,
): Promise<Lease> {
  // A timer that ends with the wait: `AbortSignal.timeout` would leak one for each opened session.
  const patience = new AbortController();
  let steps = 0;
  const timer = setInterval(() => {
    steps += 1;
    if (steps === LEASE_WAIT_STEPS) patience.abort();
  }, LEASE_WAIT_STEP_MS);
  try {
    const { signal } = patience;
    // Only its writer changes its own files, too. Other data is content-addressed, or can be recreated.
    const logs = [overlayKey(sessionId)];
    return await storage.acquire(sessionKey(sessionId), { signal, steal: takeOver, logs });
  } catch (cause) {
    if (!(cause instanceof StorageError) || cause.code !== "ABORTED") throw cause;
    const { sessionBusy } = await import("./session-busy.ts");
    throw await sessionBusy(storage, sessionId, cause);
  } finally {
    clearInterval(timer);
  }
}
