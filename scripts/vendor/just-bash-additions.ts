/**
 * Built into just-bash by `scripts/vendor.ts` in addition to pipelines: `trap`, words and numbers, and the message for
 * missing programs.
 */

import {
  isThrown,
  nameOf,
  type Context,
  type Interpreter,
  type Node,
  type Result,
  type State,
  type Statement,
} from "./interpreter.ts";
import { forked } from "./pipelines.ts";
import { captured, sinkOf, streamed } from "./streams.ts";

let parse: (text: string) => Node = () => {
  throw new Error("no parser");
};

export function setParser(parser: (text: string) => Node): void {
  parse = parser;
}

// ---- trap

const signals = [
  "EXIT",
  "HUP",
  "INT",
  "QUIT",
  "ILL",
  "TRAP",
  "ABRT",
  "BUS",
  "FPE",
  "KILL",
  "USR1",
  "SEGV",
  "USR2",
  "PIPE",
  "ALRM",
  "TERM",
];
const conditions = new Set([
  ...signals,
  "ERR",
  "DEBUG",
  "RETURN",
  "CHLD",
  "CONT",
  "STOP",
  "TSTP",
  "WINCH",
]);

function signalOf(word: string): string | undefined {
  const name = /^\d+$/.test(word) ? signals[Number(word)] : word.toUpperCase().replace(/^SIG/, "");
  return name !== undefined && conditions.has(name) ? name : undefined;
}

/** Stores commands for `EXIT` and `ERR`, which run, and for signals, which never arrive. */
export function trap({ ctx: { state } }: Interpreter, args: readonly string[]): Result {
  const traps = (state.traps ??= new Map());
  const words = args[0] === "--" ? args.slice(1) : [...args];
  if (words[0] === "-l")
    return { stdout: `${signals.slice(1).join(" ")}\n`, stderr: "", exitCode: 0 };
  if (words.length === 0 || words[0] === "-p") {
    const asked = new Set(words.slice(1).map(signalOf));
    let stdout = "";
    for (const [name, command] of traps) {
      if (asked.size > 0 && !asked.has(name)) continue;
      const shown = signals.indexOf(name) > 0 ? `SIG${name}` : name;
      stdout += `trap -- '${command.replaceAll("'", "'\\''")}' ${shown}\n`;
    }
    return { stdout, stderr: "", exitCode: 0 };
  }
  const isReset =
    words[0] === "-" || (words.length === 1 && signalOf(words[0] ?? "") !== undefined);
  const command = words.length === 1 ? "-" : (words[0] ?? "");
  let stderr = "";
  for (const word of words.length === 1 ? words : words.slice(1)) {
    const name = signalOf(word);
    if (name === undefined) stderr += `bash: trap: ${word}: invalid signal specification\n`;
    else if (isReset) traps.delete(name);
    else traps.set(name, command);
  }
  return { stdout: "", stderr, exitCode: stderr === "" ? 0 : 1 };
}

async function runTrap(ctx: Context, name: string): Promise<Result | undefined> {
  const { state } = ctx;
  const command = state.traps?.get(name);
  if (command === undefined || command === "") return undefined;
  // A trap does not trigger itself.
  state.traps?.delete(name);
  const before = state.lastExitCode;
  state.env.set("?", String(before));
  ctx.isInherited = true;
  const result = await ctx.executeScript(parse(command));
  if (name !== "EXIT") state.traps?.set(name, command);
  state.lastExitCode = before;
  state.env.set("?", String(before));
  return result;
}

/** Runs a shell, then its `EXIT` trap. */
export async function untilExit(ctx: Context, run: () => Promise<Result>): Promise<Result> {
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    if (nameOf(error) === "ExitError" && isThrown(error)) {
      if ("exitCode" in error && typeof error.exitCode === "number")
        ctx.state.lastExitCode = error.exitCode;
      const last = await runTrap(ctx, "EXIT");
      error.stdout += last?.stdout ?? "";
      error.stderr += last?.stderr ?? "";
    }
    throw error;
  }
  ctx.state.lastExitCode = result.exitCode;
  try {
    const last = await runTrap(ctx, "EXIT");
    return last ? joined(result, last) : result;
  } catch (error) {
    if (isThrown(error)) {
      error.stdout = result.stdout + error.stdout;
      error.stderr = result.stderr + error.stderr;
    }
    throw error;
  }
}

function joined(result: Result, last: Result): Result {
  return { ...result, stdout: result.stdout + last.stdout, stderr: result.stderr + last.stderr };
}

