import { storageContract } from "@robota/runtime/testing";
import { postgresStorage, postgresTables } from "@robota/storage-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPostgres } from "../../support/servers/postgres.ts";
import type { RunningServer } from "../../support/servers/run-server.ts";
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

  it.each(["", "Robota", "a-b", "a; drop table x", "1a"])("refuses the schema %j", (schema) => {
    expect(() => postgresStorage({ connectionString: server.url, schema })).toThrow("schema name");
  });
});
