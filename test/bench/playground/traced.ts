import type { Browser, Page } from "playwright";

/** CPU time of the page's main thread, which other work on the machine does not lengthen. Milliseconds. */
export interface Traced {
  /** Each task of at least 5 ms, in their order. */
  tasks: readonly Task[];
  /** All tasks together. */
  total: number;
}

export interface Task {
  cpu: number;
  /** By the clock: longer than `cpu` when other work had the core. */
  clock: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

const LEAST_MS = 5;

/** Records the tasks of the page's main thread while `work` goes on. */
export async function traced(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<Traced> {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threads = new Map<string, TraceEvent[]>();
  for (const event of trace.traceEvents)
    if (event.name === "thread_name" && event.args?.name === "CrRendererMain")
      threads.set(threadOf(event), []);
  for (const event of trace.traceEvents)
    if (event.name === "RunTask" && event.ph === "X") threads.get(threadOf(event))?.push(event);
  // Other renderers of the browser have nothing to do.
  const all = [...threads.values()]
    .map((events) => events.map(({ dur = 0, tdur = 0 }) => ({ cpu: tdur / 1e3, clock: dur / 1e3 })))
    .toSorted((one, other) => sum(other) - sum(one));
  const tasks = all[0] ?? [];
  return { tasks: tasks.filter(({ cpu }) => cpu >= LEAST_MS), total: sum(tasks) };
}

/** The longest task, by its CPU time. */
export function longest({ tasks }: Traced): number {
  return Math.max(0, ...tasks.map(({ cpu }) => cpu));
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`;
}

function sum(tasks: readonly Task[]): number {
  return tasks.reduce((total, { cpu }) => total + cpu, 0);
}
