import type { TicketUse } from "@robota/runtime/transports";

const USED = "ticket/";

/** Stores that a ticket was used, for as long as it would be good; `false` for one that was used before. */
export function redeemTicket(kv: SyncKvStorage, { id, expiresAt }: TicketUse): boolean {
  const now = Date.now();
  for (const [key, until] of kv.list<number>({ prefix: USED })) if (until < now) kv.delete(key);
  if (expiresAt <= now || kv.get(USED + id) !== undefined) return false;
  kv.put(USED + id, expiresAt);
  return true;
}
