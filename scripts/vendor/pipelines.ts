/**
 * Built into just-bash by `scripts/vendor.ts`: pipelines with concurrent stages, which end when their reader has gone.
 *
 * The interpreter runs stage by stage and passes complete texts. That remains for stages that end immediately. When a
 * stage prints over time (a loop, a group, a function, a script, `yes`), each stage gets an interpreter of its own over
 * a copy of the shell's state, like a process in bash, and pipes connect them.
 */
import {
  isThrown,
  nameOf,
  type Command,
  type Context,
  type Input,
  type Interpreter,
  type Pipeline,
  type Result,
  type Sink,
  type State,
} from "./interpreter.ts";
import { Pipe } from "./pipe.ts";
import { brokenPipe, captured, errorBytes, engineParts } from "./streams.ts";

/** Numbers of `/dev/fd` reserved for each stage's process substitutions. */
const DESCRIPTORS = 6;

/** Programs that print until the pipe closes, or run a script that may. */
const gradual = new Set([
  ".",
  "bash",
  "env",
  "eval",
  "nice",
  "nohup",
  "seq",
  "sh",
  "source",
  "stdbuf",
  "timeout",
  "yes",
]);

function isGradual(command: Command, { functions }: State): boolean {
  if (command.type !== "SimpleCommand") return command.type !== "FunctionDef";
  const [only, ...others] = command.name?.parts ?? [];
  if (only?.type !== "Literal" || only.value === undefined || others.length > 0) return false;
  return gradual.has(only.value) || only.value.includes("/") || functions.has(only.value);
}

/** Results of concurrent stages, by the interpreter that collects them. */
const collected = new WeakMap<Context, { pipeline: Pipeline; results: Result[] }>();

/** Runs one stage after the other, or all concurrently when the first is requested. */
export async function runStage(
  ctx: Context,
  pipeline: Pipeline,
  command: Command,
  run: () => Promise<Result>,
): Promise<Result> {
  const { commands } = pipeline;
  if (commands.length === 1) return run();
  const at = commands.indexOf(command);
  const isLast = at === commands.length - 1;
  if (at === 0) {
    collected.delete(ctx);
    const isTogether = commands.slice(0, -1).some((stage) => isGradual(stage, ctx.state));
    if (isTogether && !ctx.state.shoptOptions.lastpipe && ctx.owner)
      collected.set(ctx, { pipeline, results: await runTogether(ctx.owner, pipeline) });
  }
  const known = collected.get(ctx);
  const result = known?.pipeline === pipeline ? known.results[at] : undefined;
  if (result) return result;
  const { sink, input } = ctx;
  if (at > 0) ctx.input = undefined;
  try {
    if (isLast) return await run();
    const stage = await captured(ctx, run);
    if (!sink || stage.stderr === "" || pipeline.pipeStderr?.[at]) return stage;
    await sink.write({ stdout: "", stderr: stage.stderr, exitCode: 0 });
    const stdout = stage.internalOutputAccounting?.stdout ?? 0;
    return { ...stage, stderr: "", internalOutputAccounting: { stdout, stderr: 0 } };
  } finally {
    ctx.input = input;
  }
}

/** Maximum live stages per command of the caller, which stops runaway recursion. */
const MAX_STAGES = 256;

/** Number of live stages, by execution of the caller's command. */
const alive = new WeakMap<Context["executionScope"], number>();

async function runTogether(interpreter: Interpreter, pipeline: Pipeline): Promise<Result[]> {
  const { executionScope } = interpreter.ctx;
  const count = (alive.get(executionScope) ?? 0) + pipeline.commands.length;
  // Beyond the limit nothing starts any more, even if stages end meanwhile.
  alive.set(executionScope, count > MAX_STAGES ? Infinity : count);
  if (count > MAX_STAGES)
    throw engineParts().limitError(`more than ${MAX_STAGES} stages of pipelines run at once`);
  try {
    return await runStages(interpreter, pipeline);
  } finally {
    alive.set(executionScope, (alive.get(executionScope) ?? 0) - pipeline.commands.length);
  }
}

