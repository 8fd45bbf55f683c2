import { SessionStore, type Storage } from "@robota/runtime";

/**
 * Names a stored session without opening it, which would decide on a turn that was cut.
 * @throws {SessionError} `SESSION_BUSY`, `HANDED_OVER`
 */
export async function renameStored(storage: Storage, id: string, name: string): Promise<void> {
  const store = new SessionStore(storage);
  const record = await store.load(id);
  if (record) await store.save({ ...record, name });
}
