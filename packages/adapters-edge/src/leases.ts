import { type Lease, StorageError } from "@robota/runtime";
import type { LeaseTable } from "@robota/runtime/virtual";
import { type Database, first } from "./database.ts";

export interface Leases {
  /** As `Storage.acquire`. */
  acquire(name: string, options?: { signal?: AbortSignal; steal?: boolean }): Promise<Lease>;
  /**
   * To be called inside the transaction of a write to what `name` protects.
   * @throws {StorageError} `FENCED` when this platform holds the lease and another one has taken it since
   */
  check(name: string): void;
  releaseAll(): Promise<void>;
}

/**
 * A Durable Object has one live instance, so who holds what is a `table` in memory that all platforms on the object
 * share; it dies with the isolate, as its holders do.
 *
 * The table alone does not stop an isolate that was replaced but still runs (a partition, a deployment): its own table
 * says that it holds the lease. So each acquisition also raises an epoch in the database, and a write under a lease
 * whose epoch has moved on is refused in the same transaction.
 */
export function createLeases(table: LeaseTable, database: Database): Leases {
  const { sql } = database;
  sql.exec(
    "CREATE TABLE IF NOT EXISTS robota_leases (name TEXT PRIMARY KEY, epoch INTEGER NOT NULL)",
  );
  const held = new Map<string, { lease: Lease; epoch: number; fenced: AbortController }>();

  const raiseEpoch = (name: string): number =>
    sql
      .exec<{ epoch: number }>(
        `INSERT INTO robota_leases VALUES (?, 1)
         ON CONFLICT (name) DO UPDATE SET epoch = epoch + 1 RETURNING epoch`,
        name,
      )
      .one().epoch;

  return {
    async acquire(name, options) {
      const lease = await table.acquire(name, options);
      const fenced = new AbortController();
      const release = async (): Promise<void> => {
        if (held.get(name)?.lease === lease) held.delete(name);
        await lease.release();
      };
      try {
        await database.change(() => {
          held.set(name, { lease, fenced, epoch: raiseEpoch(name) });
        });
      } catch (error) {
        await release();
        throw error;
      }
      const lost = AbortSignal.any([lease.lost, fenced.signal]);
      return { lost, release, [Symbol.asyncDispose]: release };
    },

    check(name) {
      const mine = held.get(name);
      if (!mine) return;
      const row = first<{ epoch: number }>(
        sql,
        "SELECT epoch FROM robota_leases WHERE name = ?",
        name,
      );
      if (row?.epoch === mine.epoch) return;
      const fenced = new StorageError("FENCED", `The lease of ${name} was taken over`, {
        hint: "Another instance of this object goes on with it; send the request again.",
      });
      mine.fenced.abort(fenced);
      throw fenced;
    },

    async releaseAll() {
      await Promise.all([...held.values()].map(({ lease }) => lease.release()));
      held.clear();
    },
  };
}
