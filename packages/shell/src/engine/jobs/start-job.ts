import { endable, type Process, runBeside } from "../run/process.ts";

/** Runs a process that was made for it beside the one that starts it, and outlives that one. */
export function startBeside(
  process: Process,
  forked: Process,
  { text, run }: { text: string; run: (child: Process) => Promise<number> },
): void {
  const child = endable(forked, process.run.outside ?? process.run);
  const { processId: id } = child.state;
  const end = child.run.interpreter.finish(child, () => run(child));
  const job = process.jobs.add({ id, text, ending: child.run.ending }, end);
  runBeside(process.run, job.end);
  process.state.backgroundId = id;
}
