import { FileSystemError, resolvePath } from "@robota/runtime/ports";
import { FunctionReturn, LoopJump, ShellExit } from "../run/control.ts";
import { describeFileError } from "../../files/file-errors.ts";
import { filesOf, type Process, report } from "../run/process.ts";
import { untilReturn } from "../run/functions.ts";
import { scriptOnPath } from "../run/programs.ts";
import { oneLevelDeeper } from "../run/trace.ts";
import { hideTraps, runTrap } from "../run/traps.ts";
import { ExpansionError } from "../state/access.ts";
import { decodeShellText } from "../text/bytes.ts";
import { type Builtin, parseOptions, withTexts } from "./builtin.ts";
import { describeCommands } from "./type.ts";

const SHELL_ERROR = 2;
const MISUSED_JUMP = 128;
const INTEGER = /^\s*[+-]?\d+\s*$/;

async function statusOf(process: Process, args: readonly string[], name: string): Promise<number> {
  const [text, ...more] = args[0] === "--" ? args.slice(1) : args;
  if (text === undefined) return process.state.status;
  if (INTEGER.test(text)) {
    assertSingle(name, more);
    return Number(BigInt.asUintN(8, BigInt(text)));
  }
  await report(process, `${name}: ${text}: numeric argument required`);
  return SHELL_ERROR;
}

/** @throws {ExpansionError} which ends the line, for more arguments than one */
function assertSingle(name: string, more: readonly string[]): void {
  if (more.length > 0) throw new ExpansionError(`${name}: too many arguments`, { endsLine: true });
}

export const exit = withTexts(async (process, args, name) => {
  throw new ShellExit(await statusOf(process, args, name));
});

export const returnBuiltin = withTexts(async (process, args, name) => {
  const status = await statusOf(process, args, name);
  if (process.state.frames.length > 0) throw new FunctionReturn(status);
  await report(process, "return: can only `return' from a function or sourced script");
  return SHELL_ERROR;
});

function jump(kind: "break" | "continue"): Builtin {
  return withTexts(async (process, args) => {
    if (process.loopDepth === 0) {
      await report(process, `${kind}: only meaningful in a \`for', \`while', or \`until' loop`);
      return 0;
    }
    const [text = "1", ...more] = args[0] === "--" ? args.slice(1) : args;
    if (!INTEGER.test(text)) {
      await report(process, `${kind}: ${text}: numeric argument required`);
      throw new ShellExit(process.state.status | MISUSED_JUMP);
    }
    assertSingle(kind, more);
    const count = Number(text);
    if (count <= 0) {
      await report(process, `${kind}: ${text}: loop count out of range`);
      if (process.toleratesFailure === 0 && process.state.options.has("errexit"))
        throw new ShellExit(1);
      throw new LoopJump("break", process.loopDepth, 1);
    }
    process.state.status = 0;
    throw new LoopJump(kind, Math.min(count, process.loopDepth));
  });
}

export const breakBuiltin = jump("break");
export const continueBuiltin = jump("continue");

/** The arguments of a builtin behind its options; the status of one that it does not have. */
async function operandsOf(
  process: Process,
  args: readonly string[],
  { name, ...letters }: { name: string; flags: string; valued?: string },
): Promise<readonly string[] | number> {
  const { rest, wrong } = parseOptions(args, letters);
  if (wrong === undefined) return rest;
  await report(process, `${name}: ${wrong}: invalid option`);
  return SHELL_ERROR;
}

export const evalBuiltin = withTexts(async (process, args, name) => {
  const operands = await operandsOf(process, args, { name, flags: "" });
  if (typeof operands === "number") return operands;
  const { state, run } = process;
  return oneLevelDeeper(process, () =>
    run.interpreter.runText(process, operands.join(" "), { firstLine: state.line, isPart: true }),
  );
});

export const source = withTexts(async (process, args, name) => {
  const operands = await operandsOf(process, args, { name, flags: "" });
  if (typeof operands === "number") return operands;
  const [file, ...positional] = operands;
  const { state, run } = process;
  if (file === undefined) {
    await report(process, `${name}: filename argument required`);
    return SHELL_ERROR;
  }
  let text: string;
  try {
    const found = state.options.has("sourcepath") && (await scriptOnPath(process, file));
    text = await readScript(process, found || file);
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    await report(process, `${file}: ${describeFileError(error)}`);
    return 1;
  }
  const before = { positional: state.positional, frames: state.frames };
  if (positional.length > 0) state.positional = positional;
  state.frames = [{ name: "source", source: file, line: state.line }, ...state.frames];
  const restoreTraps = hideTraps(state, state.options.has("functrace") ? [] : ["DEBUG"]);
  try {
    const status = await oneLevelDeeper(process, () =>
      untilReturn(run.interpreter.runText(process, text, { isPart: true })),
    );
    await runTrap(process, "RETURN");
    return status;
  } finally {
    if (positional.length > 0) state.positional = before.positional;
    state.frames = before.frames;
    restoreTraps();
  }
});

async function readScript(process: Process, file: string): Promise<string> {
  const number = /^\/dev\/(?:fd\/(\d+)|stdin)$/.exec(file);
  const open = number && process.descriptors.get(Number(number[1] ?? 0));
  if (open) return decodeShellText(await open.readAll());
  const path = resolvePath(process.state.cwd, file);
  return decodeShellText(await filesOf(process).readFile(path));
}

export const exec = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "cl", valued: "a" });
  if (wrong !== undefined || (args.at(-1) === "-a" && rest.length === 0)) {
    await report(process, `${name}: ${wrong ?? "-a"}: invalid option`);
    return SHELL_ERROR;
  }
  if (rest.length === 0) return 0;
  const { run } = process;
  const { variables } = process.state;
  if (options.has("c")) for (const key of Object.keys(variables.exported())) variables.delete(key);
  const shown = options.get("a") ?? rest[0] ?? "";
  process.state.traps.delete("EXIT");
  process.isSole = true;
  throw new ShellExit(
    await run.interpreter.runWords(process, rest, {
      skipsFunctions: true,
      skipsBuiltins: true,
      shownAs: options.has("l") ? `-${shown}` : shown,
    }),
  );
});

export const builtin = withTexts(async (process, args, name) => {
  const operands = await operandsOf(process, args, { name, flags: "" });
  if (typeof operands === "number") return operands;
  if (operands.length === 0) return 0;
  return process.run.interpreter.runWords(process, operands, {
    skipsFunctions: true,
    skipsPrograms: true,
  });
});

export const command = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "pvV" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return SHELL_ERROR;
  }
  if (rest.length === 0) return 0;
  if (options.has("v") || options.has("V"))
    return describeCommands(process, rest, options.has("V") ? "long" : "short");
  return process.run.interpreter.runWords(process, rest, {
    skipsFunctions: true,
    skipsPath: options.has("p"),
  });
});
