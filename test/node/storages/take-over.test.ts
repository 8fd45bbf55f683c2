import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { postgresStorage } from "@robota/storage-postgres";
import { redisStorage } from "@robota/storage-redis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runPostgres } from "../../support/servers/postgres.ts";
import { runRedis } from "../../support/servers/redis.ts";
import { contendInProcesses } from "../session/contending-processes.ts";
import { bundleWorker } from "../session/worker-process.ts";

const TAKE_OVERS = Number(process.env["ROBOTA_TAKE_OVERS"] ?? 20);

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-take-over-"));
  bundle = await bundleWorker(directory, "take-over-worker.ts");
});
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

it.each([
  ["PostgreSQL", runPostgres, (url: string) => postgresStorage({ connectionString: url })],
  ["Redis", runRedis, (url: string) => redisStorage({ url })],
])(
  "loses and renumbers no shown events when three processes take sessions on %s from each other, some of them stopped",
  { timeout: 120_000 + TAKE_OVERS * 1_000 },
  async (database, run, open) => {
    await using server = await run();
    await using storage = open(server.url);
    await using platform = nodePlatform({ home: directory });
    const { shown, takenOver, stops, problems } = await contendInProcesses(
      { ...platform, storage },
      { bundle, cwd: directory, count: 3, takeOvers: TAKE_OVERS, storage: server.url },
    );
    console.info(`${database}: ${shown} events shown, ${takenOver} take-overs, ${stops} stops`);
    expect(problems).toEqual([]);
  },
);
