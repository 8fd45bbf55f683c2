import type { Job } from "../../jobs/job-table.ts";
import type { Process } from "../../run/process.ts";

/** The job of an operand such as `%1`; what is wrong with one that names none. */
export function jobOf({ jobs }: Process, operand: string): Job | string {
  const [job, ...others] = jobs.named(operand.slice(1));
  if (job === undefined) return `${operand}: no such job`;
  return others.length > 0 ? `${operand.slice(1)}: ambiguous job spec` : job;
}
