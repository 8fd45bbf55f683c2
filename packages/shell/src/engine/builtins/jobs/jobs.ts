import { ShellExit } from "../../run/control.ts";
import { print, type Process, report } from "../../run/process.ts";
import { runTrap } from "../../run/traps.ts";
import { parseOptions, withTexts } from "../builtin.ts";
import { signalNumber } from "./signals.ts";

const NOT_FOUND = 127;

export const wait = withTexts(async (process, args) => {
  const { options, rest } = parseOptions(args, { flags: "fn", valued: "p" });
  const { jobs } = process.run;
  if (options.has("n")) {
    const running = [...jobs.values()];
    if (running.length === 0) return NOT_FOUND;
    const first = await Promise.race(
      running.map(({ id, end }) => end.then((status) => ({ id, status }))),
    );
    jobs.delete(first.id);
    return first.status;
  }
  if (rest.length === 0) {
    await Promise.all([...jobs.values()].map(({ end }) => end));
    jobs.clear();
    return 0;
  }
  let status = 0;
  for (const operand of rest) {
    const job = jobOf(process, operand);
    status = job ? await job.end : NOT_FOUND;
    if (!job) await report(process, `wait: pid ${operand} is not a child of this shell`);
  }
  return status;
});

function jobOf({ run }: Process, operand: string): ReturnType<typeof run.jobs.get> {
  const number = /^%(\d+)$/.exec(operand)?.[1];
  if (number !== undefined) return [...run.jobs.values()][Number(number) - 1];
  return /^%[+%]?$/.test(operand) ? [...run.jobs.values()].at(-1) : run.jobs.get(Number(operand));
}

export const jobs = withTexts(async (process, args) => {
  const { run } = process;
  const isShort = args.includes("-p");
  let index = 0;
  for (const { id, text, status } of run.jobs.values()) {
    index++;
    const state = status === undefined ? "Running" : status === 0 ? "Done" : `Exit ${status}`;
    const line = isShort
      ? String(id)
      : `[${index}]+  ${state.padEnd(24)}${text}${status === undefined ? " &" : ""}`;
    await print(process, 1, `${line}\n`);
    if (status !== undefined) run.jobs.delete(id);
  }
  return 0;
});

/** `kill` for this shell and its jobs; lists of signals are the program's. */
export const killBuiltin = withTexts(async (process, args) => {
  const { interpreter } = process.run;
  const option = /^-(?:s|n)?(.*)$/.exec(args[0] ?? "");
  const isList = option !== null && /^-[lL]/.test(args[0] ?? "");
  if (isList || args.length === 0)
    return interpreter.runWords(process, ["kill", ...args], {
      skipsFunctions: true,
      skipsBuiltins: true,
    });
  const isSeparate = option !== null && option[1] === "";
  const name = option === null ? "TERM" : isSeparate ? (args[1] ?? "") : (option[1] ?? "");
  const targets = args.slice(option === null ? 0 : isSeparate ? 2 : 1);
  const signal = signalNumber(name);
  if (signal === undefined) {
    await report(process, `kill: ${name}: invalid signal specification`);
    return 1;
  }
  let status = 0;
  for (const target of targets) status = (await send(process, signal, target)) || status;
  return status;
});

async function send(
  process: Process,
  signal: { number: number; name: string },
  target: string,
): Promise<number> {
  const { state } = process;
  if (Number(target) !== state.shellId && Number(target) !== state.processId) {
    if (jobOf(process, target)) return 0;
    await report(process, `kill: (${target}) - No such process`);
    return 1;
  }
  if (signal.number === 0) return 0;
  const command = state.traps.get(signal.name);
  if (command === undefined || signal.name === "KILL") throw new ShellExit(128 + signal.number);
  await runTrap(process, signal.name);
  return 0;
}
