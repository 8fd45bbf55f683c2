/**
 * What `scripts/vendor.ts` builds into just-bash: `trap`, and pipelines whose left side ends once `head` has what it
 * asked for. The types name only what is used here of the interpreter's own.
 */

interface Result {
  stdout: string;
  stderr: string;
  exitCode: number;
}

interface Node {
  type: string;
}

interface WordNode extends Node {
  parts: (Node & { value?: string })[];
}

interface Pipeline extends Node {
  commands: Command[];
}

interface Statement extends Node {
  pipelines: Pipeline[];
}

interface Command extends Node {
  name?: WordNode;
  args?: WordNode[];
  redirections?: { operator: string; fd: number | null }[];
  body?: Statement[] | Command;
  condition?: Statement[] | Node | null;
  clauses?: { condition: Statement[]; body: Statement[] }[];
  elseBody?: Statement[] | null;
  items?: { body: Statement[] }[];
}

interface State {
  lastExitCode: number;
  inCondition?: boolean;
  errexitSafe?: boolean;
  functions: ReadonlyMap<string, { body: Command }>;
  env: Map<string, string>;
  /** What the enclosing loop or group reads. */
  groupStdin?: string | undefined;
  /** By signal. Added here. */
  traps?: Map<string, string> | undefined;
}

interface Context {
  state: State;
  executeScript(script: Node): Promise<Result>;
}

interface Interpreter {
  ctx: Context;
}

interface Thrown extends Error {
  stdout: string;
  stderr: string;
}

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

/** Keeps commands for `EXIT` and `ERR`, which run, and for signals, which never come. */
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
  // A trap does not run within itself.
  state.traps?.delete(name);
  const before = state.lastExitCode;
  state.env.set("?", String(before));
  const result = await ctx.executeScript(parse(command));
  if (name !== "EXIT") state.traps?.set(name, command);
  state.lastExitCode = before;
  state.env.set("?", String(before));
  return result;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function isThrown(error: unknown): error is Thrown {
  return error instanceof Error && "stdout" in error && "stderr" in error;
}

/** Runs a shell, then what it wants done at its end. */
async function untilExit(ctx: Context, run: () => Promise<Result>): Promise<Result> {
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

/** For the outermost script of an interpreter; what it evaluates and substitutes ends without an end of its own. */
export async function runScript(
  interpreter: Interpreter,
  run: () => Promise<Result>,
): Promise<Result> {
  if (running.has(interpreter)) return run();
  running.add(interpreter);
  try {
    return await untilExit(interpreter.ctx, run);
  } finally {
    running.delete(interpreter);
  }
}

/** A subshell starts without traps and has an end of its own. */
export async function runSubshell(ctx: Context, run: () => Promise<Result>): Promise<Result> {
  const outer = ctx.state.traps;
  ctx.state.traps = undefined;
  try {
    return await untilExit(ctx, run);
  } finally {
    ctx.state.traps = outer;
  }
}

// ---- pipelines that end early

/** What the next stage of a pipeline will read at most. */
interface Demand {
  lines: number;
  bytes: number;
}

const demands = new WeakMap<Node, Demand>();

/** The exit status of a program that writes where nobody reads. */
export const BROKEN_PIPE = 141;

/** Thrown through the loops of a stage whose output nobody wants any more. */
export type EndStage = (stdout: string, stderr: string) => Error;

const ends = new WeakMap<Demand, EndStage>();

function wordsOf(command: Command | undefined): string[] | undefined {
  if (command?.type !== "SimpleCommand" || !command.name) return undefined;
  const words = [command.name, ...(command.args ?? [])].map(({ parts }) => {
    const [only] = parts;
    return parts.length === 1 && only?.type === "Literal" ? only.value : undefined;
  });
  return words.every((word) => word !== undefined) ? words : undefined;
}

/** Programs that print a line for each line they read. */
const lineByLine = new Set(["cat", "nl", "rev", "tr"]);

function demandOf(commands: readonly Command[], from: number): Demand | undefined {
  const words = wordsOf(commands[from]);
  const [program = "", ...args] = words ?? [];
  if (program === "head") {
    const [, unit = "n", count = "10"] = /^(?:-?-?([nc])?(?:lines=|bytes=)? ?(\d+))?$/.exec(
      args.join(" ").replace(/^--(l|b)/, (_, letter: string) => (letter === "l" ? "-n" : "-c")),
    ) ?? [undefined, "", ""];
    if (unit === "" || count === "") return undefined;
    return unit === "c"
      ? { lines: Number.POSITIVE_INFINITY, bytes: Number(count) }
      : { lines: Number(count), bytes: Number.POSITIVE_INFINITY };
  }
  const quit = program === "sed" && args.length === 1 ? /^(\d+)q$/.exec(args[0] ?? "") : null;
  if (quit) return { lines: Number(quit[1]), bytes: Number.POSITIVE_INFINITY };
  const isFilter = lineByLine.has(program) && !args.some((arg) => /^-\w*[ds]/.test(arg));
  return isFilter && from + 1 < commands.length ? demandOf(commands, from + 1) : undefined;
}

/** The innermost statements of a stage whose output is the stage's. */
function* leavesOf(command: Command, state: State, depth = 0): Generator<Statement> {
  if (depth > 20) return;
  const name = wordsOf(command)?.[0];
  const called = name === undefined ? undefined : state.functions.get(name);
  if (called) {
    yield* leavesOf(called.body, state, depth + 1);
    return;
  }
  if (command.type === "SimpleCommand" || command.type === "FunctionDef") return;
  if (command.redirections?.some(({ operator }) => operator.includes(">"))) return;
  const lists = [command.body, command.condition, command.elseBody];
  for (const { condition, body } of command.clauses ?? []) lists.push(condition, body);
  for (const { body } of command.items ?? []) lists.push(body);
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const statement of list) {
      const inner = statement.pipelines.flatMap(({ commands }) =>
        commands.length === 1 && commands[0] ? [...leavesOf(commands[0], state, depth + 1)] : [],
      );
      if (inner.length > 0) yield* inner;
      else yield statement;
    }
  }
}

