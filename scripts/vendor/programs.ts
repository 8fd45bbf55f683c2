/** The start of programs in a concurrent stage, built into just-bash by `scripts/vendor.ts`. */
import type { Context, Input, Interpreter, Result } from "./interpreter.ts";
import { noteOptions } from "./just-bash-additions.ts";
import { brokenPipe, engineParts, runCommand } from "./streams.ts";

/** Bytes after which an incomplete line is passed on. */
const MAX_LINE = 65_536;
/** Commands that run a script in the current shell. */
const scripts = new Set([".", "eval", "source"]);
/** Programs that start another program and pass its output on. */
const starters = new Set(["bash", "env", "nice", "nohup", "sh", "stdbuf", "timeout"]);
/** Commands that run another command in their place. */
const prefixes = new Set(["builtin", "command", "exec"]);

/** Runs a program with the input and the output of its stage. */
export async function runProgram(
  interpreter: Interpreter,
  name: string,
  args: readonly string[],
  stdin: string,
  isRedirected: boolean,
  run: (stdin: string, args: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { ctx } = interpreter;
  if (name === "set") noteOptions(ctx.state, args);
  if (!ctx.sink && !ctx.input) return run(stdin, args);
  const called = ctx.state.functions.get(name);
  if (called) return runCommand(interpreter, called, () => run(stdin, args));
  if (prefixes.has(name)) return run(stdin, args);
  const input = stdin === "" && !isRedirected ? ctx.input : undefined;
  ctx.isInherited = scripts.has(name) || name.includes("/");
  ctx.isPassedOn = starters.has(name);
  try {
    if (!input) {
      ctx.stream = streamOf(ctx, undefined);
      return await run(stdin, args);
    }
    if (scripts.has(name)) return await run(stdin, args);
    if (name === "read") return await runRead(ctx, input, args, () => run(stdin, args));
    if (name === "mapfile" || name === "readarray") {
      await drain(ctx, input);
      return await run(stdin, args);
    }
    if (isLineByLine(name, args))
      return await runByParts(ctx, input, (part, isFirst) =>
        run(part, name === "tee" && !isFirst ? ["-a", ...args] : args),
      );
    return await runWithInput(ctx, input, () => run(stdin, args));
  } finally {
    ctx.stream = undefined;
    ctx.isInherited = false;
    ctx.isPassedOn = false;
  }
}

function streamOf(ctx: Context, input: Input | undefined): Context["stream"] {
  const { sink, isStage, executionScope } = ctx;
  if (!isStage) return undefined;
  const write = (bytes: string): Promise<void> | undefined => {
    // Printed output has a limit; piped output has not.
    if (!sink?.isPipe) executionScope.appendOutput("stdout", bytes, "pipeline", 0, "bytes");
    return sink?.write({ stdout: bytes, stdoutKind: "bytes", stderr: "", exitCode: 0 });
  };
  const assertReader = (): void => {
    if (sink?.hasReader === false) throw brokenPipe();
  };
  return {
    ...(input ? { read: () => input.read() } : {}),
    ...(sink ? { write, assertReader } : {}),
  };
}

/** Runs a program; one that turns out to read all input restarts once the input is complete. */
async function runWithInput(
  ctx: Context,
  input: Input,
  run: () => Promise<Result>,
): Promise<Result> {
  ctx.stream = streamOf(ctx, input);
  ctx.isInputAwaited = true;
  ctx.isInputWanted = false;
  let result: Result;
  try {
    result = await run();
  } finally {
    ctx.isInputAwaited = false;
  }
  if (!ctx.isInputWanted) return result;
  ctx.isInputWanted = false;
  await drain(ctx, input);
  ctx.stream = streamOf(ctx, undefined);
  try {
    return await run();
  } finally {
    ctx.state.groupStdin = "";
  }
}

/** Reads all input into the state. The limit of output applies to it too. */
async function drain({ state, limits, executionScope }: Context, input: Input): Promise<void> {
  const parts: string[] = [];
  let length = 0;
  for (let part = await input.read(); part !== undefined; part = await input.read()) {
    parts.push(part);
    length += part.length;
    if (length <= limits.maxOutputSize) continue;
    executionScope.appendOutput("stdout", parts.join(""), "pipeline", 0, "bytes");
  }
  state.groupStdin = parts.join("");
}

// ---- read

interface Wanted {
  delimiter: string;
  characters: number;
  isRaw: boolean;
}

/** The amount that `read` takes; `undefined` when it reads another descriptor. */
function wantedBy(args: readonly string[]): Wanted | undefined {
  const wanted: Wanted = { delimiter: "\n", characters: Number.POSITIVE_INFINITY, isRaw: false };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-") || arg === "--") break;
    for (let place = 1; place < arg.length; place++) {
      const letter = arg.charAt(place);
      if (letter === "r") wanted.isRaw = true;
      if (!"dnNatpiu".includes(letter)) continue;
      const value = arg.slice(place + 1) || (args[++at] ?? "");
      if (letter === "u" && value !== "0") return undefined;
      if (letter === "d") wanted.delimiter = value.charAt(0) || "\0";
      if (letter === "n" || letter === "N") wanted.characters = Number(value);
      if (letter === "N") wanted.delimiter = "";
      break;
    }
  }
  return wanted;
}

