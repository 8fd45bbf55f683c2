import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Contention, judge } from "../take-overs.ts";
import { bundleWorker, startWorker, type WorkerProcess } from "./worker-process.ts";

/** Each has 400 events. */
const SESSIONS = Math.ceil(Number(process.env["ROBOTA_TAKE_OVERS"] ?? 40) / 20);
const MAX_STOP_MS = 40;

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-take-over-"));
  bundle = await bundleWorker(directory, "take-over-worker.ts");
});
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

/** Stops one of them now and then, wherever it is, until all have ended; resolves to how often. */
async function stopNowAndThen(workers: readonly WorkerProcess[]): Promise<number> {
  let stops = 0;
  let isOver = false;
  const ended = Promise.all(workers.map((worker) => worker.ended)).then(() => (isOver = true));
  const pause = (): Promise<unknown> =>
    new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_STOP_MS));
  while (!isOver) {
    const { pid } = workers[stops % workers.length] as WorkerProcess;
    if (!signal(pid, "SIGSTOP")) {
      await Promise.race([ended, pause()]);
      continue;
    }
    stops += 1;
    await pause();
    signal(pid, "SIGCONT");
    await Promise.race([ended, pause()]);
  }
  return stops;
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It has ended.
    return false;
  }
}

describe("a session that processes take from each other in the middle of writing", () => {
  for (const count of [2, 3]) {
    for (const stopped of [false, true]) {
      const how = stopped ? ", which are stopped now and then" : "";
      it(
        `loses and renumbers nothing that was shown, with ${count} processes${how}`,
        { timeout: 60_000 + SESSIONS * 20_000 },
        async () => {
          const home = join(directory, `${count}${stopped ? "-stopped" : ""}`);
          const workers = Array.from({ length: count }, (_, index) =>
            startWorker(bundle, home, `w${index}`, String(SESSIONS)),
          );
          const stops = stopped ? stopNowAndThen(workers) : 0;
          const contentions = await Promise.all(
            workers.map(async (worker): Promise<Contention> => {
              await worker.told(1);
              return JSON.parse(worker.lines[0] ?? "");
            }),
          );
          const stopCount = await stops;
          await using platform = nodePlatform({ home });
          const judgement = await judge(platform, { contentions, cwd: home });
          console.info(
            `${count} processes: ${judgement.shown} events shown, ${judgement.takenOver} take-overs, ` +
              `${stopCount} stops, ${judgement.problems.length} problems`,
          );
          expect(judgement.problems).toEqual([]);
          expect(judgement.shown).toBeGreaterThan(SESSIONS * 100);
          expect(judgement.takenOver).toBeGreaterThan(SESSIONS);
        },
      );
    }
  }
});
