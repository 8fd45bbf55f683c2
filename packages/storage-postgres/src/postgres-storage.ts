import { ConfigurationError } from "@robota/runtime";
import { type OptionForms, requireOptions } from "@robota/runtime/ports";
import { type SharedStorage, sharedStorage } from "@robota/runtime/shared-storage";
import { Pool } from "pg";
import { PostgresBackend } from "./backend.ts";
import { isSchemaName } from "./schema.ts";

export interface PostgresStorageOptions {
  /** `postgres://user:password@host:5432/database`; without it and a `pool`, the variables of libpq (`PGHOST`, …). */
  connectionString?: string | undefined;
  /** A pool of your own instead, which you end yourself. It needs at least two connections. */
  pool?: Pool | undefined;
  /** Schema of the tables; `robota` by default. Lower-case letters, digits and `_`, at most 40 characters. */
  schema?: string | undefined;
  /** Whether the first use creates the tables where they are missing (default), or somebody else has: `postgresTables`. */
  createTables?: boolean | undefined;
  /** Seconds for which a lease outlives a holder that has died; 10 by default. */
  leaseSeconds?: number | undefined;
}

const OPTIONS: OptionForms<PostgresStorageOptions> = {
  connectionString: "string",
  pool: "object",
  schema: "any",
  createTables: "boolean",
  leaseSeconds: "any",
};
/** Milliseconds for an answer: a server that is cut off without a word would else be waited for as long as TCP does. */
const ANSWER_MS = 60_000;

/**
 * A storage in PostgreSQL 12 or newer, which any number of processes and machines share: a session is open in one of them
 * at a time, and one that lost its lease writes nothing more. Connects with the first use.
 *
 * Leases need no session state on the server, so a pooler such as PgBouncer works; in its transaction mode notifications
 * are lost, and waiting for a lease takes a quarter of a second longer.
 * @throws {ConfigurationError} A schema name that would need quotes, a pool of one connection, or an option that is misspelt.
 *   The first use rejects with one when the server confirms writes before they are durable.
 */
export function postgresStorage(options: PostgresStorageOptions = {}): SharedStorage {
  requireOptions(options, OPTIONS);
  const { schema = "robota", createTables = true, leaseSeconds } = options;
  if (!isSchemaName(schema)) {
    throw new ConfigurationError(`Not a schema name: ${JSON.stringify(schema)}`, {
      hint: "Use lower-case letters, digits and _, at most 40, the first one no digit.",
    });
  }
  // One connection listens, and every statement would wait for it.
  if (options.pool && options.pool.options.max < 2) {
    throw new ConfigurationError("The pool needs at least two connections: pool", {
      hint: "Create it with max: 2 or more.",
    });
  }
  const pool = options.pool ?? ownPool(options.connectionString);
  const ownsPool = options.pool === undefined;
  return sharedStorage(new PostgresBackend(pool, { schema, createTables, ownsPool }), {
    leaseSeconds,
  });
}

function ownPool(connectionString: string | undefined): Pool {
  const pool = new Pool({
    connectionString,
    allowExitOnIdle: true,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // An idle connection that breaks is replaced with the next use; without a listener it would end the process.
  pool.on("error", () => undefined);
  return pool;
}
