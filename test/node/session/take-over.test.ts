import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Contention, contendUntil, judge } from "../../support/take-overs.ts";
import { bundleWorker, startWorker, type WorkerProcess } from "./worker-process.ts";

const TAKE_OVERS = Number(process.env["ROBOTA_TAKE_OVERS"] ?? 20);
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
  for (let turn = 0; !isOver; turn++) {
    const { pid } = workers[turn % workers.length] as WorkerProcess;
    if (signal(pid, "SIGSTOP")) stops += 1;
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

for (const count of [2, 3]) {
  it(
    `loses and renumbers no shown events when ${count} processes take sessions from each other, some of them stopped`,
    { timeout: 60_000 + TAKE_OVERS * 1_000 },
    async () => {
      const cwd = join(directory, String(count));
      await using platform = nodePlatform({ home: cwd });
      let stops = 0;
      const total = await contendUntil(TAKE_OVERS, async (sessions) => {
        const workers = Array.from({ length: count }, (_, index) =>
          startWorker(bundle, cwd, `w${index}`, String(sessions.first), String(sessions.count)),
        );
        // Undisturbed, they meet more often.
        const stopping = sessions.first % (2 * sessions.count) === 0 && stopNowAndThen(workers);
        const contentions = await Promise.all(
          workers.map(async (worker): Promise<Contention> => {
            await worker.waitForLines(1);
            return JSON.parse(worker.lines[0] ?? "");
          }),
        );
        stops += Number(await stopping);
        return judge(platform, { contentions, ...sessions, cwd });
      });
      const { shown, takenOver, problems } = total;
      console.info(
        `${count} processes: ${shown} events shown, ${takenOver} take-overs, ${stops} stops`,
      );
      expect(problems).toEqual([]);
    },
  );
}
