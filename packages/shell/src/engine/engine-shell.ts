import { Bash } from "#just-bash";
import {
  concatBytes,
  decodeText,
  encodeText,
  type FileSystem,
  type ShellResult,
} from "@robota/runtime/ports";
import { toEngineCommand } from "../command.ts";
import { addedCommands, configuredCommands } from "../commands/all.ts";
import { createDevices } from "../files/devices.ts";
import { EngineFiles } from "../files/engine-files.ts";
import { createShellFiles } from "../files/shell-files.ts";
import { engineLimits } from "../limits.ts";
import { createPacer } from "../pacer.ts";
import { createStop } from "../stop.ts";
import { bundledPrograms } from "./programs/bundled.ts";
import { env } from "./programs/env.ts";
import { shellPrograms } from "./programs/shells.ts";
import { AbortedError, RunBudget, LimitError, type Limits } from "./run/budget.ts";
import { DescriptorTable, inputOf, OpenDescription } from "./run/descriptors.ts";
import { createOpenFiles } from "./run/files.ts";
import { interpreter } from "./run/interpreter.ts";
import type { Guard, Process, Program, Run } from "./run/process.ts";
import { createState } from "./state/shell-state.ts";

export interface EngineShellOptions {
  readonly files: FileSystem;
  readonly guard?: Guard | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

export interface EngineExecOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

const LIMITS: Limits = {
  commands: 1_000_000,
  loopIterations: 1_000_000,
  callDepth: 100,
  outputBytes: 64 * 1024 * 1024,
  processes: 256,
};

/**
 * Runs scripts by this engine, with the commands of this package and, until all are our own, those of the bundle. Not
 * yet what `VirtualShell` runs: `test/shared/shell/engine-conformance.test.ts` says what is missing.
 */
export function createEngineShell({ files, guard, limits: own }: EngineShellOptions): {
  exec(command: string, options: EngineExecOptions): Promise<ShellResult>;
} {
  const limits = engineLimits();
  const originals = new Bash({
    fs: new EngineFiles(files, { runStatement: (_statement, run) => run() }),
    cwd: "/",
    env: {},
    executionLimits: limits,
    defenseInDepth: false,
  }).commands;
  const added = [...addedCommands, ...configuredCommands({ fs: files })].map(toEngineCommand);
  const commands = new Map([
    ...originals,
    ...added.map((command) => [command.name, command] as const),
  ]);
  const present = new Set<string>();
  return {
    async exec(command, options) {
      using stop = createStop(options.signal, options.timeoutMs);
      const pacer = createPacer();
      const pace = (steps?: number): Promise<void> | undefined => {
        if (!pacer.due(steps)) return undefined;
        stop.check();
        return pacer.pause();
      };
      const output = { 1: collector(), 2: collector() };
      const devices = createDevices({ commands, print() {} });
      const assumed = ["/tmp", "/home/user"];
      const shellFiles = createShellFiles({ files, devices, assumed, present, pace });
      const bundled = bundledPrograms({
        commands,
        originals,
        limits,
        pace,
      });
      const programs = new Map<string, Program>(
        [...bundled, ...shellPrograms(), env].map((program) => [program.name, program]),
      );
      const run: Run = {
        budget: new RunBudget({ ...LIMITS, ...own }, { signal: stop.signal, pace }),
        files: createOpenFiles(shellFiles.fs),
        signal: stop.signal,
        guard,
        programs,
        jobs: new Map(),
        background: new Set(),
        nextProcessId: 1,
        interpreter,
      };
      const process = await createProcess(run, options, output);
      let exitCode = await runToEnd(process, command);
      if (stop.reason) exitCode = stop.reason === "aborted" ? 130 : 124;
      return {
        stdout: decodeText(output[1].bytes()),
        stderr: decodeText(output[2].bytes()),
        exitCode,
        timedOut: stop.reason === "timed out",
        truncated: false,
      };
    },
  };
}

async function createProcess(
  run: Run,
  { cwd, env, stdin }: EngineExecOptions,
  output: Record<1 | 2, Collector>,
): Promise<Process> {
  const environment = {
    HOME: "/home/user",
    SHELL: "/bin/bash",
    USER: "user",
    PATH: "/usr/bin:/bin",
    ...env,
    PWD: cwd,
  };
  const descriptors = new DescriptorTable();
  await descriptors.set(0, inputOf(encodeText(stdin ?? "")));
  await descriptors.set(1, output[1].file);
  await descriptors.set(2, output[2].file);
  return {
    run,
    state: createState("bash", cwd, environment),
    descriptors,
    toleratesFailure: 0,
    loopDepth: 0,
    isSubshell: false,
    isInTrap: false,
    hasExited: false,
    substitutionStatus: undefined,
    opened: [],
  };
}

/** Runs a script, and waits for what it left in the background. */
async function runToEnd(process: Process, command: string): Promise<number> {
  const { run } = process;
  const errors = process.descriptors.get(2)?.retain();
  try {
    return await run.interpreter.finish(process, () => run.interpreter.runText(process, command));
  } catch (error) {
    if (!(error instanceof LimitError)) {
      if (error instanceof AbortedError) return 130;
      throw error;
    }
    await errors?.write(encodeText(`bash: ${error.message}\n`));
    return error.exitCode;
  } finally {
    await Promise.allSettled(run.background);
    await run.files.flush();
  }
}

interface Collector {
  readonly file: OpenDescription;
  bytes(): Uint8Array;
}

function collector(): Collector {
  const chunks: Uint8Array[] = [];
  const file = new OpenDescription({
    write(bytes) {
      chunks.push(bytes);
      return undefined;
    },
  });
  return { file, bytes: () => concatBytes(chunks) };
}
