import { type Lease, StorageError } from "@robota/runtime";
import { type AcquireOptions } from "@robota/runtime/ports";
import type { LeaseTable } from "@robota/runtime/virtual";
import { type SqlDatabase, first } from "./database.ts";

export interface Leases {
  /** As `Storage.acquire`. */
  acquire(name: string, options?: AcquireOptions): Promise<Lease>;
  /**
   * Must be called inside the transaction of a write to the log, or to the value of a lease's name.
   * @throws {StorageError} `FENCED` when this platform holds the protecting lease and another holder has taken it since
   */
  check(log: string): void;
  releaseAll(): Promise<void>;
}

interface Held {
  name: string;
  lease: Lease;
  epoch: number;
  fenced: AbortController;
}

/**
 * Leases of a Durable Object. It has one live instance, so holders are in a `table` in memory that all platforms on the
 * object share; it dies with the isolate, as its holders do.
 *
 * The table alone does not stop an isolate that was replaced but still runs (a partition, a deployment): its own table
 * says that it holds the lease. So each acquisition also raises an epoch in the database, and a write under an outdated
 * epoch is refused in the same transaction. Transactions on one database are serialised: a write of an earlier holder
 * is visible to the new one, or it is refused.
 */
export function createLeases(table: LeaseTable, database: SqlDatabase): Leases {
  const { sql } = database;
  sql.exec(
    "CREATE TABLE IF NOT EXISTS robota_leases (name TEXT PRIMARY KEY, epoch INTEGER NOT NULL)",
  );
  /** The last lease acquired here that protects a log, by log, until it is released. */
  const protecting = new Map<string, Held>();

  const raiseEpoch = (name: string): number =>
    sql
      .exec<{ epoch: number }>(
        `INSERT INTO robota_leases VALUES (?, 1)
         ON CONFLICT (name) DO UPDATE SET epoch = epoch + 1 RETURNING epoch`,
        name,
      )
      .one().epoch;

  return {
    async acquire(name, options = {}) {
      const lease = await table.acquire(name, options);
      const fenced = new AbortController();
      const logs = [name, ...(options.logs ?? [])];
      const release = async (): Promise<void> => {
        for (const log of logs) if (protecting.get(log)?.lease === lease) protecting.delete(log);
        await lease.release();
      };
      try {
        await database.change(() => {
          const held: Held = { name, lease, fenced, epoch: raiseEpoch(name) };
          for (const log of logs) protecting.set(log, held);
        });
      } catch (error) {
        await release();
        throw error;
      }
      const lost = AbortSignal.any([lease.lost, fenced.signal]);
      return { lost, release, [Symbol.asyncDispose]: release };
    },

    check(log) {
      const mine = protecting.get(log);
      if (!mine) return;
      const { name } = mine;
      const row = first<{ epoch: number }>(
        sql,
        "SELECT epoch FROM robota_leases WHERE name = ?",
        name,
      );
      if (row?.epoch === mine.epoch) return;
      const fenced = new StorageError("FENCED", `The lease of ${name} was taken over`, {
        hint: "Another instance of this object has taken over; send the request again.",
      });
      mine.fenced.abort(fenced);
      throw fenced;
    },

    async releaseAll() {
      const leases = new Set([...protecting.values()].map(({ lease }) => lease));
      protecting.clear();
      await Promise.all([...leases].map((lease) => lease.release()));
    },
  };
}
