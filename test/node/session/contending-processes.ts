import type { Platform } from "@robota/runtime";
import { type Contention, contendUntil, judge, type Judgement } from "../../support/take-overs.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

const MAX_STOP_MS = 40;

export interface ContendingProcesses {
  /** The bundled `take-over-worker.ts`. */
  bundle: string;
  cwd: string;
  /** Number of processes. */
  count: number;
  takeOvers: number;
  /** Address of the database with the sessions; without it, they are in files below `cwd`. */
  storage?: string | undefined;
}

/** Processes take sessions from each other, in half of the rounds while some of them are stopped now and then. */
export async function contendInProcesses(
  platform: Platform,
  { bundle, cwd, count, takeOvers, storage }: ContendingProcesses,
): Promise<Judgement & { stops: number }> {
  let stops = 0;
  const total = await contendUntil(takeOvers, async (sessions) => {
    const range = [String(sessions.first), String(sessions.count)];
    const workers = Array.from({ length: count }, (_, index) =>
      startWorker(bundle, cwd, `w${index}`, ...range, ...(storage ? [storage] : [])),
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
  return { ...total, stops };
}

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