const running = new WeakSet<Interpreter>();

/** Runs the outermost script of an interpreter; nested evaluations and substitutions run no `EXIT` trap. */
export async function runScript(
  interpreter: Interpreter,
  run: () => Promise<Result>,
): Promise<Result> {
  const { ctx } = interpreter;
  if (running.has(interpreter) || forked.has(interpreter)) {
    if (!ctx.isInherited) return captured(ctx, run);
    ctx.isInherited = false;
    return run();
  }
  running.add(interpreter);
  ctx.sink = sinkOf(ctx.state);
  ctx.input = ctx.state.input;
  ctx.state.input = undefined;
  try {
    return await untilExit(ctx, run);
  } finally {
    running.delete(interpreter);
  }
}

/** Runs a subshell, which starts without traps and has an `EXIT` trap of its own. */
export function runSubshell(ctx: Context, run: () => Promise<Result>): Promise<Result> {
  const { state } = ctx;
  const onError = state.errtrace ? state.traps?.get("ERR") : undefined;
  return withoutTraps(state, onError, () => untilExit(ctx, run));
}

async function withoutTraps<Value>(
  state: State,
  onError: string | undefined,
  run: () => Promise<Value>,
): Promise<Value> {
  const outer = state.traps;
  state.traps = onError === undefined ? undefined : new Map([["ERR", onError]]);
  try {
    return await run();
  } finally {
    state.traps = outer;
  }
}

/** Tracks the `errtrace` option of `set`, which the interpreter ignores. */
export function noteOptions(state: State, args: readonly string[]): void {
  for (const [at, arg] of args.entries()) {
    if (!/^[-+]\w/.test(arg)) return;
    const names = /^.\w*o$/.test(arg) && args[at + 1] === "errtrace";
    if (names || /^.\w*E/.test(arg)) state.errtrace = arg.startsWith("-");
  }
}

// ---- statements

/**
 * Tells simple commands and subshells from groups and loops, which fail by an already handled command.
 */
function isSimple({ pipelines }: Statement): boolean {
  const last = pipelines.at(-1)?.commands ?? [];
  return ["SimpleCommand", "Subshell"].includes(last.at(-1)?.type ?? "");
}

/** Runs a statement, then its `ERR` trap. */
export function runStatement(
  interpreter: Interpreter,
  statement: Statement,
  run: () => Promise<Result>,
): Promise<Result> {
  return streamed(interpreter, () =>
    withErrorTrap(
      interpreter.ctx,
      statement,
      statement.background ? () => job(interpreter.ctx.state, run) : run,
    ),
  );
}

/** Runs a command with `&` to its end at once, and keeps its exit status for `wait`. */
async function job(state: State, run: () => Promise<Result>): Promise<Result> {
  let result: Result;
  try {
    result = await withoutTraps(state, undefined, run);
  } catch (error) {
    const isEnd = nameOf(error) === "ErrexitError" || nameOf(error) === "ExitError";
    if (!isEnd || !isThrown(error)) throw error;
    const exitCode = "exitCode" in error ? Number(error.exitCode) : 1;
    result = { stdout: error.stdout, stderr: error.stderr, exitCode };
  }
  state.lastBackgroundPid = state.nextVirtualPid++;
  (state.jobs ??= new Map()).set(state.lastBackgroundPid, result.exitCode);
  state.lastExitCode = 0;
  state.env.set("?", "0");
  return { ...result, exitCode: 0 };
}

/** The status of `wait`: that of the last named job, or 0 for all. */
export function waited(state: State, args: readonly string[]): Result {
  const jobs = (state.jobs ??= new Map<number, number>());
  let [stderr, exitCode] = ["", 0];
  const [next] = jobs.keys();
  const named = args
    .filter((arg) => !arg.startsWith("-"))
    .map((arg) => arg.replace(/^%.*/, String(state.lastBackgroundPid)));
  for (const name of args.includes("-n") && named.length === 0 ? [String(next ?? "")] : named) {
    const status = jobs.get(Number(name));
    if (status === undefined && name !== "")
      stderr += `bash: wait: pid ${name} is not a child of this shell\n`;
    exitCode = status ?? 127;
    jobs.delete(Number(name));
  }
  if (args.length === 0) jobs.clear();
  return { stdout: "", stderr, exitCode };
}

