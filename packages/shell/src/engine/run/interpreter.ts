import { ArithmeticError } from "../arithmetic/error.ts";
import { JobTable } from "../jobs/job-table.ts";
import { startBeside } from "../jobs/start-job.ts";
import { createParser } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import { ExpansionError } from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import { startAnew } from "../state/shell-state.ts";
import type { Command, CompoundCommand, List, Redirection } from "../syntax/tree.ts";
import { TerminatedError } from "./budget.ts";
import { Channel } from "./channel.ts";
import { runCompound } from "./compound.ts";
import { FunctionReturn, LineEnd, LoopJump, ShellExit, statusOfFatal } from "./control.ts";
import { OpenDescription } from "./descriptors.ts";
import { defineFunction } from "./functions.ts";
import { isBrokenPipe, runItem } from "./pipelines.ts";
import {
  endable,
  forkProcess,
  type Interpreter,
  type Process,
  report,
  reportWarnings,
  WriteError,
} from "./process.ts";
import { applyRedirections, expandRedirections, RedirectionError } from "./redirections.ts";
import { runArguments, runSimple, runStarted } from "./simple.ts";
import { runSignalTraps, runTrap } from "./traps.ts";

const BROKEN_PIPE = 141;

/** Runs scripts; its parts call each other through it. */
export const interpreter: Interpreter = {
  async runList(process, { items }) {
    let status = 0;
    for (const item of items) {
      if (process.state.options.has("noexec")) return status;
      status = await runItem(process, item);
    }
    return status;
  },

  async runCommand(process, command) {
    try {
      const status = await runCommand(process, command);
      const reported = reportWarnings(process);
      if (reported) await reported;
      return status;
    } catch (error) {
      const status = await reportFailure(process, error);
      if (status === undefined) throw error;
      return status;
    }
  },

  async runText(process, text, { firstLine = 1, isPart = false } = {}) {
    const { state } = process;
    const parser = createParser(text, {
      firstLine,
      hasExtendedPatterns: () => state.options.has("extglob"),
      aliasOf: (name) =>
        state.options.has("expand_aliases") ? state.aliases.get(name) : undefined,
    });
    let status = 0;
    for (;;) {
      const line = await nextLine(process, parser, isPart);
      if (line === undefined) return status;
      if (typeof line === "number") return line;
      status = await runLine(process, line);
    }
  },

  runWords: (process, words, options) => runStarted(process, words, options),

  runScript(child, text, { name, file, args, isText = false, setUp = [] }) {
    startAnew(child.state, { name, file, args });
    const shell: Process = {
      ...endable(child, child.run),
      isSubshell: false,
      runsText: isText,
      toleratesFailure: 0,
      runningTraps: new Set(),
      jobs: new JobTable(),
    };
    return interpreter.finish(shell, async () => {
      for (const command of setUp) if ((await runArguments(shell, command, {})) !== 0) return 2;
      return interpreter.runText(shell, text);
    });
  },

  async finish(process, run) {
    const { budget, processes } = process.run;
    const { processId: id } = process.state;
    const former = processes.get(id);
    processes.set(id, process);
    budget.processStarted();
    try {
      const status = await statusAtEnd(process, run);
      process.state.status = status;
      return await runLastTraps(process, status);
    } finally {
      budget.processEnded();
      if (former) processes.set(id, former);
      else processes.delete(id);
      process.state.variables.release();
      await process.descriptors.closeAll();
    }
  },

  async openRedirections(process, redirections: readonly Redirection[]) {
    const expanded = await expandRedirections(process, redirections);
    await (await applyRedirections(process, expanded)).keep();
    return 0;
  },

  startCoprocess,
};

async function runCommand(process: Process, command: Command): Promise<number> {
  if (command.type === "simple") return runSimple(process, command);
  return command.type === "function"
    ? defineFunction(process, command)
    : runCompound(process, command);
}

/** Reports a failure that ends the command, or its line. @returns its status, or `undefined` for any other error */
async function reportFailure(process: Process, error: unknown): Promise<number | undefined> {
  if (error instanceof RedirectionError || error instanceof WriteError) {
    process.isUnopened = true;
    await report(process, error.message);
    return 1;
  }
  if (!(error instanceof ExpansionError || error instanceof ArithmeticError)) return undefined;
  // Here, where the redirections around the command still hold.
  await reportWarnings(process);
  await report(process, error.message);
  if (error instanceof ArithmeticError) throw new LineEnd(false);
  if (!error.isFatal) throw new LineEnd(!error.isCalculation);
  throw new ShellExit(process.state.options.has("errexit") ? 1 : statusOfFatal(process));
}