function isEnough(text: string, { delimiter, characters, isRaw }: Wanted): boolean {
  // An escaped character takes two, and each may take four bytes.
  if (text.length >= characters * 8) return true;
  if (delimiter === "") return false;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    let backslashes = 0;
    while (text.charAt(at - 1 - backslashes) === "\\") backslashes += 1;
    if (isRaw || backslashes % 2 === 0) return true;
  }
  return false;
}

async function runRead(
  { state }: Context,
  input: Input,
  args: readonly string[],
  run: () => Promise<Result>,
): Promise<Result> {
  const wanted = wantedBy(args);
  if (!wanted) return run();
  let text = "";
  while (!isEnough(text, wanted)) {
    const part = await input.read();
    if (part === undefined) break;
    text += part;
  }
  state.groupStdin = text;
  try {
    return await run();
  } finally {
    if (state.groupStdin) input.unread(state.groupStdin);
    state.groupStdin = "";
  }
}

// ---- programs that print a line for each line

function isLineByLine(name: string, args: readonly string[]): boolean {
  switch (name) {
    case "cat":
      return args.every((arg) => arg === "-" || arg === "-u") && args.length < 2;
    case "rev":
      return args.length === 0;
    case "tr":
      return !args.some((arg) => /^-\w*s|^--squeeze/.test(arg));
    case "cut":
      return !args.some(
        (arg, at) => !/^(?:-[dfcbs]|--\S+=)/.test(arg) && !/^-[dfcb]$/.test(args[at - 1] ?? ""),
      );
    case "tee":
      return true;
    default:
      return false;
  }
}

/** Runs a program for each chunk of its input, which ends with a line if possible. */
async function runByParts(
  { sink, executionScope }: Context,
  input: Input,
  run: (part: string, isFirst: boolean) => Promise<Result>,
): Promise<Result> {
  const all = { stdout: "", stderr: "", exitCode: 0 };
  const accounting = { stdout: 0, stderr: 0 };
  for (let isFirst = true; ; isFirst = false) {
    const part = await linesOf(input);
    if (part === undefined && !isFirst)
      return { ...all, stdoutKind: "bytes", internalOutputAccounting: accounting };
    const result = await run(part ?? "", isFirst);
    if (result.exitCode !== 0) all.exitCode = result.exitCode;
    const bytes = engineParts().bytesOf(result);
    if (!sink?.isPipe) executionScope.appendOutput("stdout", bytes, "pipeline", 0, "bytes");
    if (sink) await sink.write(result);
    else {
      all.stdout += bytes;
      all.stderr += result.stderr;
      accounting.stdout += bytes.length;
    }
  }
}

/** Reads available input, up to the end of its last line unless the line is too long. */
async function linesOf(input: Pick<Input, "read" | "unread">): Promise<string | undefined> {
  let text = "";
  for (;;) {
    const part = await input.read();
    if (part === undefined) return text === "" ? undefined : text;
    text += part;
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0 && text.length < MAX_LINE) continue;
    if (end > 0 && end < text.length) input.unread(text.slice(end));
    return end > 0 ? text.slice(0, end) : text;
  }
}
