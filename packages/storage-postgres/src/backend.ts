import { ConfigurationError } from "@robota/runtime";
import type { LogEntry } from "@robota/runtime/ports";
import type {
  LeaseClaim,
  LeaseTerms,
  StorageBackend,
  ValueWrite,
} from "@robota/runtime/shared-storage";
import type { Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import { Notifications } from "./notifications.ts";
import { postgresTables } from "./schema.ts";
import { type Statements, statementsFor } from "./statements.ts";

/** `disk_full` and `program_limit_exceeded`, as PostgreSQL's appendix on error codes names them. */
const FULL = new Set(["53100", "54000"]);
/** Key of the advisory lock under which one process at a time creates the tables; any fixed number serves. */
const CREATING = 7_626_821;

export interface BackendOptions {
  schema: string;
  createTables: boolean;
  /** Ends the pool with the storage. */
  ownsPool: boolean;
}

/** The tables of a schema as the operations of a storage. */
export class PostgresBackend implements StorageBackend {
  readonly #pool: Pool;
  readonly #options: BackendOptions;
  readonly #sql: Statements;
  #prepared: Promise<void> | undefined;

  constructor(pool: Pool, options: BackendOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#sql = statementsFor(options.schema);
    pool.on("connect", ignoreErrors);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const { rows } = await this.#run<{ data: Buffer }>("get", [key]);
    return rows[0] && bytesOf(rows[0].data);
  }

  async version(key: string): Promise<string | undefined> {
    const { rows } = await this.#run<{ version: string }>("version", [key]);
    return rows[0]?.version;
  }

  async set(key: string, value: Uint8Array, { version, ifMatch }: ValueWrite): Promise<boolean> {
    const row = [key, version, bufferOf(value)];
    if (ifMatch === undefined) return wrote(await this.#run("set", row));
    if (ifMatch === null) return wrote(await this.#run("create", row));
    return wrote(await this.#run("replace", [...row, ifMatch]));
  }

  async delete(key: string): Promise<void> {
    await this.#run("delete", [key]);
  }

  async keys(prefix: string): Promise<string[]> {
    // PostgreSQL's text can't hold NUL, and no key does.
    if (prefix.includes("\0")) return [];
    const { rows } = await this.#run<{ key: string }>("keys", [prefix]);
    return rows.map(({ key }) => key);
  }

  async append(
    log: string,
    entries: readonly Uint8Array[],
    claim?: LeaseClaim,
  ): Promise<number | undefined> {
    const data = entries.map(bufferOf);
    // An empty append creates no log.
    if (data.length === 0 && !claim) return this.lastSeq(log);
    const { rows } = claim
      ? await this.#run<{ last: string }>("appendUnder", [log, claim.name, claim.token, data])
      : await this.#run<{ last: string }>("append", [log, data]);
    return rows[0] && Number(rows[0].last);
  }

  async deleteLog(log: string, claim?: LeaseClaim): Promise<boolean> {
    if (claim) return wrote(await this.#run("deleteLogUnder", [log, claim.name, claim.token]));
    await this.#run("deleteLog", [log]);
    return true;
  }

  async lastSeq(log: string): Promise<number> {
    const { rows } = await this.#run<{ last: string }>("last", [log]);
    return Number(rows[0]?.last ?? 0);
  }

  async page(log: string, from: number, to: number): Promise<LogEntry[]> {
    const { rows } = await this.#run<{ seq: string; data: Buffer }>("page", [log, from, to]);
    return rows.map(({ seq, data }) => ({ seq: Number(seq), value: bytesOf(data) }));
  }

  async take({ name, token }: LeaseClaim, { ttlMs, steal }: LeaseTerms): Promise<boolean> {
    const isTaken = wrote(await this.#run("take", [name, token, ttlMs, steal]));
    if (isTaken && steal) await this.#notify(name);
    return isTaken;
  }

  async renew(claims: readonly LeaseClaim[], ttlMs: number): Promise<LeaseClaim[]> {
    const names = claims.map(({ name }) => name);
    const tokens = claims.map(({ token }) => token);
    return (await this.#run<LeaseClaim & QueryResultRow>("renew", [names, tokens, ttlMs])).rows;
  }

  async free({ name, token }: LeaseClaim): Promise<void> {
    if (wrote(await this.#run("free", [name, token]))) await this.#notify(name);
  }

  async watch(listener: (name: string) => void): Promise<() => Promise<void>> {
    await this.#prepare();
    const notifications = new Notifications(this.#pool, this.#channel, listener);
    await notifications.open();
    return () => notifications.close();
  }

  isFull(error: unknown): boolean {
    return FULL.has(codeOf(error));
  }

  async close(): Promise<void> {
    this.#pool.off("connect", ignoreErrors);
    if (this.#options.ownsPool) await this.#pool.end();
  }

  get #channel(): string {
    return `${this.#options.schema}_leases`;
  }

  async #notify(name: string): Promise<void> {
    await this.#pool.query("SELECT pg_notify($1, $2)", [this.#channel, name]);
  }

  /** Runs a statement by its name, under which each connection parses and plans it once. */
  async #run<Row extends QueryResultRow>(
    name: keyof Statements,
    values: unknown[],
  ): Promise<QueryResult<Row>> {
    await this.#prepare();
    const text = this.#sql[name];
    return this.#pool.query<Row>({ name: `${this.#options.schema}.${name}`, text, values });
  }

  #prepare(): Promise<void> {
    const preparing = (this.#prepared ??= this.#checkServer());
    preparing.catch(() => (this.#prepared = undefined));
    return preparing;
  }

  async #checkServer(): Promise<void> {
    const client = await this.#connect();
    let isSound = false;
    try {
      const question = "SHOW synchronous_commit";
      const { rows } = await client.query<{ synchronous_commit: string }>(question);
      if (rows[0]?.synchronous_commit === "off") {
        throw new ConfigurationError("The database confirms writes before they are durable.", {
          hint: "Set synchronous_commit to on, for the server or for this role (ALTER ROLE … SET).",
        });
      }
      if (this.#options.createTables) await this.#createTables(client);
      isSound = true;
    } finally {
      // A connection in the middle of a transaction is of no use to others.
      client.release(!isSound);
    }
  }

  /** @throws {ConfigurationError} for an address that can't be read: its own error says to try again */
  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (!(error instanceof URIError) && codeOf(error) !== "ERR_INVALID_URL") throw error;
      throw new ConfigurationError("Not the address of a PostgreSQL server: connectionString", {
        hint: "Use postgres://user:password@host:5432/database; in a password write %2F for /, %23 for # and %25 for %.",
      });
    }
  }

  async #createTables(client: PoolClient): Promise<void> {
    await client.query("BEGIN");
    // Two transactions that create the same table at once would fail in spite of IF NOT EXISTS.
    await client.query("SELECT pg_advisory_xact_lock($1)", [CREATING]);
    await client.query(postgresTables(this.#options.schema));
    await client.query("COMMIT");
  }
}

/**
 * A query reports the failure of its connection. The driver may emit a second error for it, which would end the process if
 * nobody listened.
 */
function ignoreErrors(client: PoolClient): void {
  client.on("error", () => undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function wrote({ rowCount }: QueryResult): boolean {
  return rowCount !== null && rowCount > 0;
}

/** A view of the same memory, as the driver wants it. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A plain array, whose memory is nobody else's. */
function bytesOf(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer);
}
