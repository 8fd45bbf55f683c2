// Runs as a process of its own that contends for sessions: `take-over-worker <directory> <name> <first> <count>`.
import { writeSync } from "node:fs";
import { nodePlatform } from "@robota/adapters-node";
import { contend } from "../../support/take-overs.ts";

const [cwd = "", name = "", first = "0", count = "1"] = process.argv.slice(2);
await using platform = nodePlatform({ home: cwd });
const sessions = { first: Number(first), count: Number(count), cwd };
const contention = await contend(platform, { name, ...sessions });
// A pipe takes a part of it at a time.
for (let rest = Buffer.from(`${JSON.stringify(contention)}\n`); rest.length > 0;)
  rest = rest.subarray(writeSync(1, rest));
