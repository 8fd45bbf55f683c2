import type { FileSystem } from "@robota/runtime/ports";
import type { ProgramLimits } from "../../limits.ts";
import type { RunHooks } from "../../files/engine-files.ts";
import { Ending } from "../jobs/ending.ts";
import type { JobTable } from "../jobs/job-table.ts";
import { forkState, type ShellState } from "../state/shell-state.ts";
import type { Command, CompoundCommand, List, Redirection } from "../syntax/tree.ts";
import { encodeShellText } from "../text/bytes.ts";
import type { RunBudget } from "./budget.ts";
import type { Channel } from "./channel.ts";
import { ShellExit } from "./control.ts";
import type { DescriptorTable } from "./descriptors.ts";
import type { OpenFiles } from "./files.ts";

/** A command before it runs, for the judge of a run. */
export interface GuardedCommand {
  /** The name and the arguments, after expansion. */
  readonly words: readonly string[];
  /** The assignments before it, after expansion. */
  readonly assignments: readonly (readonly [name: string, value: string])[];
  /** The redirections of it, after expansion. */
  readonly redirections: readonly { readonly operator: string; readonly target: string }[];
  readonly cwd: string;
}

/** The judge of a run; it may take its time, as when it asks a person. */
export interface Guard {
  /** The reason to refuse a command; `undefined` allows it. */
  refuses(command: GuardedCommand): Promise<string | undefined> | string | undefined;
}

/** A program that is no part of the shell. */
export interface Program {
  readonly name: string;
  /** @returns the status */
  run(call: ProgramCall): Promise<number>;
}

export interface ProgramCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly process: Process;
}

/** Limits and hooks of a run, for its programs. */
export interface ProgramHost {
  readonly limits: ProgramLimits;
  readonly hooks: RunHooks;
}

/** The part that all processes of a run share. */
export interface Run {
  readonly budget: RunBudget;
  readonly files: OpenFiles;
  readonly signal: AbortSignal | undefined;
  readonly guard: Guard | undefined;
  readonly programs: ReadonlyMap<string, Program>;
  readonly host: ProgramHost;
  /** Names of builtins in whose place a program runs. */
  readonly replacedBuiltins: ReadonlySet<string>;
  /** The processes that run, by their numbers. */
  readonly processes: Map<number, Process>;
  /** The end of this part of the run, which its budget and its signal know. */
  readonly ending: Ending;
  /** The run that this is a part of. */
  readonly outside: Run | undefined;
  /** Processes that nobody waits for, except the end of the run. */
  readonly background: Set<Promise<number>>;
  readonly nextProcessId: () => number;
  readonly interpreter: Interpreter;
}

/** The parts of the interpreter that builtins, programs and expansions call back. */
export interface Interpreter {
  /** Runs commands in this process. @returns the status */
  runList(process: Process, list: List): Promise<number>;
  runCommand(process: Process, command: Command): Promise<number>;
  /** Runs a script's text in this process, line by line. */
  runText(
    process: Process,
    text: string,
    options?: {
      firstLine?: number;
      /** The text belongs to a script, which ends with a substitution in it that can't be parsed. */
      isPart?: boolean;
    },
  ): Promise<number>;
  /** Runs words as a command, without expansion. */
  runWords(process: Process, words: readonly string[], options: RunWordsOptions): Promise<number>;
  /** Runs a script in a process that was made for it. */
  runScript(child: Process, text: string, call: ScriptCall): Promise<number>;
  /** Ends a process: its `EXIT` trap, its descriptors. @returns the status */
  finish(process: Process, run: () => Promise<number>): Promise<number>;
  /** Opens redirections for good. @returns the status */
  openRedirections(process: Process, redirections: readonly Redirection[]): Promise<number>;
  startCoprocess(
    process: Process,
    command: Extract<CompoundCommand, { type: "coprocess" }>,
  ): Promise<number>;
}

export interface ScriptCall {
  readonly name: string;
  /** The file of the script, if it has one. */
  readonly file?: string | undefined;
  readonly args: readonly string[];
  /** True for the argument of `bash -c`. */
  readonly isText?: boolean;
  /** Commands that run before it, such as `set -e`; one that fails ends the shell with status 2. */
  readonly setUp?: readonly (readonly string[])[];
}

export interface RunWordsOptions {
  /** Functions don't count, as for `command`. */
  skipsFunctions?: boolean;
  /** Builtins don't count either, as for `exec`. */
  skipsBuiltins?: boolean;
  /** Only builtins count, as for `builtin`. */
  skipsPrograms?: boolean;
  /** Files on `PATH` don't count, as for `command -p`. */
  skipsPath?: boolean;
  /** The name that the program is given, as by `exec -a`. */
  shownAs?: string | undefined;
}

