// Runs as a process of its own that contends for sessions: `take-over-worker <directory> <name> <first> <count> [<database>]`.
import { writeSync } from "node:fs";
import { nodePlatform } from "@robota/adapters-node";
import { contend } from "../../support/take-overs.ts";

const [cwd = "", name = "", first = "0", count = "1", database] = process.argv.slice(2);
await using platform = nodePlatform({ home: cwd });
await using shared = database === undefined ? undefined : await open(database);
const sessions = { first: Number(first), count: Number(count), cwd };
const contention = await contend(shared ? { ...platform, storage: shared } : platform, {
  name,
  ...sessions,
});
// A pipe takes a part of it at a time.
for (let rest = Buffer.from(`${JSON.stringify(contention)}\n`); rest.length > 0;)
  rest = rest.subarray(writeSync(1, rest));

/** Loads only the driver in use. */
async function open(url: string) {
  if (url.startsWith("redis")) return (await import("@robota/storage-redis")).redisStorage({ url });
  return (await import("@robota/storage-postgres")).postgresStorage({ connectionString: url });
}
