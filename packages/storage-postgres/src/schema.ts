/** PostgreSQL's limit for a name. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,39}$/;

/** True for a schema name that needs no quotes. */
export function isSchemaName(name: string): boolean {
  return IDENTIFIER.test(name);
}

/**
 * The tables of a storage, for a database whose owner creates them: run it once, and pass `createTables: false`. Running it
 * again changes nothing.
 */
export function postgresTables(schema = "robota"): string {
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.values (
  key text COLLATE "C" PRIMARY KEY,
  version text NOT NULL,
  data bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS ${schema}.logs (
  log text COLLATE "C" PRIMARY KEY,
  last bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS ${schema}.entries (
  log text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (log, seq)
);
CREATE TABLE IF NOT EXISTS ${schema}.leases (
  name text COLLATE "C" PRIMARY KEY,
  token text NOT NULL,
  expires timestamptz NOT NULL
);`;
}