/** Runs a stage of a pipeline; its loops end as soon as the next stage has what it will read. */
export async function runStage(
  { state }: Context,
  commands: readonly Command[],
  at: number,
  run: () => Promise<Result>,
  end: EndStage,
): Promise<Result> {
  const command = commands[at];
  const demand = demandOf(commands, at + 1);
  if (!command || !demand) return run();
  const marked = [...leavesOf(command, state)];
  const before = marked.map((statement) => demands.get(statement));
  ends.set(demand, end);
  for (const statement of marked) demands.set(statement, demand);
  try {
    return await run();
  } finally {
    marked.forEach((statement, index) => {
      const outer = before[index];
      if (outer) demands.set(statement, outer);
      else demands.delete(statement);
    });
  }
}

function takeFrom(demand: Demand, text: string): boolean {
  demand.bytes -= text.length;
  for (let line = text.indexOf("\n"); line !== -1; line = text.indexOf("\n", line + 1)) {
    demand.lines -= 1;
  }
  return demand.lines <= 0 || demand.bytes <= 0;
}

// ---- both

function isSimple({ pipelines }: Statement): boolean {
  const last = pipelines.at(-1)?.commands ?? [];
  return last.at(-1)?.type === "SimpleCommand";
}

/** Runs a statement, then its `ERR` trap, and ends the stage that it belongs to when nobody reads on. */
export async function runStatement(
  { ctx }: Interpreter,
  statement: Statement,
  run: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    if (nameOf(error) === "ErrexitError" && isThrown(error) && isSimple(statement)) {
      const told = await runTrap(ctx, "ERR");
      error.stdout += told?.stdout ?? "";
      error.stderr += told?.stderr ?? "";
    }
    throw error;
  }
  const { state } = ctx;
  const hasFailed = result.exitCode !== 0 && !state.inCondition && !state.errexitSafe;
  if (hasFailed && state.traps?.has("ERR") && isSimple(statement)) {
    const told = await runTrap(ctx, "ERR");
    if (told) result = joined(result, told);
  }
  const demand = demands.get(statement);
  if (demand && takeFrom(demand, result.stdout)) {
    throw ends.get(demand)?.(result.stdout, result.stderr) ?? new Error("no end");
  }
  return result;
}

/** A command whose own input is empty does not read on in that of the loop around it. */
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

/** 64 bits, as bash has them, for the operators that JavaScript cuts to 32. Exact to 2^53. */
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

/** `*` `/`: a pattern that ends in a slash stands for directories alone. */
export async function directoriesOf(
  paths: readonly string[],
  isDirectory: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) if (await isDirectory(path)) found.push(`${path}/`);
  return found;
}

// ---- programs that are not there

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
  ["docker podman kubectl helm systemctl service crontab", "there is no machine behind this shell"],
  ["ps top htop pgrep pkill killall lsof free", "the shell is the only process"],
  ["curl wget ssh scp rsync nc telnet ping dig nslookup", "the shell has no network"],
  ["sudo su doas chown chgrp", "all files belong to you"],
  ["vi vim nvim nano emacs ed pico", "edit with sed -i, patch or a here-document"],
  [
    "bzip2 bunzip2 bzcat xz unxz xzcat zstd 7z rar unrar",
    "pack and unpack with gzip, tar z and zip",
  ],
  ["git hg svn", "compare with diff and apply with patch"],
  ["sqlite3 psql mysql redis-cli", "there is no database; work on text with awk, join and sort"],
  ["ag ack fd fdfind", "search with grep -r, rg and find"],
  ["csplit", "split files with split or awk"],
  ["man info", "most programs explain themselves with --help"],
];

/** The line for a program that is not there, with what to use in its place where agents often ask. */
export function notFound(program: string): string {
  const advice = substitutes.find(([programs]) => programs.split(" ").includes(program))?.[1];
  return `bash: ${program}: command not found${advice === undefined ? "" : ` (${advice})`}\n`;
}
