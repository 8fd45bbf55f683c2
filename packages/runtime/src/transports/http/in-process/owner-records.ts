import { StorageError } from "../../../errors.ts";
import type { Storage } from "../../../ports/storage.ts";
import type { Owner } from "../authenticate.ts";
import { differentRequest, tooManySessions } from "../problem.ts";
import type { NewSession } from "../session-host.ts";
import { sessionKey } from "../../../session/store/storage-keys.ts";

const RECORDS = "http-sessions/";

/** The owner of a session made over HTTP, and the request that made it. */
export interface OwnerRecord {
  owner: Owner;
  fingerprint: string;
  /** ISO 8601. */
  createdAt: string;
}

export async function readRecord(storage: Storage, id: string): Promise<OwnerRecord | undefined> {
  const bytes = await storage.get(RECORDS + id);
  // Written only by `claim`.
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as OwnerRecord);
}

/** The sessions of an owner that were made over HTTP. */
export async function recordsOf(storage: Storage, owner: Owner): Promise<Map<string, OwnerRecord>> {
  const records = new Map<string, OwnerRecord>();
  for (const key of await storage.keys(RECORDS)) {
    const id = key.slice(RECORDS.length);
    const record = await readRecord(storage, id);
    if (record?.owner === owner) records.set(id, record);
  }
  return records;
}

/**
 * Claims an id; resolves to `false` when the same request has already done so. @throws {HttpProblem} for another
 * request's id, and beyond the limit of sessions
 */
export async function claim(
  storage: Storage,
  owner: Owner,
  { id, fingerprint }: NewSession,
  sessionsPerOwner: number,
): Promise<boolean> {
  const known = await readRecord(storage, id);
  const isSame = (other: OwnerRecord | undefined): boolean =>
    other?.owner === owner && other.fingerprint === fingerprint;
  if (isSame(known)) return false;
  if (known || (await storage.version(sessionKey(id))) !== undefined) throw differentRequest();
  const { size } = await recordsOf(storage, owner);
  if (size >= sessionsPerOwner) throw tooManySessions(sessionsPerOwner);
  const record: OwnerRecord = { owner, fingerprint, createdAt: new Date().toISOString() };
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    await storage.set(RECORDS + id, bytes, { ifMatch: null });
    return true;
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "CONFLICT") throw error;
    // The same request at the same time got in first, or another one that chose the same id.
    if (isSame(await readRecord(storage, id))) return false;
    throw differentRequest();
  }
}

export async function deleteRecord(storage: Storage, id: string): Promise<void> {
  await storage.delete(RECORDS + id);
}
