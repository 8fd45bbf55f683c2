import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { edgePlatform } from "@robota/adapters-edge";
import { fileSystemContract } from "@robota/runtime/testing";
import { expectRatio } from "../support/time/own-time.ts";
import { expect, it } from "vitest";
import { runContract } from "../support/run-contract.ts";
import { digest, insideObject, newObject } from "./inside-object.ts";

const MAX_ROW = 1_900_000;

runContract(
  "Durable Object file system",
  insideObject((state) => fileSystemContract(() => edgePlatform(state()).fs)),
);

it("keeps every row of a large file below the limit of a Durable Object", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { fs } = edgePlatform(state);
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const large = new Uint8Array(5_000_000);
    for (let at = 0; at < large.length; at += bytes.length) {
      large.set(bytes.subarray(0, large.length - at), at);
    }
    await fs.writeFile("/large", large);
    await fs.appendFile("/large", large);
    expect(largestRow(state, "robota_chunks")).toBe(MAX_ROW);
    expect((await fs.stat("/large")).size).toBe(10_000_000);
    const both = new Uint8Array(10_000_000);
    both.set(large);
    both.set(large, large.length);
    expect(await digest(await fs.readFile("/large"))).toBe(await digest(both));
  });
});

it("appends to a file at constant cost", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { fs } = edgePlatform(state);
    await fs.writeFile("/log", new Uint8Array(10_000_000));
    for (let index = 0; index < 200; index++) await fs.appendFile("/log", new Uint8Array(1000));
    const sizes = state.storage.sql
      .exec<{ size: number }>("SELECT length(data) AS size FROM robota_chunks ORDER BY position")
      .toArray()
      .map(({ size }) => size);
    // 10 MB in six rows that no append touched, then rows that were closed at 64 KB.
    expect(sizes.slice(0, 5)).toEqual(Array(5).fill(MAX_ROW));
    expect(Math.max(...sizes.slice(6))).toBeLessThanOrEqual(64 * 1024);
    expect(sizes.length).toBe(10);
  });
});

it("keeps its files after the object was evicted", async () => {
  const stub = newObject();
  await runInDurableObject(stub, async (_, state) => {
    const { fs } = edgePlatform(state);
    await fs.mkdir("/project/src", { recursive: true });
    await fs.writeFile("/project/src/main.ts", "export {};");
    await fs.chmod("/project/src/main.ts", 0o755);
    await fs.symlink("src/main.ts", "/project/entry");
  });
  await evictDurableObject(stub);
  await runInDurableObject(stub, async (_, state) => {
    const { fs } = edgePlatform(state);
    expect(new TextDecoder().decode(await fs.readFile("/project/entry"))).toBe("export {};");
    expect((await fs.stat("/project/entry")).mode).toBe(0o755);
  });
});

it("rolls back a change that failed half-way", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { fs } = edgePlatform(state);
    await fs.mkdir("/kept");
    await fs.writeFile("/kept/taken", "before");
    await fs.writeFile("/file", "x");
    for (const change of ["INSERT", "UPDATE OF name"]) {
      state.storage.sql.exec(
        `CREATE TRIGGER refuse_${change.slice(0, 6)} BEFORE ${change} ON robota_inodes
         WHEN NEW.name IN ('never', 'taken') BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
    }
    const eio = { code: "EIO" };
    await expect(fs.mkdir("/kept/new/never", { recursive: true })).rejects.toMatchObject(eio);
    await expect(fs.rename("/file", "/kept/taken")).rejects.toMatchObject(eio);
    expect(await fs.readdir("/kept")).toEqual([{ name: "taken", type: "file" }]);
    expect(new TextDecoder().decode(await fs.readFile("/kept/taken"))).toBe("before");
    expect(new TextDecoder().decode(await fs.readFile("/file"))).toBe("x");
    await fs.mkdir("/kept/new");
    await fs.writeFile("/kept/new/file", "there");
    expect(new TextDecoder().decode(await fs.readFile("/kept/new/file"))).toBe("there");
    const other = edgePlatform(state).fs;
    expect(await other.readdir("/kept/new")).toEqual([{ name: "file", type: "file" }]);
  });
});

it("updates a directory's time for concurrent changes", async () => {
  const stub = newObject();
  let clock = 1000;
  await runInDurableObject(stub, async (_, state) => {
    const { fs } = edgePlatform(state, {}, { now: () => clock++ });
    await fs.mkdir("/many");
    const names = Array.from({ length: 20 }, (_, at) => `/many/${at}`);
    await Promise.all(names.map((path) => fs.writeFile(path, "x")));
  });
  await evictDurableObject(stub);
  await runInDurableObject(stub, async (_, state) => {
    expect((await edgePlatform(state).fs.stat("/many")).mtimeMs).toBe(clock - 1);
  });
});

it("starts anew in an emptied object", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    await edgePlatform(state).fs.writeFile("/file", "old");
    await state.storage.deleteAll();
    const { fs } = edgePlatform(state);
    expect(await fs.readdir("/")).toEqual([]);
    await fs.writeFile("/file", "new");
    expect(new TextDecoder().decode(await fs.readFile("/file"))).toBe("new");
  });
});

/** Only a ratio, with a wide margin: what a directory or a file more would cost again must not slip in unseen. */
it("writes many files in one turn in about as many rows", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { fs } = edgePlatform(state);
    const { sql } = state.storage;
    sql.exec("CREATE TABLE bare (path TEXT PRIMARY KEY, data BLOB)");
    const bytes = crypto.getRandomValues(new Uint8Array(1024));
    let round = 0;
    const newPaths = (): string[] => {
      round += 1;
      return Array.from({ length: 500 }, (_, at) => `/${round}-${at}`);
    };
    await expectRatio(
      8,
      () => Promise.all(newPaths().map((path) => fs.writeFile(path, bytes))),
      () => {
        for (const path of newPaths()) sql.exec("INSERT INTO bare VALUES (?, ?)", path, bytes);
        return state.storage.sync();
      },
    );
  });
});

it("leaves nothing in the database when everything was removed", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { fs } = edgePlatform(state);
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/one", "1");
    await fs.writeFile("/a/two", "2");
    await fs.rename("/a/b/one", "/a/two");
    await fs.remove("/a", { recursive: true });
    const count = (table: string): number =>
      state.storage.sql.exec<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`).one()
        .count;
    expect([count("robota_inodes"), count("robota_chunks")]).toEqual([1, 0]);
  });
});

function largestRow(state: DurableObjectState, table: string): number {
  const query = `SELECT MAX(length(data)) AS size FROM ${table}`;
  return state.storage.sql.exec<{ size: number }>(query).one().size;
}
