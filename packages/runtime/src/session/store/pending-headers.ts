import type { Storage } from "../../ports/storage.ts";

/** A header that is not written yet. */
export interface PendingHeader {
  /** Writes it now; resolves when that is done. */
  settled(): Promise<void>;
}

const pending = new WeakMap<Storage, Set<PendingHeader>>();

/** Lets readers in this process know of a header that belongs in `storage`. */
export function addPending(storage: Storage, header: PendingHeader): void {
  const headers = pending.get(storage) ?? new Set();
  pending.set(storage, headers.add(header));
}

export function removePending(storage: Storage, header: PendingHeader): void {
  pending.get(storage)?.delete(header);
}

/** Writes the headers that wait, so that a reader in this process finds what happened before it looked. */
export async function writePending(storage: Storage): Promise<void> {
  const headers = pending.get(storage);
  if (headers) await Promise.all(Array.from(headers, (header) => header.settled()));
}
