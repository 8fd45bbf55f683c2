import type { Storage } from "../../ports/storage.ts";
import { payloadsKey } from "../files/payloads.ts";
import { acquireSession } from "../log/lease.ts";
import { deleteSessionLog } from "../trace/log-names.ts";
import { overlayKey, sessionKey, snapshotKey } from "./storage-keys.ts";
import { requireSessionId } from "../session-id.ts";

/** Implements `deleteSession`. */
export async function deleteUnderLease(storage: Storage, id: string): Promise<void> {
  requireSessionId(id);
  await using _lease = await acquireSession(storage, id, false);
  await removeSession(storage, id);
}

/** Deletes as `deleteSession` does, for the holder of the session's lease. */
export async function removeSession(storage: Storage, id: string): Promise<void> {
  // Removes the header last: an interrupted deletion leaves an empty session in the list, which can be deleted again.
  await deleteSessionLog(storage, id);
  await storage.deleteLog(payloadsKey(id));
  await storage.deleteLog(overlayKey(id));
  await storage.delete(overlayKey(id));
  await storage.delete(snapshotKey(id));
  await storage.deleteLog(sessionKey(id));
  await storage.delete(sessionKey(id));
}
