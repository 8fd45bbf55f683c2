import { deleteSession, type Storage } from "@robota/runtime";
import { readStored, writeStored } from "../state/preferences.ts";

const KEY = "robota.compared";
const lockOf = (id: string): string => `robota.compared.${id}`;

/** Locks of this page's sides: they end with the page, and tell other tabs that the sides are in use. */
const held = new Map<string, () => void>();

function noted(): string[] {
  const ids = readStored(KEY);
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === "string") : [];
}

/** Takes down a session that belongs to a comparison, in case the page goes away in the middle. */
export function noteSide(id: string): void {
  writeStored(KEY, [...noted(), id]);
  const { promise, resolve } = Promise.withResolvers<void>();
  held.set(id, resolve);
  void navigator.locks.request(lockOf(id), () => promise);
}

export function forgetSide(id: string): void {
  const rest = noted().filter((each) => each !== id);
  writeStored(KEY, rest.length > 0 ? rest : undefined);
  held.get(id)?.();
  held.delete(id);
}

/** Deletes the sessions of comparisons whose page has gone. */
export async function deleteLeftovers(storage: Storage): Promise<void> {
  for (const id of noted())
    await navigator.locks.request(lockOf(id), { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      await deleteSession(storage, id);
      forgetSide(id);
    });
}
