// Runs as a process of its own that holds a session: `session-holder-worker <directory>`. Each line that it tells is written at
// once and by itself.
import { writeSync } from "node:fs";
import { nodePlatform } from "@robota/adapters-node";
import { holdSession } from "../../support/session-visit.ts";

const [directory = ""] = process.argv.slice(2);
const platform = nodePlatform({ home: directory });
const refusal = await holdSession(platform, (event) => writeSync(1, `${event}\n`));
writeSync(1, `refused ${refusal}\n`);
await platform.dispose();
