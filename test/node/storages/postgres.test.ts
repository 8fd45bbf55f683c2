import { inspect } from "node:util";
import { storageContract } from "@robota/runtime/testing";
import { postgresStorage, postgresTables } from "@robota/storage-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPostgres } from "../../support/servers/postgres.ts";
import type { RunningServer } from "../../support/servers/run-server.ts";
import { switchable } from "../../support/servers/switchable.ts";
import { silenceOf } from "./silence.ts";
import { storesOf } from "./stores.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await runPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

const stores = storesOf((name) =>
  postgresStorage({ connectionString: server.url, schema: name, leaseSeconds: 3 }),
);

describe("PostgreSQL as storage", () => {
  for (const promise of storageContract(stores)) it(promise.name, () => promise.run());

  it("keeps what it has stored over a crash of the server, and is used again without being opened anew", async () => {
    await using store = stores();
    const storage = store.open();
    const stored = await Promise.all(
      Array.from({ length: 50 }, (_, index) => storage.append("log", [Uint8Array.of(index)])),
    );
    await server.restart();
    await expect.poll(() => storage.append("log", []).catch(String)).toBe(stored.at(-1));
    expect(await storage.append("log", [Uint8Array.of(50)])).toBe(51);
  });

  it("creates its tables once, also when several processes begin at once", async () => {
    await using store = stores();
    const storages = Array.from({ length: 5 }, () => store.open());
    await Promise.all(storages.map((storage, index) => storage.set(`${index}`, Uint8Array.of(1))));
    expect(await storages[0]!.keys("")).toEqual(["0", "1", "2", "3", "4"]);
  });

  it("uses tables that somebody else created, with a pool that it leaves open", async () => {
    const pool = new pg.Pool({ connectionString: server.url });
    await pool.query(postgresTables("given"));
    const storage = postgresStorage({ pool, schema: "given", createTables: false });
    await storage.set("key", Uint8Array.of(1));
    await storage.dispose();
    expect((await pool.query("SELECT count(*)::int AS count FROM given.values")).rows).toEqual([
      { count: 1 },
    ]);
    await pool.end();
  });

  it("refuses a server that confirms writes before they are durable", async () => {
    const pool = new pg.Pool({
      connectionString: server.url,
      options: "-c synchronous_commit=off",
    });
    await using storage = postgresStorage({ pool });
    const error = await storage.get("key").catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "IO",
      hint: expect.stringContaining("synchronous_commit"),
    });
    await pool.end();
  });

  it("says why it can't be reached, without the password", async () => {
    await using storage = postgresStorage({
      connectionString: "postgres://me:s3cret-word@127.0.0.1:9/none",
    });
    const error = await storage.get("key").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "StorageError", code: "IO" });
    expect(JSON.stringify(error) + String(error)).not.toContain("s3cret-word");
  });

  it("says what an address needs that is none, without the password", async () => {
    await using storage = postgresStorage({
      connectionString: "postgres://me:s3cret/word@host/db",
    });
    const error = await storage.get("key").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "IO", hint: expect.stringContaining("%2F") });
    expect(inspect(error, { depth: 9 })).not.toContain("s3cret");
  });

  it("reports a server that falls silent, and uses it once it answers again", async () => {
    await using proxy = await switchable(server.url);
    await proxy.turnOn();
    await using storage = postgresStorage({ connectionString: proxy.url, schema: "silent" });
    expect(await silenceOf(storage, proxy)).toMatchObject({ code: "IO" });
    expect(await storage.get("key")).toEqual(Uint8Array.of(1));
    expect(await storage.append("log", [Uint8Array.of(1)])).toBe(1);
  });

  it("keeps no connection that may not listen", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    // As on a server that is only a standby for others.
    pool.on("connect", (client) => {
      const query: (...args: unknown[]) => unknown = client.query.bind(client);
      const isRefused = (asked: unknown): boolean => String(asked).startsWith("LISTEN");
      const refusing = (asked: unknown, ...rest: unknown[]): unknown =>
        query(isRefused(asked) ? "none" : asked, ...rest);
      Object.assign(client, { query: refusing });
    });
    const storage = postgresStorage({ pool, schema: "deaf" });
    for (let count = 0; count < 4; count++) await (await storage.acquire("session")).release();
    await storage.dispose();
    await pool.end();
  });

  it("appends after a deletion that another process's append had overtaken", async () => {
    const schema = "overtaken";
    await using storage = postgresStorage({ connectionString: server.url, schema });
    await storage.append("log", [Uint8Array.of(1)]);
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query("BEGIN");
    await other.query(`UPDATE ${schema}.logs SET last = 2`);
    await other.query(`INSERT INTO ${schema}.entries VALUES ('log', 2, '')`);
    const deleted = storage.deleteLog("log");
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
    await other.query("COMMIT");
    await other.end();
    await deleted;
    for (const seq of [1, 2, 3])
      expect(await storage.append("log", [Uint8Array.of(seq)])).toBe(seq);
    const values: number[] = [];
    for await (const { value } of storage.read("log")) values.push(...value);
    expect(values).toEqual([1, 2, 3]);
  });

  it("refuses an option that is misspelt, or of no use, and a pool that is too small", () => {
    const misspelt: object = { connectionstring: server.url };
    expect(() => postgresStorage(misspelt)).toThrow("connectionstring");
    expect(() => postgresStorage({ leaseSeconds: 0 })).toThrow("leaseSeconds");
    expect(() => postgresStorage({ pool: new pg.Pool({ max: 1 }) })).toThrow("two connections");
  });

  it.each(["", "Robota", "a-b", "a; drop table x", "1a"])("refuses the schema %j", (schema) => {
    expect(() => postgresStorage({ connectionString: server.url, schema })).toThrow("schema name");
  });
});
