import { errorMessage, type FileSystem, resolvePath } from "@robota/runtime/ports";
import type { EngineCommand, EngineCommandContext } from "./engine/programs/engine-command.ts";
import { EngineFiles } from "./files/engine-files.ts";
import type { RunFetch } from "./network.ts";
import { createCommandFiles } from "./files/command-files.ts";
import { decodeByteString, fromByteString } from "./bytes.ts";

/** The outcome of a custom command. */
export interface ShellCommandResult {
  /** Bytes, or text to encode as UTF-8. */
  stdout?: string | Uint8Array;
  stderr?: string;
  /** Default 0. */
  exitCode?: number;
}

/** The files of a working tree, which rules let `git` write in circumstances where other commands may not. */
export interface GitWorktree {
  /** `cloned`: the directory that a clone has just created. */
  files(cloned: string | undefined): FileSystem;
  /** The reasons why some of these files can't be written, in order. */
  refusals(
    paths: readonly string[],
    cloned: string | undefined,
  ): Promise<readonly string[]> | readonly string[];
}

/** The surroundings of a custom command: files, working directory, variables and input. */
export interface ShellCommandContext {
  /** The files as the script sees them, `/dev` and `/tmp` included. */
  readonly fs: FileSystem;
  readonly cwd: string;
  /** Rights that new files don't have, as `umask` set them. Those that `fs` creates lack them already. */
  readonly umask: number;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /**
   * Yields to the host's event loop when due. Call it for each line or iteration of long work, with a number of steps
   * when one costs more than that, and await the result: the promise rejects once the command must end. `undefined`
   * until it is time, so that a loop need not wait.
   */
  readonly pace: (steps?: number) => Promise<void> | undefined;
  /**
   * True once the command must end, for code that can't wait: it checks the clock, since an abort needs a turn of the
   * event loop.
   */
  readonly isOver: () => boolean;
  /**
   * Maximum iterations of one loop of a program in an interpreted language such as awk, or of its commands for one line.
   */
  readonly maxIterations: number;
  /** Maximum length of a text that a program builds, in characters. */
  readonly maxCharacters: number;
  /** All piped or redirected input, once it is written. */
  readonly input: () => Promise<Uint8Array>;
  /**
   * The same input for code that can't wait. While it is still being written, this throws, and the command is started
   * again with all of it: ask before anything else has an effect, or use `input`.
   */
  readonly stdinBytes: () => Uint8Array;
  /** The same input as text; invalid UTF-8 becomes U+FFFD. */
  readonly stdin: () => string;
  /**
   * Reads the next chunk of piped input while the programs before this one still run; `undefined` at the end. Missing
   * when the input is already complete. A command that calls it must not also ask for `stdin`.
   */
  readonly nextInput?: (() => Promise<Uint8Array | undefined>) | undefined;
  /**
   * Streams output while the program runs, in whole lines. Await the result: it rejects when the reader has gone, which
   * ends the program with a broken pipe. Missing when the output is expected at the end, as `stdout`.
   */
  readonly print?: ((output: Uint8Array) => Promise<void> | undefined) | undefined;
  /** The file that the input comes from, if it is one. */
  readonly inputPath?: string | undefined;
  /** The file that the output goes to, if it is one. */
  readonly outputPath?: string | undefined;
  /** Throws the rejection of `print` when the reader has gone, for a program that reads much and prints little. */
  readonly assertReader?: (() => void) | undefined;
  /** The network access of `curl`, under the network policy of this run. */
  readonly curlFetch?: RunFetch | undefined;
  /** The network access of `git`, under the network policy of this run. */
  readonly gitFetch?: RunFetch | undefined;
  /** The inside of repositories for `git`, when the rules of this run let it write there. */
  readonly gitFiles?: FileSystem | undefined;
  /** The working tree for `git`, under the rules of this run. */
  readonly gitWorktree?: GitWorktree | undefined;
  /** Resolves `path` to an absolute path. */
  readonly resolve: (path: string) => string;
  /** Runs a program with arguments that no shell expands. */
  readonly run: (
    program: string,
    args: readonly string[],
    stdin?: string,
  ) => Promise<Required<ShellCommandResult>>;
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
/** Steps between two checks of the clock, since a check costs more than most steps. */
const STEPS_PER_LOOK = 32;

/** Gives `command` the form that the engine runs. */
export function toEngineCommand(command: ShellCommand): EngineCommand {
  return {
    name: command.name,
    async execute(args, context) {
      try {
        const result = await command.run(args, createContext(context));
        const { stdout = "", stderr = "", exitCode = 0 } = result;
        // As those that it prints, its bytes remain its own.
        return { stdout: typeof stdout === "string" ? stdout : stdout.slice(), stderr, exitCode };
      } catch (error) {
        if (context.signal?.aborted !== true && isBrokenPipe(error)) {
          return { stdout: "", stderr: "", exitCode: BROKEN_PIPE };
        }
        // The caller that aborted needs no message.
        if (context.signal?.aborted) return { stdout: "", stderr: "", exitCode: ABORTED };
        const stderr = `${command.name}: ${errorMessage(error)}\n`;
        return { stdout: "", stderr, exitCode: 1 };
      }
    },
  };
}

/** Reports whether the error came from printing to a closed pipe, which no program can recover from. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "exitCode" in error && error.exitCode === BROKEN_PIPE;
}

function hooksOf(
  fs: EngineCommandContext["fs"],
): Partial<Pick<EngineFiles, "curlFetch" | "gitFetch" | "gitFiles" | "gitWorktree">> {
  return fs instanceof EngineFiles ? fs : {};
}

function createContext(context: EngineCommandContext): ShellCommandContext {
  const { cwd, umask, exportedEnv: env = {} } = context;
  let { signal } = context;
  const { read, readAll, write, assertReader, inputPath, outputPath } = context.stream ?? {};
  const stdinBytes = (): Uint8Array => fromByteString(context.stdin);
  const { curlFetch, gitFetch, gitFiles, gitWorktree } = hooksOf(context.fs);
  return {
    gitFiles,
    gitWorktree,
    curlFetch,
    gitFetch,
    nextInput: read,
    input: async () => (readAll ? readAll() : stdinBytes()),
    // The caller may use its bytes again, and the reader gets them later.
    print: write && ((output) => write(output.slice())),
    assertReader,
    inputPath,
    outputPath,
    fs: createCommandFiles(context.fs),
    cwd,
    umask,
    env,
    // A getter, since few programs ask for the signal, and creating one that nothing aborts costs as much as everything
    // else here.
    get signal() {
      return (signal ??= new AbortController().signal);
    },
    pace: createPace(context.fs),
    maxIterations: context.limits?.maxIterations ?? Number.POSITIVE_INFINITY,
    maxCharacters: context.limits?.maxCharacters ?? Number.POSITIVE_INFINITY,
    isOver: () => signal?.aborted === true || context.fs.isOver?.() === true,
    stdinBytes,
    stdin: () => decodeByteString(context.stdin),
    resolve: (path) => resolvePath(cwd, path),
    async run(program, args, stdin) {
      if (!context.exec) throw new Error("starting other programs is not supported here");
      return context.exec(program, { cwd, env, args, stdin });
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
