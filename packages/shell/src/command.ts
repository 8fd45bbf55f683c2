import { errorMessage, type FileSystem, resolvePath } from "@robota/runtime/ports";
import type { EngineCommand, EngineCommandContext, EngineResult } from "#just-bash";
import { EngineFiles } from "./files/engine-files.ts";
import type { RunFetch } from "./network.ts";
import { createCommandFiles } from "./files/command-files.ts";
import { decodeByteString, fromByteString, toByteString } from "./bytes.ts";

export interface ShellCommandResult {
  /** Bytes, or text that is written as UTF-8. */
  stdout?: string | Uint8Array;
  stderr?: string;
  /** Default 0. */
  exitCode?: number;
}

export interface ShellCommandContext {
  /** The files as the script sees them, `/dev` and `/tmp` included. */
  readonly fs: FileSystem;
  readonly cwd: string;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /**
   * Call it for each line or round of what may take long, with a number of steps when one costs more than that, and
   * await what it answers: the host's event loop then gets its turns, and the promise rejects once the command has to
   * end. `undefined` as long as it is not time yet, so that a loop need not wait.
   */
  readonly pace: (steps?: number) => Promise<void> | undefined;
  /** Whether the command has to end, for code that can't wait: it looks at the clock, and an abort needs a turn. */
  readonly isOver: () => boolean;
  /** Rounds of one loop of a program in a language of its own. */
  readonly mostRounds: number;
  /** Of the longest text that a program may put together, in characters. */
  readonly mostCharacters: number;
  /** Everything that was piped in or redirected. */
  readonly stdinBytes: () => Uint8Array;
  /** The same as text; bytes that are no UTF-8 become U+FFFD. */
  readonly stdin: () => string;
  /**
   * The next part of what is piped in, while the programs before this one still run; `undefined` at the end. Missing
   * where all of it is there already, and who takes it must not ask for `stdin` too.
   */
  readonly nextInput?: () => Promise<Uint8Array | undefined>;
  /**
   * Hands output on while the program runs, whole lines of it at a time. Await what it answers: it rejects when nobody
   * reads on, which ends the program as it ends others. Missing where output is wanted at the end, as `stdout`.
   */
  readonly print?: (output: Uint8Array) => Promise<void> | undefined;
  /** Throws as `print` rejects when nobody reads on, for a program that reads much and prints little. */
  readonly assertReader?: () => void;
  /** The network of `git`, judged by the rules of this run. */
  readonly gitFetch?: RunFetch;
  /** `path` as an absolute one. */
  readonly resolve: (path: string) => string;
  /** Runs a program with arguments that no shell looks at. */
  readonly run: (
    program: string,
    args: readonly string[],
    stdin?: string,
  ) => Promise<Required<ShellCommandResult>>;
  /** Runs the command of the same name that this one replaces. */
  readonly original: (args: readonly string[]) => Promise<Required<ShellCommandResult>>;
}

/** A program of the virtual shell. One that throws fails with the message on stderr and exit code 1. */
export interface ShellCommand {
  name: string;
  run(
    args: readonly string[],
    context: ShellCommandContext,
  ): ShellCommandResult | Promise<ShellCommandResult>;
}

const ABORTED = 130;
const BROKEN_PIPE = 141;
/** Looking at the clock costs more than most steps do. */
const STEPS_PER_LOOK = 32;

/** `command` for the interpreter. */
export function toEngineCommand(command: ShellCommand): EngineCommand {
  return {
    name: command.name,
    async execute(args, context) {
      try {
        // Of those that replace one, the one that is replaced says how it is used.
        if (args.length === 1 && args[0] === "--help" && context.origCommand)
          return await context.origCommand(args);
        const result = await command.run(args, createContext(context));
        return toEngineResult(result);
      } catch (error) {
        if (context.signal?.aborted !== true && isBrokenPipe(error)) {
          return { stdout: "", stderr: "", exitCode: BROKEN_PIPE };
        }
        // Whoever ended it knows.
        if (context.signal?.aborted) return { stdout: "", stderr: "", exitCode: ABORTED };
        const stderr = `${command.name}: ${errorMessage(error)}\n`;
        return { stdout: "", stderr, exitCode: 1 };
      }
    },
  };
}

/** Whether it was thrown at who prints where nobody reads, which no program can make good. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "exitCode" in error && error.exitCode === BROKEN_PIPE;
}

function bytesOf(part: string | undefined): Uint8Array | undefined {
  return part === undefined ? undefined : fromByteString(part);
}

function createContext(context: EngineCommandContext): ShellCommandContext {
  const { cwd, exportedEnv: env = {} } = context;
  let { signal } = context;
  const { read, write, assertReader } = context.stream ?? {};
  const gitFetch = context.fs instanceof EngineFiles ? context.fs.gitFetch : undefined;
  return {
    ...(gitFetch ? { gitFetch } : {}),
    ...(read ? { nextInput: async () => bytesOf(await read()) } : {}),
    ...(write ? { print: (output) => write(toByteString(output)) } : {}),
    ...(assertReader ? { assertReader } : {}),
    fs: createCommandFiles(context.fs),
    cwd,
    env,
    // Few programs ask for it, and one that nothing can abort costs as much as the rest of this.
    get signal() {
      return (signal ??= new AbortController().signal);
    },
    pace: createPace(context.fs),
    mostRounds: context.limits?.maxAwkIterations ?? Number.POSITIVE_INFINITY,
    mostCharacters: context.limits?.maxStringLength ?? Number.POSITIVE_INFINITY,
    isOver: () => signal?.aborted === true || context.fs.isOver?.() === true,
    stdinBytes: () => fromByteString(context.stdin),
    stdin: () => decodeByteString(context.stdin),
    resolve: (path) => resolvePath(cwd, path),
    async run(program, args, stdin) {
      if (!context.exec) throw new Error("it can't start other programs here");
      const input = stdin === undefined ? {} : { stdin };
      const quoted = `'${program.replaceAll("'", "'\\''")}'`;
      return fromEngineResult(
        await context.exec(quoted, {
          cwd,
          env,
          args: [...args],
          ...(signal ? { signal } : {}),
          ...input,
        }),
      );
    },
    async original(args) {
      if (!context.origCommand) throw new Error("there is no original command of this name");
      return fromEngineResult(await context.origCommand([...args]));
    },
  };
}

function createPace(fs: EngineCommandContext["fs"]): ShellCommandContext["pace"] {
  let steps = 0;
  return (count = 1) => {
    steps += count;
    if (steps < STEPS_PER_LOOK) return undefined;
    const looks = Math.floor(steps / STEPS_PER_LOOK);
    steps = 0;
    return fs.pace?.(looks);
  };
}

function toEngineResult({
  stdout = "",
  stderr = "",
  exitCode = 0,
}: ShellCommandResult): EngineResult {
  return typeof stdout === "string"
    ? { stdout, stderr, exitCode, stdoutKind: "text" }
    : {
        stdout: toByteString(stdout),
        stderr,
        exitCode,
        stdoutKind: "bytes",
        stdoutEncoding: "binary",
      };
}

function fromEngineResult(result: EngineResult): Required<ShellCommandResult> {
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
  const stdout = isBytes ? fromByteString(result.stdout) : result.stdout;
  return { stdout, stderr: result.stderr, exitCode: result.exitCode };
}
