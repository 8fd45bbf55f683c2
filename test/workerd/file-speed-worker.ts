import { edgePlatform } from "@robota/adapters-edge";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { DurableObject } from "cloudflare:workers";
import {
  type Backend,
  compare,
  FILE_BYTES,
  overlayOver,
  portBackend,
  type Times,
} from "../bench/files/work.ts";

interface Env {
  STORE: DurableObjectNamespace<Store>;
}

const MANY = 10_000;

/** Measures the files of a Durable Object next to its bare SQLite; one object for each request. */
export class Store extends DurableObject<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const rounds = Number(searchParams.get("rounds"));
    return Response.json(await this.#measure(pathname, rounds));
  }

  async #measure(what: string, rounds: number): Promise<Times> {
    const { fs } = edgePlatform(this.ctx);
    switch (what) {
      case "/files":
        return compare([portBackend("edge", fs), bareRows(this.ctx.storage)], rounds);
      case "/overlay": {
        const backends = [await overlayOver(fs, "/over"), portBackend("edge", fs, "/bare")];
        return compare(backends, rounds, { isQuick: true });
      }
      case "/memory": {
        const [below, bare] = [new MemoryFileSystem(), new MemoryFileSystem()];
        const backends = [await overlayOver(below), portBackend("MemoryFileSystem", bare)];
        return compare(backends, rounds, { isQuick: true });
      }
      case "/turn":
        return this.#oneTurn();
      default:
        throw new Error(`Nothing is measured at ${what}`);
    }
  }

  /** Many files that are written without waiting for each other, and the same as rows. */
  async #oneTurn(): Promise<Times> {
    const { fs } = edgePlatform(this.ctx);
    const bytes = crypto.getRandomValues(new Uint8Array(FILE_BYTES));
    const paths = Array.from({ length: MANY }, (_, at) => `/d${at % 100}/f${at}`);
    for (let at = 0; at < 100; at++) await fs.mkdir(`/d${at}`);
    const times: Record<string, number[]> = {};
    const rows = bareRows(this.ctx.storage);
    const { storage } = this.ctx;
    for (const [name, write] of Object.entries({
      edge: () => Promise.all(paths.map((path) => fs.writeFile(path, bytes))),
      rows: () => Promise.all(paths.map((path) => rows.write(path, bytes))),
      transaction: async () => {
        const insert = "INSERT INTO bare VALUES (?, ?, ?)";
        storage.transactionSync(() => {
          for (const path of paths) storage.sql.exec(insert, `/again${path}`, bytes, bytes.length);
        });
        await storage.sync();
      },
    })) {
      const started = performance.now();
      await write();
      times[name] = [performance.now() - started];
    }
    return { [`${MANY} together`]: times };
  }
}

/** A table of paths and bytes, with as much waiting for the disk. */
function bareRows(storage: DurableObjectStorage): Backend {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS bare (path TEXT PRIMARY KEY, data BLOB, size INTEGER)");
  return {
    name: "rows",
    async write(path, bytes) {
      sql.exec("INSERT OR REPLACE INTO bare VALUES (?, ?, ?)", path, bytes, bytes.length);
      await storage.sync();
    },
    async read(path) {
      const row = sql
        .exec<{ data: ArrayBuffer }>("SELECT data FROM bare WHERE path = ?", path)
        .one();
      return new Uint8Array(row.data);
    },
    stat: async (path) => sql.exec("SELECT size FROM bare WHERE path = ?", path).one(),
    async remove(path) {
      sql.exec("DELETE FROM bare WHERE path = ?", path);
      await storage.sync();
    },
  };
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.STORE.get(env.STORE.newUniqueId()).fetch(request),
};
