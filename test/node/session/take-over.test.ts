import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contendInProcesses } from "./contending-processes.ts";
import { bundleWorker } from "./worker-process.ts";

const TAKE_OVERS = Number(process.env["ROBOTA_TAKE_OVERS"] ?? 20);

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-take-over-"));
  bundle = await bundleWorker(directory, "take-over-worker.ts");
});
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

for (const count of [2, 3]) {
  it(
    `loses and renumbers no shown events when ${count} processes take sessions from each other, some of them stopped`,
    { timeout: 60_000 + TAKE_OVERS * 1_000 },
    async () => {
      const cwd = join(directory, String(count));
      await using platform = nodePlatform({ home: cwd });
      const asked = { bundle, cwd, count, takeOvers: TAKE_OVERS };
      const { shown, takenOver, stops, problems } = await contendInProcesses(platform, asked);
      console.info(
        `${count} processes: ${shown} events shown, ${takenOver} take-overs, ${stops} stops`,
      );
      expect(problems).toEqual([]);
    },
  );
}