async function runStages(interpreter: Interpreter, pipeline: Pipeline): Promise<Result[]> {
  const { commands } = pipeline;
  const { state } = interpreter.ctx;
  const pipes = commands.slice(1).map(() => new Pipe(brokenPipe));
  const finish = (): void => pipes.forEach((pipe) => pipe.abort(engineParts().abortError));
  state.signal?.addEventListener("abort", finish);
  try {
    const ends = await Promise.allSettled(
      commands.map(async (command, at) => {
        const [input, output] = [pipes[at - 1], pipes[at]];
        try {
          return await runAsProcess(interpreter, pipeline, command, input, output);
        } finally {
          output?.end();
          input?.leave();
        }
      }),
    );
    return ends.map((end) => {
      if (end.status === "rejected") throw end.reason;
      return end.value;
    });
  } finally {
    state.signal?.removeEventListener("abort", finish);
  }
}

/** Runs a stage over a copy of the shell's state; its output has gone to `output`, if given. */
async function runAsProcess(
  parent: Interpreter,
  pipeline: Pipeline,
  command: Command,
  input: Input | undefined,
  output: Pipe | undefined,
): Promise<Result> {
  const at = pipeline.commands.indexOf(command);
  let stderr = "";
  const { sink } = parent.ctx;
  const pipeSink: Sink | undefined = output && {
    write(result) {
      if (pipeline.pipeStderr?.[at])
        return output.write(errorBytes(result.stderr) + engineParts().bytesOf(result));
      const wait = sink?.write({ stdout: "", stderr: result.stderr, exitCode: 0 });
      if (!sink) stderr += result.stderr;
      const bytes = engineParts().bytesOf(result);
      return wait ? wait.then(() => output.write(bytes)) : output.write(bytes);
    },
    isPipe: true,
    get hasReader() {
      return output.hasReader;
    },
    get isBroken() {
      return output.isBroken;
    },
  };
  const child = fork(parent, at, input);
  child.ctx.sink = output ? pipeSink : sink;
  let result: Result;
  try {
    result = await engineParts().untilExit(child.ctx, () => child.executeCommand(command, ""));
  } catch (error) {
    result = endOf(error);
  }
  // The first stage consumes the shell's input.
  if (at === 0) parent.ctx.state.groupStdin = child.ctx.state.groupStdin;
  if (!pipeSink) return result;
  const accounting = { stdout: 0, stderr: 0 };
  try {
    await pipeSink.write(result);
  } catch (error) {
    result = endOf(error);
  }
  return { stdout: "", stderr, exitCode: result.exitCode, internalOutputAccounting: accounting };
}

/** Converts the end of a shell to a stage's result; limits and aborts end everything. */
function endOf(error: unknown): Result {
  const exits = ["ExitError", "ErrexitError", "ReturnError", "PosixFatalError"];
  const failures = [
    "ArithmeticError",
    "BadSubstitutionError",
    "BraceExpansionError",
    "NounsetError",
  ];
  const leaves = ["BreakError", "ContinueError", "SubshellExitError"];
  const name = nameOf(error);
  const exitCode =
    isThrown(error) && exits.includes(name)
      ? (error.exitCode ?? 1)
      : failures.includes(name)
        ? 1
        : leaves.includes(name)
          ? 0
          : undefined;
  if (exitCode === undefined || !isThrown(error)) throw error;
  return { stdout: error.stdout, stderr: error.stderr, exitCode };
}

/** Interpreters of stages, whose scripts are not the outermost: a stage handles its own end. */
export const forked = new WeakSet<Interpreter>();

function fork(
  { ctx, constructor }: Interpreter,
  at: number,
  input: Input | undefined,
): Interpreter {
  const { state } = ctx;
  const own: State = { ...state };
  engineParts().isolate(own);
  // Readers of a descriptor share its position.
  own.fileDescriptors = state.fileDescriptors;
  own.inputFds = state.inputFds;
  own.fdAliases = state.fdAliases;
  own.traps = undefined;
  own.lastArg = "";
  own.bashPid = state.nextVirtualPid++;
  const taken = (state.processSubstitutions?.length ?? 0) + at * DESCRIPTORS;
  own.processSubstitutions = Array.from({ length: taken }, () => ({ path: "/dev/null" }));
  if (at > 0) own.groupStdin = "";
  const make = constructor as new (options: object, state: State) => Interpreter;
  const child = new make({ ...ctx, exec: ctx.execFn }, own);
  forked.add(child);
  child.ctx.isStage = true;
  child.ctx.input = at === 0 ? ctx.input : input;
  child.ctx.stageInput = at === 0 ? ctx.stageInput : input;
  child.ctx.substitutionDepth = ctx.substitutionDepth;
  return child;
}
