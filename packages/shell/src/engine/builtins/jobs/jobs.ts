import type { Job } from "../../jobs/job-table.ts";
import { endBy } from "../../jobs/signals.ts";
import { print, type Process, report } from "../../run/process.ts";
import { parseOptions, withTexts } from "../builtin.ts";
import { jobOf } from "./job-of.ts";

/** `jobs`: lists all jobs or some. `-l` and `-p` print their processes, `-r` only those that run; none are stopped (`-s`). */
export const jobs = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "lnprs" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return 2;
  }
  const { chosen, status } = await jobsOf(process, rest, name);
  for (const job of chosen) {
    const isRunning = job.status === undefined;
    if (options.has("s") || (options.has("r") && !isRunning)) continue;
    await print(process, 1, options.has("p") ? `${job.id}\n` : lineOf(process, job, options));
    if (!isRunning) process.jobs.remove(job);
  }
  return status;
});

/** `disown`: lists jobs no longer, which run on. `-a` all of them, `-r` those that run. */
export const disown = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "ahr" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return 2;
  }
  const isAll = rest.length === 0 && (options.has("a") || options.has("r"));
  const { chosen, status } = await jobsOf(
    process,
    isAll ? [] : rest.length > 0 ? rest : ["%"],
    name,
  );
  for (const job of chosen)
    if (!options.has("h") && !(options.has("r") && job.status !== undefined))
      process.jobs.disown(job);
  return status;
});

async function jobsOf(
  process: Process,
  operands: readonly string[],
  name: string,
): Promise<{ chosen: readonly Job[]; status: number }> {
  if (operands.length === 0) return { chosen: process.jobs.listed, status: 0 };
  const chosen: Job[] = [];
  let status = 0;
  for (const operand of operands) {
    const isNumber = /^\d+$/.test(operand);
    const byId = process.jobs.listed.find(({ id }) => isNumber && id === Number(operand));
    const job = byId ?? jobOf(process, operand.startsWith("%") ? operand : `%${operand}`);
    if (typeof job !== "string") chosen.push(job);
    else {
      await report(process, `${name}: ${operand}: no such job`);
      status = 1;
    }
  }
  return { chosen, status };
}

function lineOf({ jobs: table }: Process, job: Job, options: ReadonlyMap<string, string>): string {
  const isRunning = job.status === undefined;
  const id = options.has("l") ? String(job.id).padStart(5) : "";
  const head = `[${job.number}]${table.markOf(job)} ${id} `;
  return `${head}${stateOf(job).padEnd(24)}${job.text}${isRunning ? " &" : ""}\n`;
}

function stateOf({ status, ending }: Job): string {
  if (status === undefined) return "Running";
  if (ending.signal) return endBy(ending.signal);
  return status === 0 ? "Done" : `Exit ${status}`;
}
