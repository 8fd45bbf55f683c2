import { startBeside } from "../jobs/start-job.ts";
import { readVariable } from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import type { Command, ListItem, Pipeline } from "../syntax/tree.ts";
import { BrokenPipeError, Channel } from "./channel.ts";
import { LoopJump } from "./control.ts";
import { inputOf, OpenDescription } from "./descriptors.ts";
import { forkProcess, print, type Process } from "./process.ts";
import { announceAt, onFailure } from "./traps.ts";

const BROKEN_PIPE = 141;

/** Runs an item of a list: its pipelines as `&&` and `||` say. @returns the status */
export async function runItem(process: Process, item: ListItem): Promise<number> {
  if (item.isBackground) return startJob(process, item);
  const { first, rest } = item;
  if (rest.length === 0) return runPipeline(process, first);
  let status = await runTolerated(process, first);
  for (const [index, { operator, pipeline }] of rest.entries()) {
    if ((status === 0) !== (operator === "&&")) continue;
    const isLast = index === rest.length - 1;
    status = await (isLast ? runPipeline(process, pipeline) : runTolerated(process, pipeline));
  }
  return status;
}

async function runTolerated(process: Process, pipeline: Pipeline): Promise<number> {
  process.toleratesFailure++;
  try {
    return await runPipeline(process, pipeline);
  } finally {
    process.toleratesFailure--;
  }
}

async function runPipeline(process: Process, pipeline: Pipeline): Promise<number> {
  const startMs = Date.now();
  const { isNegated, commands } = pipeline;
  if (isNegated) process.toleratesFailure++;
  let status: number;
  try {
    status =
      commands.length > 1 ? await runStages(process, commands) : await runOne(process, commands[0]);
  } catch (error) {
    if (isNegated && error instanceof LoopJump) throw error.withStatus(negated(error.status));
    throw error;
  } finally {
    if (isNegated) process.toleratesFailure--;
  }
  if (isNegated) status = negated(status);
  process.state.status = status;
  if (pipeline.timed) await printTime(process, pipeline.timed, Date.now() - startMs);
  return status;
}

function negated(status: number): number {
  return status === 0 ? 1 : 0;
}

async function runOne(process: Process, command: Command | undefined): Promise<number> {
  if (!command) return 0;
  const { interpreter } = process.run;
  const wasTrapped = process.state.traps.has("ERR");
  process.isUnopened = false;
  const status = await interpreter.runCommand(process, command);
  process.state.status = status;
  if (!failsShell(command) && !process.isUnopened) return status;
  process.isUnopened = false;
  setPipeStatus(process, [status]);
  if (status !== 0) await onFailure(process, status, wasTrapped);
  return status;
}

/** Reports whether the command's own failure counts, rather than that of a command in it. */
function failsShell({ type }: Command): boolean {
  return (
    type === "simple" || type === "subshell" || type === "arithmetic" || type === "conditional"
  );
}

function setPipeStatus({ state }: Process, statuses: readonly number[]): void {
  state.variables.set("PIPESTATUS", new IndexedArray(statuses.map(String)));
}

/** Runs the stages side by side, each in a process of its own; under `lastpipe` the last one in this. */
async function runStages(process: Process, commands: readonly Command[]): Promise<number> {
  const { run, state } = process;
  const stages: Promise<number>[] = [];
  let input: OpenDescription | undefined;
  let inputPipe: Channel | undefined;
  try {
    for (const [index, command] of commands.entries()) {
      const isAnnounced = await announceSimple(process, command);
      const isHere = index === commands.length - 1 && state.options.has("lastpipe");
      if (isHere && input && inputPipe) {
        const here = { ...process, inputPipe, isAnnounced };
        stages.push(settled(runHere(here, command, input)));
        break;
      }
      const child = {
        ...forkProcess(process),
        ...(inputPipe ? { inputPipe } : {}),
        isAnnounced,
      };
      if (input) await child.descriptors.set(0, input);
      if (index < commands.length - 1) {
        const channel = new Channel();
        inputPipe = channel;
        await child.descriptors.set(1, writerOf(channel));
        input = new OpenDescription({
          read: () => channel.read(),
          close: () => channel.closeReader(),
        });
      }
      stages.push(settled(runStage(child, command)));
    }
  } catch (error) {
    // The stages that run already must not wait for one that never starts.
    await input?.retain().release();
    await Promise.allSettled(stages);
    throw error;
  }
  const ended = await Promise.allSettled(stages);
  const failed = ended.find((stage) => stage.status === "rejected");
  if (failed) throw failed.reason;
  const statuses = ended.map((stage) => (stage.status === "fulfilled" ? stage.value : 1));
  run.budget.check();
  setPipeStatus(process, statuses);
  const last = statuses.at(-1) ?? 0;
  const status = state.options.has("pipefail")
    ? (statuses.findLast((one) => one !== 0) ?? 0)
    : last;
  state.status = status;
  await onFailure(process, status, state.traps.has("ERR"));
  return status;
}

