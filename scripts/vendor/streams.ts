/** Where what a script prints goes, as `scripts/vendor.ts` builds it into just-bash: told at once, or captured. */
import {
  emptied,
  isThrown,
  nameOf,
  type Context,
  type Interpreter,
  type Redirection,
  type Result,
  type Sink,
  type State,
} from "./interpreter.ts";

/** The exit status of a program that writes where nobody reads. */
const BROKEN_PIPE = 141;

/** What the interpreter lends; set once, when it loads. */
export interface Parts {
  bytesOf(result: Result): string;
  textOf(result: Result): string;
  /** Gives a state maps and sets of its own. */
  isolate(state: State): void;
  exit(exitCode: number, stdout: string, stderr: string): Error;
  /** What ends everything after an abort. */
  abortion: () => Error;
  /** Runs a shell, then what it wants done at its end. */
  untilExit(context: Context, run: () => Promise<Result>): Promise<Result>;
}

let parts: Parts | undefined;

export function lendParts(lent: Parts): void {
  parts = lent;
}

export function lent(): Parts {
  if (!parts) throw new Error("the interpreter has not loaded");
  return parts;
}

/** Runs what is captured and not told: a substitution, or a stage before the last. */
export async function captured<Kind>(ctx: Context, run: () => Promise<Kind>): Promise<Kind> {
  const { sink } = ctx;
  ctx.sink = undefined;
  try {
    return await run();
  } finally {
    ctx.sink = sink;
  }
}

/** Where a script of the caller's prints, in text. */
export function sinkOf(state: State): Sink | undefined {
  const { sink } = state;
  state.sink = undefined;
  return (
    sink && {
      write: (result) => sink.write(lent().textOf(result), result.stderr),
      isBroken: false,
    }
  );
}

/** The same for a shell that also reads what the program would. */
export function inherited(ctx: Context, options: object): object {
  if (!ctx.isPassedOn) wantInput(ctx);
  return ctx.isPassedOn && ctx.input
    ? { ...passedOn(ctx, options), input: ctx.input }
    : passedOn(ctx, options);
}

/** Called when a program reads all of its input at once. */
export function wantInput(ctx: Context): void {
  if (!ctx.isInputAwaited || !ctx.input || ctx.input.isDone) return;
  ctx.isInputWanted = true;
  throw new Error("the input is still being written");
}

/** The options with which a program starts a shell that prints where the program does. */
export function passedOn(ctx: Context, options: object): object {
  const { sink } = ctx;
  if (!sink || !ctx.isPassedOn) return options;
  const write = (stdout: string, stderr: string): Promise<void> | undefined =>
    sink.write({ stdout, stderr, exitCode: 0, stdoutKind: "text" });
  return { ...options, sink: { write } };
}

/** What ends a stage whose reader is gone. */
export function brokenPipe(): Error {
  return lent().exit(BROKEN_PIPE, "", "");
}

function tellsNothing({ stdout, stderr }: { stdout: string; stderr: string }): boolean {
  return stdout === "" && stderr === "";
}

function assertOpen({ isBroken }: Sink): void {
  if (isBroken) throw brokenPipe();
}

/** Hands on what a pipeline or a statement printed, if it is not captured. */
export async function told({ ctx }: Interpreter, run: () => Promise<Result>): Promise<Result> {
  const { sink } = ctx;
  if (!sink) return run();
  assertOpen(sink);
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    const isLast = ["ExecutionAbortedError", "ExecutionLimitError"].includes(nameOf(error));
    if (isThrown(error) && !isLast && !tellsNothing(error)) {
      const { stdout, stderr } = error;
      emptied(error);
      await sink.write({ stdout, stderr, exitCode: 0, stdoutKind: "text" });
    }
    throw error;
  }
  if (tellsNothing(result)) return result;
  const wait = sink.write(result);
  if (wait) await wait;
  return emptied({ ...result, stdoutKind: "text" });
}

/** Redirections that leave standard output and standard error where they are. */
const inputOnly = new Set(["<", "<<", "<<-", "<<<"]);

/** Runs a command with the streams that its redirections leave it. */
export function runCommand(
  { ctx }: Interpreter,
  { redirections }: { redirections?: Redirection[] },
  run: () => Promise<Result>,
): Promise<Result> {
  if (!redirections?.length || (!ctx.sink && !ctx.input)) return run();
  const reads = redirections.some(
    ({ operator, fd }) => operator.startsWith("<") && (fd ?? 0) === 0,
  );
  const writes = redirections.some(({ operator, fd }) => !inputOnly.has(operator) || (fd ?? 0) > 0);
  const { input } = ctx;
  if (reads) ctx.input = undefined;
  const end = writes ? captured(ctx, run) : run();
  return end.finally(() => (ctx.input = input));
}

/** Runs a pipeline and hands on what it printed. */
export function runPipeline(interpreter: Interpreter, run: () => Promise<Result>): Promise<Result> {
  interpreter.ctx.owner = interpreter;
  return told(interpreter, run);
}
