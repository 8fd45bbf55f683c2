/** The destination of a script's output, built into just-bash by `scripts/vendor.ts`: streamed, or captured. */
import {
  emptied,
  isThrown,
  nameOf,
  type Command,
  type Context,
  type Interpreter,
  type Node,
  type Redirection,
  type Result,
  type Sink,
  type State,
} from "./interpreter.ts";

/** The exit status of a program that writes to a closed pipe. */
const BROKEN_PIPE = 141;

/** Functions that the interpreter provides; set once, when it loads. */
export interface Parts {
  bytesOf(result: Result): string;
  textOf(result: Result): string;
  /** Gives a state its own copies of maps and sets. */
  isolate(state: State): void;
  exit(exitCode: number, stdout: string, stderr: string): Error;
  /** Creates the error that ends everything after an abort. */
  abortError: () => Error;
  /** Creates the error that ends everything at a limit. */
  limitError(message: string): Error;
  /** Runs a shell, then its `EXIT` trap. */
  untilExit(context: Context, run: () => Promise<Result>): Promise<Result>;
}

let parts: Parts | undefined;

export function provideParts(engineParts: Parts): void {
  parts = engineParts;
}

export function engineParts(): Parts {
  if (!parts) throw new Error("the interpreter has not loaded");
  return parts;
}

/** Runs code whose output is captured rather than streamed: a substitution, or a stage before the last. */
export async function captured<Kind>(ctx: Context, run: () => Promise<Kind>): Promise<Kind> {
  const { sink } = ctx;
  ctx.sink = undefined;
  try {
    return await run();
  } finally {
    ctx.sink = sink;
  }
}

/** The text destination of a script's output. */
export function sinkOf(state: State): Sink | undefined {
  const { sink } = state;
  state.sink = undefined;
  return (
    sink && {
      write: (result) => sink.write(engineParts().textOf(result), result.stderr),
      isBroken: false,
    }
  );
}

/** Options for a shell that shares output, and also the input of the program. */
export function inherited(ctx: Context, options: object): object {
  if (!ctx.isPassedOn) wantInput(ctx);
  return ctx.isPassedOn && ctx.input
    ? { ...passedOn(ctx, options), input: ctx.input }
    : passedOn(ctx, options);
}

/** Called when a program reads all its input at once. */
export function wantInput(ctx: Context): void {
  if (!ctx.isInputAwaited || !ctx.input || ctx.input.isDone) return;
  ctx.isInputWanted = true;
  throw new Error("the input is still being written");
}

/** Options with which a program starts a shell that shares its output. */
export function passedOn(ctx: Context, options: object): object {
  const { sink } = ctx;
  if (!sink || !ctx.isPassedOn) return options;
  const write = (stdout: string, stderr: string): Promise<void> | undefined =>
    sink.write({ stdout, stderr, exitCode: 0, stdoutKind: "text" });
  return { ...options, sink: { write } };
}

/** Creates the error that ends a stage whose reader has gone. */
export function brokenPipe(): Error {
  return engineParts().exit(BROKEN_PIPE, "", "");
}

function isSilent({ stdout, stderr }: { stdout: string; stderr: string }): boolean {
  return stdout === "" && stderr === "";
}

function assertOpen({ isBroken }: Sink): void {
  if (isBroken) throw brokenPipe();
}

/** Errors whose message was already printed. */
const printed = new WeakSet<object>();

/** The message that a list prints for an error that ends it. */
export function unprinted(error: object, message: string): string {
  return printed.has(error) ? "" : `bash: ${message}\n`;
}

/** Streams the output of a pipeline or a statement, unless it is captured. */
export async function streamed({ ctx }: Interpreter, run: () => Promise<Result>): Promise<Result> {
  const { sink } = ctx;
  if (!sink) return run();
  assertOpen(sink);
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    const isLast = ["ExecutionAbortedError", "ExecutionLimitError"].includes(nameOf(error));
    if (isThrown(error) && !isLast && !isSilent(error)) {
      const { stdout, stderr } = error;
      emptied(error);
      printed.add(error);
      await sink.write({ stdout, stderr, exitCode: 0, stdoutKind: "text" });
    }
    throw error;
  }
  if (isSilent(result)) return result;
  const wait = sink.write(result);
  if (wait) await wait;
  return emptied({ ...result, stdoutKind: "text" });
}

/** Redirections that leave standard output and standard error unchanged. */
const inputOnly = new Set(["<", "<<", "<<-", "<<<"]);

/** Runs a command with the streams that its redirections leave unchanged. */
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