/** A shell or a subshell while it runs. */
export interface Process {
  readonly run: Run;
  readonly state: ShellState;
  readonly descriptors: DescriptorTable;
  /** Above 0 where a failure doesn't end the shell: in conditions, before `&&`, behind `!`. */
  toleratesFailure: number;
  loopDepth: number;
  readonly isSubshell: boolean;
  /** True for the shell of a text, as of `bash -c`; false for a subshell and for that of a file. */
  readonly runsText: boolean;
  /** A signal can end it, with all that it waits for: its run is a part of its own. */
  readonly isEndable: boolean;
  /** True when nothing is left to do but the present command, which runs in its place. */
  isSole: boolean;
  readonly jobs: JobTable;
  /** A redirection of the present command failed, so that it did not run. */
  isUnopened: boolean;
  /** The events whose traps run; no trap sets itself off. */
  readonly runningTraps: Set<string>;
  /** The trap of `EXIT` has run. */
  hasExited: boolean;
  /** The status of the last substitution, which a command without words has. */
  substitutionStatus: number | undefined;
  /** Substituted processes of the present command, closed behind it. */
  readonly opened: number[];
  /** The command to run is announced: the shell that made this process has run its trap of `DEBUG`. */
  isAnnounced: boolean;
  /** The pipe that this stage of a pipeline reads. */
  readonly inputPipe: Channel | undefined;
}

export function forkProcess(process: Process): Process {
  const { run } = process;
  run.budget.check();
  return {
    ...process,
    state: forkState(process.state, run.nextProcessId()),
    descriptors: process.descriptors.fork(),
    isSubshell: true,
    runsText: false,
    isEndable: false,
    isSole: false,
    jobs: process.jobs.fork(),
    isUnopened: false,
    hasExited: false,
    runningTraps: new Set(process.runningTraps),
    loopDepth: 0,
    substitutionStatus: undefined,
    opened: [],
    isAnnounced: false,
  };
}

/** Makes a process for a shell or a program that runs in this one, or in its place when it has nothing else to do. */
export function spawnProcess(process: Process): Process {
  const child = forkProcess(process);
  if (process.isSole) {
    const { processId, starterId } = process.state;
    Object.assign(child.state, { processId, starterId });
  }
  return child;
}

/** A process whose run is a part of another one, to be ended by itself. */
export function endable(process: Process, outside: Run): Process {
  const ending = new Ending();
  const run: Run = {
    ...outside,
    outside,
    ending,
    budget: outside.budget.until(ending),
    signal: outside.signal ? AbortSignal.any([outside.signal, ending.aborted]) : ending.aborted,
  };
  return { ...process, run, isEndable: true };
}

/** The files as the process opens and creates them. */
export function openFilesOf({ run, state }: Process): OpenFiles {
  return run.files.under(state.umask);
}

export function filesOf(process: Process): FileSystem {
  return openFilesOf(process).fs;
}

/** Writes text to a descriptor; a closed one is an error. */
export async function print(process: Process, number: number, text: string): Promise<void> {
  if (text === "") return;
  const file = process.descriptors.get(number);
  if (!file?.canWrite) throw new WriteError();
  const bytes = encodeShellText(text);
  process.run.budget.flow(bytes.length);
  await file.write(bytes);
}

/** A write to a descriptor that is closed or not open for writing. */
export class WriteError extends Error {
  override readonly name = "WriteError" as const;

  constructor() {
    super("write error: Bad file descriptor");
  }
}

/** Reports an error as bash does: with the file of the function or the shell's name, and the line. */
export async function report(process: Process, message: string): Promise<void> {
  const { state } = process;
  const name = state.frames[0]?.source ?? state.name;
  try {
    await print(process, 2, `${name}: line ${state.line}: ${message}\n`);
  } catch (error) {
    // Nobody reads the errors.
    if (
      !(error instanceof WriteError) &&
      !(error instanceof Error && "exitCode" in error && error.exitCode === 141)
    )
      throw error;
  }
}

/** Reports what went wrong without an end of the command, except under `set -e`. Await the result, unless it is `undefined`. */
export function reportWarnings(process: Process): Promise<void> | undefined {
  return process.state.warnings.length > 0 ? reportAll(process) : undefined;
}

async function reportAll(process: Process): Promise<void> {
  const { warnings, options } = process.state;
  for (const message of warnings.splice(0)) await report(process, message);
  if (options.has("errexit")) throw new ShellExit(1);
}

/** Lets a process run beside the others; the end of the run waits for it, and its failure is that of the run. */
export function runBeside({ background }: Run, end: Promise<number>): void {
  background.add(end);
  // Awaited at the end, when it may have failed long before.
  void end.catch(() => {});
}
