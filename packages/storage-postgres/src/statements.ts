/** Entries that one page reads at most, and their bytes, unless a single one is larger. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 4_000_000;

export type Statements = ReturnType<typeof statementsFor>;

/**
 * The SQL of a storage in a schema. Each statement is a transaction by itself, at the level READ COMMITTED: a row that
 * another transaction has changed meanwhile is looked at again before it counts.
 *
 * A write under a lease locks the lease's row (`FOR SHARE`) in the same statement, and taking the lease updates that row. So
 * a new holder waits for the writes of the former one that have begun, and later ones find another token.
 */
export function statementsFor(schema: string) {
  const held = `SELECT 1 FROM ${schema}.leases WHERE name = $2 AND token = $3 FOR SHARE`;
  // A deletion that waited for an append did not see its entries: they are behind the end of the log, and in the way.
  const overwriting = "ON CONFLICT (log, seq) DO UPDATE SET data = excluded.data";
  return {
    get: `SELECT data FROM ${schema}.values WHERE key = $1`,
    version: `SELECT version FROM ${schema}.values WHERE key = $1`,
    set: `INSERT INTO ${schema}.values (key, version, data) VALUES ($1, $2, $3)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, data = excluded.data`,
    create: `INSERT INTO ${schema}.values (key, version, data) VALUES ($1, $2, $3)
      ON CONFLICT (key) DO NOTHING`,
    replace: `UPDATE ${schema}.values SET version = $2, data = $3 WHERE key = $1 AND version = $4`,
    delete: `DELETE FROM ${schema}.values WHERE key = $1`,
    // The range is what the index can use, since every character of a key is smaller than "~".
    keys: `SELECT key FROM ${schema}.values
      WHERE key >= $1 AND key < $1 || '~' AND starts_with(key, $1) ORDER BY key`,

    append: `WITH head AS (
        INSERT INTO ${schema}.logs (log, last) VALUES ($1, cardinality($2::bytea[]))
        ON CONFLICT (log) DO UPDATE SET last = logs.last + excluded.last RETURNING last)
      , stored AS (
        INSERT INTO ${schema}.entries (log, seq, data)
        SELECT $1, head.last - cardinality($2::bytea[]) + item.position, item.data
        FROM head, unnest($2::bytea[]) WITH ORDINALITY AS item (data, position) ${overwriting})
      SELECT last FROM head`,
    appendUnder: `WITH held AS MATERIALIZED (${held})
      , head AS (
        INSERT INTO ${schema}.logs (log, last) SELECT $1, cardinality($4::bytea[]) FROM held
        ON CONFLICT (log) DO UPDATE SET last = logs.last + excluded.last RETURNING last)
      , stored AS (
        INSERT INTO ${schema}.entries (log, seq, data)
        SELECT $1, head.last - cardinality($4::bytea[]) + item.position, item.data
        FROM head, unnest($4::bytea[]) WITH ORDINALITY AS item (data, position) ${overwriting})
      SELECT last FROM head`,
    deleteLog: `WITH head AS (DELETE FROM ${schema}.logs WHERE log = $1)
      DELETE FROM ${schema}.entries WHERE log = $1`,
    deleteLogUnder: `WITH held AS MATERIALIZED (${held})
      , head AS (DELETE FROM ${schema}.logs WHERE log = $1 AND EXISTS (SELECT 1 FROM held))
      , gone AS (DELETE FROM ${schema}.entries WHERE log = $1 AND EXISTS (SELECT 1 FROM held))
      SELECT 1 FROM held`,
    last: `SELECT last FROM ${schema}.logs WHERE log = $1`,
    page: `SELECT seq, data FROM (
        SELECT seq, data, sum(octet_length(data)) OVER (ORDER BY seq) - octet_length(data) AS before
        FROM ${schema}.entries WHERE log = $1 AND seq BETWEEN $2 AND $3
        ORDER BY seq LIMIT ${PAGE_ENTRIES}) AS page
      WHERE before < ${PAGE_BYTES} ORDER BY seq`,

    take: `INSERT INTO ${schema}.leases (name, token, expires)
      VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
      ON CONFLICT (name) DO UPDATE SET token = excluded.token, expires = excluded.expires
      WHERE $4 OR leases.expires < clock_timestamp()`,
    renew: `UPDATE ${schema}.leases SET expires = clock_timestamp() + $3 * interval '1 millisecond'
      FROM unnest($1::text[], $2::text[]) AS claim (name, token)
      WHERE leases.name = claim.name AND leases.token = claim.token
      RETURNING leases.name, leases.token`,
    free: `DELETE FROM ${schema}.leases WHERE name = $1 AND token = $2`,
  } as const;
}