const ownInputs = new Set(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);
const withOwnInput = new WeakMap<Command, Command>();

/** Removes redirections that reopen the current standard input: `<&0` and `</dev/stdin`. */
function withoutOwnInput(command: Command): Command {
  const { redirections = [] } = command;
  if (redirections.length === 0) return command;
  const known = withOwnInput.get(command);
  if (known) return known;
  const isOwn = ({ operator, fd, target }: Redirection): boolean => {
    const word = literal(target.parts);
    if ((fd ?? 0) !== 0 || word === undefined) return false;
    return operator === "<&" ? word === "0" : operator === "<" && ownInputs.has(word);
  };
  const others = redirections.filter((one) => !isOwn(one));
  const plainer =
    others.length === redirections.length ? command : { ...command, redirections: others };
  withOwnInput.set(command, plainer);
  return plainer;
}

function literal(parts: readonly (Node & { value?: string })[] = []): string | undefined {
  return parts.length === 1 && parts[0]?.type === "Literal" ? parts[0].value : undefined;
}

/** The treatment of standard error for `2>/dev/null` or `2>&1`. */
type Errors = "dropped" | "joined";

const plain = new WeakMap<Command, { errors: Errors; command: Command } | undefined>();

/** Removes `2>/dev/null` or `2>&1` from a command, if these are its only output redirections. */
function withoutErrors(command: Command): { errors: Errors; command: Command } | undefined {
  if (plain.has(command)) return plain.get(command);
  const { redirections = [], name } = command;
  const outputs = redirections.filter(
    ({ operator, fd }) => !inputOnly.has(operator) || (fd ?? 0) > 0,
  );
  const [only] = outputs;
  const target = only?.fd === 2 && outputs.length === 1 ? literal(only.target.parts) : undefined;
  const errors: Errors | undefined =
    (only?.operator === ">" || only?.operator === ">>") && target === "/dev/null"
      ? "dropped"
      : only?.operator === ">&" && target === "1"
        ? "joined"
        : undefined;
  // Redirections of exec persist.
  const isKept =
    command.type === "SimpleCommand" && [undefined, "exec"].includes(literal(name?.parts));
  const found =
    errors && !isKept
      ? {
          errors,
          command: { ...command, redirections: redirections.filter((one) => one !== only) },
        }
      : undefined;
  plain.set(command, found);
  return found;
}

/** Runs a command node. When only its errors are redirected, its output is streamed. */
export async function runCommandNode(
  interpreter: Interpreter,
  given: Command,
  run: (command: Command) => Promise<Result>,
): Promise<Result> {
  const { ctx } = interpreter;
  const command = withoutOwnInput(given);
  const { sink } = ctx;
  (ctx.stageInput ?? ctx.input)?.noteCommand();
  const found = sink && command.redirections?.length ? withoutErrors(command) : undefined;
  if (!sink || !found) return runCommand(interpreter, command, () => run(command));
  const { errors } = found;
  const settle = (result: Result): Result => {
    if (result.stderr === "") return result;
    const counted = result.internalOutputAccounting;
    const { stdout = 0, stderr = 0 } = counted ?? {};
    const isDropped = errors === "dropped";
    return {
      ...result,
      stderr: "",
      ...(counted && {
        internalOutputAccounting: { stdout: isDropped ? stdout : stdout + stderr, stderr: 0 },
      }),
      ...(!isDropped && {
        stdout: engineParts().bytesOf(result) + errorBytes(result.stderr),
        stdoutKind: "bytes",
      }),
    };
  };
  ctx.sink = {
    write: (result) => {
      const settled = settle(result);
      return isSilent(settled) ? undefined : sink.write(settled);
    },
    get isBroken() {
      return sink.isBroken;
    },
    isPipe: sink.isPipe,
    get hasReader() {
      return sink.hasReader ?? true;
    },
  };
  try {
    return settle(await runCommand(interpreter, found.command, () => run(found.command)));
  } catch (error) {
    if (isThrown(error)) {
      if (errors === "joined") error.stdout += error.stderr;
      error.stderr = "";
    }
    throw error;
  } finally {
    ctx.sink = sink;
  }
}

/** Standard error as a byte string. */
export function errorBytes(stderr: string): string {
  return engineParts().bytesOf({ stdout: stderr, stderr: "", exitCode: 0, stdoutKind: "text" });
}

/** Runs a pipeline and streams its output. */
export function runPipeline(interpreter: Interpreter, run: () => Promise<Result>): Promise<Result> {
  interpreter.ctx.owner = interpreter;
  return streamed(interpreter, run);
}