/** Runs a condition of a list or a negation, in which no failure ends the shell. */
export async function unchecked<Value>(
  state: State,
  isAsked: boolean,
  run: () => Promise<Value>,
): Promise<Value> {
  if (!isAsked || state.inCondition) return run();
  state.inCondition = true;
  try {
    return await run();
  } finally {
    state.inCondition = false;
  }
}

/** Failures that end a shell and whose statement was already handled. */
const passing = new WeakSet<Error>();

async function withErrorTrap(
  ctx: Context,
  statement: Statement,
  run: () => Promise<Result>,
): Promise<Result> {
  const isTraced = ctx.state.callDepth === 0 || ctx.state.errtrace === true;
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    // The innermost statement is the one that failed; the enclosing ones are unwound, and have not failed themselves.
    const isFirst = isThrown(error) && nameOf(error) === "ErrexitError" && !passing.has(error);
    if (isFirst) passing.add(error);
    if (isFirst && isTraced && isSimple(statement)) {
      const trapped = await runTrap(ctx, "ERR");
      error.stdout += trapped?.stdout ?? "";
      error.stderr += trapped?.stderr ?? "";
    }
    throw error;
  }
  const { state } = ctx;
  const hasFailed = result.exitCode !== 0 && !state.inCondition && !state.errexitSafe;
  if (!hasFailed || !isTraced || !state.traps?.has("ERR") || !isSimple(statement)) return result;
  const trapped = await runTrap(ctx, "ERR");
  return trapped ? joined(result, trapped) : result;
}

/** Runs a command with empty input of its own, so that it does not read that of the enclosing loop. */
export async function withoutInput(state: State, run: () => Promise<Result>): Promise<Result> {
  const outer = state.groupStdin;
  state.groupStdin = undefined;
  try {
    return await run();
  } finally {
    state.groupStdin = outer;
  }
}

// ---- words and numbers

/** Computes in 64 bits, as bash does, for operators that JavaScript truncates to 32. Exact to 2^53. */
export function bitwise(left: number, operator: string, right: number): number {
  const [one, other] = [BigInt(Math.trunc(left)), BigInt(Math.trunc(right))];
  const shift = BigInt.asUintN(6, other);
  const value =
    operator === "<<"
      ? one << shift
      : operator === ">>"
        ? one >> shift
        : operator === "&"
          ? one & other
          : operator === "|"
            ? one | other
            : one ^ other;
  return Number(BigInt.asIntN(64, value));
}

/** Expands a pattern that ends in a slash (`*` `/`), which matches directories only. */
export async function directoriesOf(
  paths: readonly string[],
  isDirectory: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) if (await isDirectory(path)) found.push(`${path}/`);
  return found;
}

// ---- missing programs

const substitutes: readonly (readonly [programs: string, advice: string])[] = [
  [
    "python python2 python3 perl ruby php lua Rscript",
    "compute with awk, jq or bc, and edit with sed",
  ],
  [
    "node nodejs deno bun tsx ts-node tsc npx bunx",
    "no program of a project runs here; read JSON with jq, compute with awk or bc",
  ],
  [
    "npm yarn pnpm pip pip3 pipx uv poetry gem cargo go rustc gcc g++ clang cc make cmake mvn gradle",
    "nothing is installed or built here; change the files themselves",
  ],
  ["apt apt-get apk yum dnf brew snap", "nothing can be installed here"],
  ["docker podman kubectl helm systemctl service crontab", "the shell is not backed by a machine"],
  ["ps top htop pgrep pkill killall lsof free", "the shell is the only process"],
  ["curl wget ssh scp rsync nc telnet ping dig nslookup", "the shell has no network"],
  ["sudo su doas chown chgrp", "all files belong to you"],
  ["vi vim nvim nano emacs ed pico", "edit with sed -i, patch or a here-document"],
  [
    "bzip2 bunzip2 bzcat xz unxz xzcat zstd 7z rar unrar",
    "pack and unpack with gzip, tar z and zip",
  ],
  ["git hg svn", "compare with diff and apply with patch"],
  [
    "sqlite3 psql mysql redis-cli",
    "databases are not available; work on text with awk, join and sort",
  ],
  ["ag ack fd fdfind", "search with grep -r, rg and find"],
  ["csplit", "split files with split or awk"],
  ["man info", "most programs explain themselves with --help"],
];

/** The message for a missing program, with an alternative for those that agents often call. */
export function notFound(program: string): string {
  const advice = substitutes.find(([programs]) => programs.split(" ").includes(program))?.[1];
  return `bash: ${program}: command not found${advice === undefined ? "" : ` (${advice})`}\n`;
}
