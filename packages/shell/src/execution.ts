import type { Bash, EngineResult, InterpreterState, OutputSink } from "#just-bash";
import {
  decodeText,
  errorMessage,
  FileSystemError,
  ShellError,
  type AccessRules,
  type FileSystem,
  type ShellOptions,
  type ShellResult,
} from "@robota/runtime/ports";
import type { GitWorktree } from "./command.ts";
import { splitLongRanges } from "./engine/brace-ranges.ts";
import {
  createCommandGuard,
  type RefusesCommand,
  refusesCommandOf,
} from "./engine/command-guard.ts";
import { createDevices } from "./files/devices.ts";
import type { Engine } from "./engine/engine.ts";
import { EngineFiles } from "./files/engine-files.ts";
import {
  guardFiles,
  guardGitFiles,
  guardWorktree,
  refusesWorktreeFile,
} from "./files/guarded-files.ts";
import type { RunNetwork } from "./network.ts";
import { createOutputLog } from "./output.ts";
import { createPacer } from "./pacer.ts";
import { createRefusals } from "./refusals.ts";
import type { ShellState } from "./session.ts";
import { createShellFiles, type ShellFiles, type ShellFilesOptions } from "./files/shell-files.ts";
import { createStop } from "./stop.ts";

/** Time for an aborted command to unwind before it is abandoned. */
const UNWIND_MS = 100;

export interface ExecutionOptions extends ShellOptions {
  /** Called once at the end with the final state, also after `exit` and after an abort. */
  onExit?(state: ShellState): void;
}

/** Decisions made elsewhere, as in the host of a worker. */
export interface Judged {
  /** Called for every command in addition to `rules`. */
  refusesCommand?: RefusesCommand | undefined;
  /** Replaces the shell's own network. */
  network?: RunNetwork;
}

/** Runs one command line over `userFiles` in a fresh interpreter. Resolves for every outcome of the command. */
export async function execute(
  engine: Engine,
  userFiles: UserFiles,
  command: string,
  options: ExecutionOptions,
  judged: Judged = {},
): Promise<ShellResult> {
  using stop = createStop(options.signal, options.timeoutMs);
  const output = createOutputLog(
    options.maxOutputBytes ?? Number.POSITIVE_INFINITY,
    options.onOutput?.bind(options),
  );
  const { rules } = options;
  const pacer = createPacer();
  const pause = async (): Promise<void> => {
    await pacer.pause();
    stop.check();
  };
  const pace = (steps?: number): Promise<void> | undefined =>
    pacer.due(steps) ? pause() : undefined;
  const refusals = createRefusals();
  const devices = createDevices({
    commands: engine.commands,
    print: (stream, data) => output.write(stream, decodeText(data)),
  });
  const { assumed } = engine;
  const files = createRunFiles(userFiles, { rules, refusals, assumed, pace, devices });
  await assertDirectory(files.fs, options.cwd);
  let interpreter: { readonly state: InterpreterState } | undefined;
  const refuses = refusesCommandOf(rules, judged.refusesCommand);

  let usedNetwork = false;
  const network = judged.network ?? engine.networkFor(rules, () => (usedNetwork = true));
  const hooked = new EngineFiles(files.fs, {
    gitFetch: network.git,
    gitFiles: files.gitFs,
    gitWorktree: files.gitWorktree,
    pace: (steps) =>
      pace(steps)?.then(() => {
        if (stop.reason) throw new Error("The command was ended.");
      }),
    isOver() {
      stop.check();
      return stop.reason !== undefined;
    },
    refuseCommand: refuses && createCommandGuard(refuses),
    async runStatement(statement, run, current) {
      splitLongRanges(statement);
      interpreter ??= current;
      if (pacer.due()) await pause();
      return run();
    },
  });
  const bash = engine.start(hooked, options.cwd, options.env ?? {}, network);
  const ending = await Promise.race([
    run(bash, command, options.stdin, stop.signal, {
      write(stdout, stderr) {
        output.write("stdout", stdout);
        output.write("stderr", stderr);
      },
    }),
    ...(stop.signal ? [leftBehind(stop.signal)] : []),
  ]);
  files.revoke();
  output.write("stdout", ending.stdout);
  output.write("stderr", withoutEngineWords(ending.stderr) + refusals.text());
  if (interpreter) options.onExit?.(stateOf(interpreter.state));
  const exitCodes = { aborted: 130, "timed out": 124 };
  return {
    ...output.end(),
    exitCode: stop.reason ? exitCodes[stop.reason] : ending.exitCode,
    timedOut: stop.reason === "timed out",
    usedNetwork: usedNetwork || undefined,
    ...(interpreter && !stop.reason
      ? leftBy(interpreter.state, { ...engine.env, ...options.env })
      : {}),
  };
}

