import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { s3FileSystem } from "@robota/files-s3";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { postgresStorage } from "@robota/storage-postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningBucket, runCeph } from "../../../support/servers/ceph.ts";
import { runPostgres } from "../../../support/servers/postgres.ts";
import type { RunningServer } from "../../../support/servers/run-server.ts";

let store: RunningBucket;
let database: RunningServer;
beforeAll(async () => {
  store = await runCeph();
  database = await runPostgres();
}, 300_000);
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** A machine with a disk of its own, which no session needs. */
async function machine(): Promise<Platform & AsyncDisposable> {
  const home = await mkdtemp(join(tmpdir(), "robota-machine-"));
  const own = nodePlatform({ home, fs: s3FileSystem({ ...store, prefix: "machines" }) });
  const storage = postgresStorage({ connectionString: database.url });
  return {
    ...own,
    storage,
    async [Symbol.asyncDispose]() {
      await own.dispose();
      await storage.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}

it("a session goes on with its files on another machine", async () => {
  const options = { provider: new OfflineProvider(), permissionMode: "bypassPermissions" } as const;
  await using first = await machine();
  const session = new InteractiveSession({ platform: first, ...options });
  await session.submit("write src/notes.md: from the first machine");
  await session.submit("run mkdir -p lib && cp src/notes.md lib && echo more >> lib/notes.md");
  const { sessionId } = session;
  await session.shutdown();

  await using second = await machine();
  await using resumed = new InteractiveSession({ platform: second, sessionId, ...options });
  const { response } = await resumed.submit("run cat lib/notes.md && ls src");
  expect(response).toContain("from the first machine");
  expect(response).toContain("notes.md");
  const [checkpoint] = resumed.checkpoints();
  await resumed.rewind(checkpoint?.id ?? "", "files");
  expect(await second.fs.readdir("/")).toEqual([]);
});
