import { deliver } from "../../jobs/deliver.ts";
import { type Signal, signalNumber, signalTable } from "../../jobs/signals.ts";
import { ShellExit } from "../../run/control.ts";
import { print, type Process, report } from "../../run/process.ts";
import { runSignalTraps } from "../../run/traps.ts";
import { withTexts } from "../builtin.ts";
import { jobOf } from "./job-of.ts";

const USAGE =
  "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n";
const SIGNALLED = 128;

/** `kill`: sends a signal to processes and jobs (`-s`, `-n`, `-SIGNAL`), or lists signals (`-l`, `-L`). */
export const kill = withTexts(async (process, args) => {
  const [first = "", ...others] = args;
  if (/^-[lL]$/.test(first)) return list(process, others[0] === "--" ? others.slice(1) : others);
  const chosen = signalOf(args);
  if (typeof chosen === "string") {
    await report(process, `kill: ${chosen}`);
    return 1;
  }
  const { signal, targets } = chosen;
  if (targets.length === 0) {
    await print(process, 2, USAGE);
    return 2;
  }
  let status = 0;
  for (const target of targets) {
    const reason = await send(process, signal, target);
    if (reason === undefined) continue;
    await report(process, `kill: ${reason}`);
    status = 1;
  }
  return status;
});

/** The signal that arguments choose, and to whom it goes; what is wrong with them. */
function signalOf(
  args: readonly string[],
): { signal: Signal; targets: readonly string[] } | string {
  const [option = ""] = args;
  const isSeparate = option === "-s" || option === "-n";
  if (isSeparate && args.length === 1) return `${option}: option requires an argument`;
  const isGiven = /^-./.test(option) && option !== "--";
  const attached = option.slice(/^-[sn]/.test(option) ? 2 : 1);
  const name = isSeparate ? (args[1] ?? "") : isGiven ? attached : "TERM";
  const signal = signalNumber(name);
  if (!signal) return `${name}: invalid signal specification`;
  const rest = args.slice(isSeparate ? 2 : isGiven ? 1 : 0);
  return { signal, targets: rest[0] === "--" ? rest.slice(1) : rest };
}

/** @returns why it can't */
async function send(process: Process, signal: Signal, target: string): Promise<string | undefined> {
  const { processes } = process.run;
  if (target.startsWith("%")) {
    const job = jobOf(process, target);
    return typeof job === "string" ? job : send(process, signal, String(job.id));
  }
  if (!/^-?\d+$/.test(target)) return `${target}: arguments must be process or job IDs`;
  const all = [...processes.values()];
  // All processes of a run are one group, that of its first one.
  const isGroup = /^(?:-?0|-1)$/.test(target);
  const found = processes.get(Math.abs(Number(target)));
  if (!isGroup && !found) return `(${target}) - No such process`;
  if (signal.number === 0) return undefined;
  for (const one of isGroup ? all : found ? [found] : [])
    if (one.state !== process.state) deliver(one, signal);
  if (isGroup || found?.state === process.state) await sendSelf(process, signal);
  return undefined;
}

/** A signal to the process itself takes effect at once. */
async function sendSelf(process: Process, signal: Signal): Promise<void> {
  const { state } = process;
  if (state.traps.has(signal.name) && signal.name !== "KILL") {
    deliver(process, signal);
    await runSignalTraps(process);
    return;
  }
  deliver(process, signal);
  process.run.budget.check();
  if (state.signals.length > 0) throw new ShellExit(SIGNALLED + signal.number);
}

/** Lists all signals, or converts numbers and statuses to names, and names to numbers. */
async function list(process: Process, words: readonly string[]): Promise<number> {
  if (words.length === 0) await print(process, 1, signalTable());
  let status = 0;
  for (const word of words) {
    const isStatus = /^\d+$/.test(word) && Number(word) > SIGNALLED;
    const signal = signalNumber(isStatus ? String(Number(word) - SIGNALLED) : word);
    if (signal) await print(process, 1, `${/^\d/.test(word) ? signal.name : signal.number}\n`);
    else {
      await report(process, `kill: ${word}: invalid signal specification`);
      status = 1;
    }
  }
  return status;
}