/** Announces a simple command that a process of its own runs. @returns false for other commands, which do it themselves */
async function announceSimple(process: Process, command: Command | undefined): Promise<boolean> {
  if (command?.type !== "simple") return false;
  const announced = announceAt(process, command);
  if (announced) await announced;
  return true;
}

/** A stage, which may fail while the others still start: the failure is found at the end. */
function settled(stage: Promise<number>): Promise<number> {
  void stage.catch(() => {});
  return stage;
}

/** Runs the last stage in this shell, so that what it assigns stays. */
async function runHere(
  process: Process,
  command: Command,
  input: OpenDescription,
): Promise<number> {
  const { descriptors } = process;
  const before = descriptors.get(0)?.retain();
  await descriptors.set(0, input);
  try {
    return await runOne(process, command);
  } finally {
    await descriptors.set(0, before);
    await before?.release();
  }
}

async function runStage(child: Process, command: Command): Promise<number> {
  const { interpreter } = child.run;
  return interpreter.finish(child, () =>
    interpreter.runList(child, {
      items: [
        {
          first: { isNegated: false, commands: [command] },
          rest: [],
          isBackground: false,
          text: "",
        },
      ],
    }),
  );
}

function writerOf(channel: Channel): OpenDescription {
  return new OpenDescription({
    write: (bytes) => channel.write(bytes),
    close: () => channel.closeWriter(),
    hasReader: () => channel.hasReader,
  });
}

/** Starts an item beside this process, as `&` does. */
async function startJob(process: Process, item: ListItem): Promise<number> {
  const { run, state } = process;
  const { first, rest } = item;
  const isSole = rest.length === 0 && first.commands.length === 1 && !first.isNegated;
  const isAnnounced = isSole && (await announceSimple(process, first.commands[0]));
  const child = { ...forkProcess(process), isAnnounced, isSole, toleratesFailure: 0 };
  // Nobody at a terminal means a process in the background.
  if (!state.options.has("monitor"))
    for (const name of ["INT", "QUIT"]) child.state.traps.set(name, "");
  await child.descriptors.set(0, inputOf(new Uint8Array()));
  startBeside(process, child, {
    text: item.text,
    run: (job) => run.interpreter.runList(job, { items: [{ ...item, isBackground: false }] }),
  });
  state.status = 0;
  return 0;
}

async function printTime(process: Process, form: "bash" | "posix", ms: number): Promise<void> {
  const format = readVariable(process.state, "TIMEFORMAT") ?? DEFAULT_TIMES;
  const text = timesIn(form === "posix" ? POSIX_TIMES : format, ms / 1_000);
  await print(process, 2, text === "" ? "" : `${text}\n`);
}

const DEFAULT_TIMES = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
const POSIX_TIMES = "real %2R\nuser %2U\nsys %2S";

/** Times in the form of `TIMEFORMAT`; no program here uses a processor of its own. */
function timesIn(format: string, seconds: number): string {
  return format.replace(
    /%(%|([0-9])?(l)?([RUS])|P)/g,
    (_whole, what: string, digits?: string, long?: string, letter?: string) => {
      if (what === "%") return "%";
      if (what === "P") return "0.00";
      const value = letter === "R" ? seconds : 0;
      const places = Math.min(Number(digits ?? 3), 3);
      const minutes = Math.floor(value / 60);
      return long ? `${minutes}m${(value % 60).toFixed(places)}s` : value.toFixed(places);
    },
  );
}

export function isBrokenPipe(error: unknown): boolean {
  return (
    error instanceof BrokenPipeError ||
    (error instanceof Error && "exitCode" in error && error.exitCode === BROKEN_PIPE)
  );
}
