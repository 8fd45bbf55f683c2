// Runs as a process of its own, to be killed: `session-death-worker <directory> <first turn>`. Each line that it tells is
// written at once and by itself.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { liveAsSession } from "../../support/session-life.ts";

const [directory = "", first = "0"] = process.argv.slice(2);
await liveAsSession(nodePlatform({ home: directory }), {
  cwd: join(directory, "workspace"),
  first: Number(first),
  report: (line) => writeSync(1, `${line}\n`),
});