/** The files that commands see, and the assumed directories known to exist. */
export interface UserFiles {
  readonly fs: FileSystem;
  /** The inside of repositories for `git`, when rules are judged elsewhere. */
  readonly gitFs?: FileSystem | undefined;
  /** The working tree for `git`, likewise. */
  readonly gitWorktree?: GitWorktree | undefined;
  readonly present: Set<string>;
}

interface RunFilesOptions extends Pick<ShellFilesOptions, "assumed" | "pace" | "devices"> {
  rules: ShellOptions["rules"];
  refusals: ReturnType<typeof createRefusals>;
}

/** The files of a run under its rules, those of `git` beside them. */
function createRunFiles(
  { fs, gitFs, gitWorktree, present }: UserFiles,
  { rules, refusals, ...options }: RunFilesOptions,
): ShellFiles & { gitFs: FileSystem | undefined; gitWorktree: GitWorktree | undefined } {
  const judgedGit = rules ? guardGitFiles(fs, rules, refusals.add) : gitFs;
  const files = createShellFiles({
    ...options,
    present,
    files: rules ? guardFiles(fs, rules, refusals.add) : fs,
  });
  const gitFiles = judgedGit && createShellFiles({ ...options, present, files: judgedGit });
  const judgedTree = rules ? worktreeUnder(rules, fs, refusals) : gitWorktree;
  const trees: ShellFiles[] = [];
  return {
    fs: files.fs,
    gitFs: gitFiles?.fs,
    gitWorktree: judgedTree && {
      files(cloned) {
        const tree = createShellFiles({ ...options, present, files: judgedTree.files(cloned) });
        trees.push(tree);
        return tree.fs;
      },
      refusals: (paths, cloned) => judgedTree.refusals(paths, cloned),
    },
    revoke() {
      for (const part of [files, gitFiles, ...trees]) part?.revoke();
    },
  };
}

function worktreeUnder(
  rules: AccessRules,
  fs: FileSystem,
  refusals: ReturnType<typeof createRefusals>,
): GitWorktree {
  return {
    files: (cloned) => guardWorktree(fs, rules, cloned, refusals.add),
    refusals: (paths, cloned) =>
      paths.flatMap((path) => refusesWorktreeFile(rules, path, cloned) ?? []),
  };
}

async function assertDirectory(fs: FileSystem, path: string): Promise<void> {
  const stat = await fs.stat(path).catch((error: unknown) => {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  });
  if (stat?.type === "directory") return;
  throw new ShellError(`No command can start in ${path}: it is not a directory.`, {
    hint: "Create the directory first, or pass another cwd.",
  });
}

async function run(
  bash: Bash,
  command: string,
  stdin: string | undefined,
  signal: AbortSignal | undefined,
  sink: OutputSink,
): Promise<EngineResult> {
  try {
    return await bash.exec(command, {
      rawScript: true,
      sink,
      stdin,
      signal,
    });
  } catch (error) {
    // A fault of the interpreter itself, or a file system error outside of the port's contract.
    return { stdout: "", stderr: `bash: ${errorMessage(error)}\n`, exitCode: 1 };
  }
}

/** Resolves some time after an abort, for commands that don't notice it, such as one that waits for a file system. */
function leftBehind(signal: AbortSignal): Promise<EngineResult> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      setTimeout(() => resolve({ stdout: "", stderr: "", exitCode: 130 }), UNWIND_MS);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
  });
}

/**
 * Removes advice to change options that this shell names differently, and the report of an abort, which the caller
 * requested.
 */
function withoutEngineWords(stderr: string): string {
  return stderr
    .replace(/, increase executionLimits\.\w+/g, "")
    .replace(/bash: execution aborted\n$/, "");
}

function leftBy(
  state: InterpreterState,
  before: Readonly<Record<string, string>>,
): Pick<ShellResult, "cwd" | "env"> {
  const { cwd, env } = stateOf(state);
  const names = new Set([...Object.keys(before), ...Object.keys(env)]);
  // The shell sets these itself, from its directory.
  for (const name of ["PWD", "OLDPWD", "SHLVL", "_"]) names.delete(name);
  const changed = [...names].filter((name) => before[name] !== env[name]);
  if (changed.length === 0) return { cwd };
  return { cwd, env: Object.fromEntries(changed.map((name) => [name, env[name]])) };
}

function stateOf({ cwd, env, exportedVars }: InterpreterState): ShellState {
  const exported: Record<string, string> = {};
  for (const name of exportedVars ?? []) {
    const value = env.get(name);
    if (value !== undefined) exported[name] = value;
  }
  return { cwd, env: exported };
}