/** Runs a line of a script; the script goes on after one that a failed expansion ends. */
async function runLine(process: Process, line: List): Promise<number> {
  try {
    return await interpreter.runList(process, line);
  } catch (error) {
    // A subshell ends with such a line.
    if (!(error instanceof LineEnd) || process.isSubshell) throw error;
    const { state, toleratesFailure } = process;
    // A condition within the line, which ignores failures, has ended with it.
    if (error.isFailure && toleratesFailure === 0 && state.options.has("errexit"))
      throw new ShellExit(1);
    state.status = 1;
    return 1;
  }
}

/** The next line; the status of a syntax error, which ends the text. */
async function nextLine(
  process: Process,
  parser: ReturnType<typeof createParser>,
  isPart: boolean,
): Promise<List | number | undefined> {
  try {
    return parser.next();
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    const { state } = process;
    state.line = error.line;
    if (error.message !== "") await report(process, error.message);
    if (!error.isIncomplete && !error.isOfTest) await report(process, `\`${error.sourceLine}'`);
    if (error.isSubstitution && isPart) throw new ShellExit(statusOfFatal(process));
    // A wrong `[[ ]]` ends a script with the status that it had.
    if (error.isOfTest && !error.isIncomplete && !isPart) return state.status;
    state.status = 2;
    return 2;
  }
}

/** The status of a process behind its commands, or of the signal that has ended it. */
async function statusAtEnd(process: Process, run: () => Promise<number>): Promise<number> {
  const running = exitStatus(process, async () => {
    const status = await run();
    process.state.status = status;
    await runSignalTraps(process);
    return status;
  });
  return untilEnded(process, running);
}

/** The status of what a process runs, or of the signal that ends the process. */
async function untilEnded(process: Process, running: Promise<number>): Promise<number> {
  if (!process.isEndable) return running;
  const { ending } = process.run;
  try {
    const status = await ending.untilOver(running);
    if (!ending.signal && status !== undefined) return status;
  } catch (error) {
    if (!(error instanceof TerminatedError) || !ending.signal) throw error;
  }
  return 128 + (ending.signal?.number ?? 0);
}

/** The status that a process ends with. */
async function exitStatus(process: Process, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ShellExit || error instanceof FunctionReturn) return error.status;
    if (error instanceof LoopJump) return 0;
    if (isBrokenPipe(error)) return BROKEN_PIPE;
    if (error instanceof LineEnd) return 1;
    if (!(error instanceof ExpansionError)) throw error;
    // Outside of a command, as that of the name in `$(< name)`.
    await report(process, error.message);
    return statusOfFatal(process);
  }
}

/** Runs the traps of a process that ends: of the signal that has ended it, if it could not, and of `EXIT`. */
async function runLastTraps(process: Process, status: number): Promise<number> {
  const { run, state } = process;
  const signal = process.isEndable ? run.ending.signal : undefined;
  if (signal === undefined) return untilEnded(process, runExitTrap(process, status));
  if (signal.name === "KILL") return status;
  // Traps can't run in the part that the signal has ended.
  const last = { ...process, run: run.outside ?? run };
  const trapped = await exitStatus(last, async () => {
    await runTrap(last, signal.name);
    return status;
  });
  state.status = trapped;
  return runExitTrap(last, trapped);
}

async function runExitTrap(process: Process, status: number): Promise<number> {
  if (!process.state.traps.has("EXIT") || process.hasExited) return status;
  process.hasExited = true;
  return exitStatus(process, async () => {
    await runTrap(process, "EXIT");
    return status;
  });
}

async function startCoprocess(
  process: Process,
  { name, body }: Extract<CompoundCommand, { type: "coprocess" }>,
): Promise<number> {
  const [input, output] = [new Channel(), new Channel()];
  const end = (channel: Channel, isReader: boolean): OpenDescription =>
    new OpenDescription(
      isReader
        ? { read: () => channel.read(), close: () => channel.closeReader() }
        : {
            write: (bytes) => channel.write(bytes),
            close: () => channel.closeWriter(),
            hasReader: () => channel.hasReader,
          },
    );
  const child = forkProcess(process);
  await child.descriptors.set(0, end(input, true));
  await child.descriptors.set(1, end(output, false));
  const { run, state } = process;
  startBeside(process, child, {
    text: name,
    run: (job) => run.interpreter.runCommand(job, body),
  });
  const [reader, writer] = [process.descriptors.free(), process.descriptors.free() + 1];
  await process.descriptors.set(reader, end(output, true));
  await process.descriptors.set(writer, end(input, false));
  state.variables.set(name, new IndexedArray([String(reader), String(writer)]));
  state.variables.set(`${name}_PID`, String(child.state.processId));
  return 0;
}
