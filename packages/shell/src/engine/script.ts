import { encodeText, errorMessage, type FileSystem } from "@robota/runtime/ports";
import type { RunHooks } from "../files/engine-files.ts";
import type { OutputLog } from "../output.ts";
import type { ShellState } from "../session.ts";
import type { Engine } from "./engine.ts";
import { Ending } from "./jobs/ending.ts";
import { JobTable } from "./jobs/job-table.ts";
import { AbortedError, LimitError, RunBudget } from "./run/budget.ts";
import { DescriptorTable, inputOf, OpenDescription } from "./run/descriptors.ts";
import { createOpenFiles } from "./run/files.ts";
import { interpreter } from "./run/interpreter.ts";
import { endable, type Guard, type Process, type Run } from "./run/process.ts";
import { createState } from "./state/shell-state.ts";

export const DEFAULT_PATH = "/usr/bin:/bin";

export interface ScriptOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  readonly files: FileSystem;
  readonly guard: Guard | undefined;
  readonly pace: () => Promise<void> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly hooks: RunHooks;
  readonly print: OutputLog["write"];
}

/** A run of one script. */
export interface Script {
  /** @returns the status. Resolves for every outcome. */
  run(text: string): Promise<number>;
  /** The directory and the exported variables at this moment. */
  state(): ShellState;
}

export function startScript(engine: Engine, options: ScriptOptions): Script {
  const { cwd, env, stdin, signal, guard, hooks, files, pace } = options;
  const { programs, programLimits: limits } = engine;
  const budget = new RunBudget(engine.limits, { signal, pace });
  let processId = 1;
  const run: Run = {
    budget,
    files: createOpenFiles(files, (bytes) => budget.output(bytes)),
    signal,
    guard,
    programs,
    host: { limits, hooks },
    replacedBuiltins: engine.replacedBuiltins,
    processes: new Map(),
    ending: new Ending(),
    outside: undefined,
    background: new Set(),
    nextProcessId: () => ++processId,
    interpreter,
  };
  const shell: Process = {
    run,
    state: createState("bash", cwd, { PATH: DEFAULT_PATH, ...env, PWD: cwd }, budget.memory),
    descriptors: new DescriptorTable(),
    toleratesFailure: 0,
    loopDepth: 0,
    isSubshell: false,
    runsText: true,
    isEndable: false,
    isSole: false,
    jobs: new JobTable(),
    isUnopened: false,
    runningTraps: new Set(),
    hasExited: false,
    substitutionStatus: undefined,
    opened: [],
    isAnnounced: false,
    inputPipe: undefined,
  };
  const process = endable(shell, run);
  return {
    async run(text) {
      const outputs = [
        printer("stdout", options.print, run.budget),
        printer("stderr", options.print, run.budget),
      ] as const;
      await process.descriptors.set(0, inputOf(encodeText(stdin ?? "")));
      await process.descriptors.set(1, outputs[0].file);
      await process.descriptors.set(2, outputs[1].file);
      const status = await runToEnd(process, text, options.print);
      for (const output of outputs) output.end();
      return status;
    },
    state: () => ({ cwd: process.state.cwd, env: process.state.variables.exported() }),
  };
}

/** Runs a script, and waits for what it left in the background. */
async function runToEnd(
  process: Process,
  command: string,
  print: OutputLog["write"],
): Promise<number> {
  // The shell itself may be ended; the run goes on.
  const run = process.run.outside ?? process.run;
  try {
    const status = await run.interpreter.finish(process, () =>
      run.interpreter.runText(process, command),
    );
    await settleAll(run.background);
    run.budget.check();
    return status;
  } catch (error) {
    if (error instanceof AbortedError) return 130;
    const failure = asLimit(error);
    // Anything else but a limit is a fault of the interpreter, or of a file system outside of the port's contract.
    print("stderr", `bash: ${errorMessage(failure)}\n`);
    return failure instanceof LimitError ? failure.exitCode : 1;
  } finally {
    await run.files.flush();
  }
}

/** Waits for processes, and for those that they start meanwhile. */
async function settleAll(processes: ReadonlySet<Promise<number>>): Promise<void> {
  let count: number;
  do {
    count = processes.size;
    await Promise.allSettled(processes);
  } while (processes.size > count);
}

/** The host's own limits, of texts and of nested calls, are limits as well. */
function asLimit(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  const isText = /string/i.test(error.message);
  return new LimitError(isText ? "string length limit exceeded" : `too deep: ${error.message}`);
}

/** A stream of the script's text; a character may arrive in parts. */
function printer(
  stream: "stdout" | "stderr",
  print: OutputLog["write"],
  budget: RunBudget,
): { file: OpenDescription; end(): void } {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    file: new OpenDescription({
      write(bytes) {
        budget.output(bytes.length);
        print(stream, decoder.decode(bytes, { stream: true }));
        return undefined;
      },
    }),
    end: () => print(stream, decoder.decode()),
  };
}
