import {
  decodeText,
  FileSystemError,
  ShellError,
  type AccessRules,
  type FileSystem,
  type ShellOptions,
  type ShellResult,
} from "@robota/runtime/ports";
import type { GitWorktree } from "./command.ts";
import {
  createCommandGuard,
  type RefusesCommand,
  refusesCommandOf,
} from "./engine/command-guard.ts";
import { createDevices } from "./files/devices.ts";
import type { Engine } from "./engine/engine.ts";
import { DEFAULT_PATH, startScript } from "./engine/script.ts";
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

/** Time for an aborted command to unwind before it is abandoned: with one pause of its program, well below 50 ms. */
const UNWIND_MS = 30;

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
    commands: engine.programs,
    print: (stream, data) => output.write(stream, decodeText(data)),
  });
  const { assumed } = engine;
  const files = createRunFiles(userFiles, { rules, refusals, assumed, pace, devices });
  await assertDirectory(files.fs, options.cwd);
  const refuses = refusesCommandOf(rules, judged.refusesCommand);
  let usedNetwork = false;
  const network = judged.network ?? engine.networkFor(rules, () => (usedNetwork = true));
  const script = startScript(engine, {
    cwd: options.cwd,
    env: { ...engine.env, ...options.env },
    stdin: options.stdin,
    files: files.fs,
    guard: refuses && createCommandGuard(refuses),
    pace,
    signal: stop.signal,
    hooks: {
      curlFetch: network.curl,
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
    },
    print: output.write.bind(output),
  });
  const exitCode = await Promise.race([
    script.run(command),
    ...(stop.signal ? [leftBehind(stop.signal)] : []),
  ]);
  files.revoke();
  output.write("stderr", refusals.text());
  const state = script.state();
  options.onExit?.(state);
  const exitCodes = { aborted: 130, "timed out": 124 };
  return {
    ...output.end(),
    exitCode: stop.reason ? exitCodes[stop.reason] : exitCode,
    timedOut: stop.reason === "timed out",
    usedNetwork: usedNetwork || undefined,
    ...(stop.reason ? {} : leftBy(state, { ...engine.env, ...options.env })),
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

/** Resolves some time after an abort, for commands that don't notice it, such as one that waits for a file system. */
function leftBehind(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const giveUp = (): void => void setTimeout(() => resolve(130), UNWIND_MS);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
  });
}

function leftBy(
  { cwd, env }: ShellState,
  before: Readonly<Record<string, string>>,
): Pick<ShellResult, "cwd" | "env"> {
  const names = new Set([...Object.keys(before), ...Object.keys(env)]);
  // The shell sets these itself, from its directory.
  for (const name of ["PATH", "PWD", "OLDPWD", "SHLVL", "_"])
    if (name !== "PATH" || env[name] === DEFAULT_PATH) names.delete(name);
  const changed = [...names].filter((name) => before[name] !== env[name]);
  if (changed.length === 0) return { cwd };
  return { cwd, env: Object.fromEntries(changed.map((name) => [name, env[name]])) };
}
