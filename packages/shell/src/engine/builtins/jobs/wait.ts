import { untilSignal } from "../../jobs/deliver.ts";
import type { Job } from "../../jobs/job-table.ts";
import { endBy } from "../../jobs/signals.ts";
import { assignVariable } from "../../state/access.ts";
import { type Process, report } from "../../run/process.ts";
import { parseOptions, withTexts } from "../builtin.ts";
import { jobOf } from "./job-of.ts";

const NOT_FOUND = 127;
const SIGNALLED = 128;
/** Signals whose end of a job is not reported. */
const QUIET: ReadonlySet<string> = new Set(["INT", "PIPE", "TERM"]);

/** `wait`: for all jobs, for some, or with `-n` for the next one; a signal with a trap ends it. */
export const wait = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "fn", valued: "p" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return 2;
  }
  const variable = options.get("p");
  if (variable !== undefined) process.state.variables.delete(variable);
  const status = await (options.has("n")
    ? waitForNext(process, rest, variable)
    : rest.length === 0
      ? waitForAll(process)
      : waitForEach(process, rest, variable));
  // The job may have come to an end with the shell itself.
  process.run.budget.check();
  return status;
});

async function waitForAll(process: Process): Promise<number> {
  const { jobs } = process;
  const isOver = untilSignal(process, Promise.all(jobs.own.map(({ end }) => end)));
  if ((await isOver) === undefined) return interrupted(process);
  for (const job of jobs.own) await reportEnd(process, job);
  jobs.clear();
  return 0;
}

async function waitForEach(
  process: Process,
  operands: readonly string[],
  variable: string | undefined,
): Promise<number> {
  let status = 0;
  for (const operand of operands) {
    const job = waitable(process, operand);
    if (typeof job === "string") {
      await report(process, `wait: ${job}`);
      status = /^(?:%|\d+$)/.test(operand) ? NOT_FOUND : 1;
      continue;
    }
    const ended = await untilSignal(process, job.end);
    if (ended === undefined) return interrupted(process);
    status = ended;
    await over(process, job, variable);
  }
  return status;
}

async function waitForNext(
  process: Process,
  operands: readonly string[],
  variable: string | undefined,
): Promise<number> {
  const { jobs } = process;
  const chosen: Job[] = operands.length === 0 ? [...jobs.own] : [];
  for (const operand of operands) {
    const job = waitable(process, operand);
    if (typeof job === "string") await report(process, `wait: ${job}`);
    else if (jobs.listed.includes(job)) chosen.push(job);
  }
  if (chosen.length === 0) return NOT_FOUND;
  const first = await untilSignal(
    process,
    Promise.race(chosen.map((job) => job.end.then((status) => ({ job, status })))),
  );
  if (first === undefined) return interrupted(process);
  await over(process, first.job, variable);
  return first.status;
}

function waitable(process: Process, operand: string): Job | string {
  const { jobs } = process;
  if (operand.startsWith("%")) {
    const job = jobOf(process, operand);
    return typeof job === "string" || jobs.isOwn(job) ? job : `${operand}: no such job`;
  }
  if (!/^\d+$/.test(operand)) return `\`${operand}': not a pid or valid job spec`;
  return jobs.byId(Number(operand)) ?? `pid ${operand} is not a child of this shell`;
}

async function over(process: Process, job: Job, variable: string | undefined): Promise<void> {
  if (variable !== undefined) assignVariable(process.state, variable, String(job.id));
  await reportEnd(process, job);
  process.jobs.remove(job);
}

/** Reports the end of a job by a signal, once. */
async function reportEnd(process: Process, job: Job): Promise<void> {
  const { signal } = job.ending;
  if (!signal || QUIET.has(signal.name) || !process.jobs.listed.includes(job)) return;
  await report(process, `${String(job.id).padStart(5)} ${endBy(signal).padEnd(24)}${job.text}`);
}

function interrupted({ state }: Process): number {
  return SIGNALLED + (state.signals[0]?.number ?? 0);
}
