import type {
  EngineCommand,
  EngineCommandContext,
  EngineResult,
  NestedCall,
} from "./engine-command.ts";
import { concatBytes, encodeText, type FileSystem } from "@robota/runtime/ports";
import { toByteString } from "../../bytes.ts";
import { EngineFiles } from "../../files/engine-files.ts";
import type { RunBudget } from "../run/budget.ts";
import { inputOf, OpenDescription } from "../run/descriptors.ts";
import { isBrokenPipe } from "../run/pipelines.ts";
import {
  filesOf,
  forkProcess,
  type Process,
  type Program,
  type ProgramCall,
} from "../run/process.ts";
import { withDescriptors } from "./descriptor-files.ts";
import { failureOf } from "./failure.ts";
import { encodeShellText } from "../text/bytes.ts";
import { hideFunctions } from "../state/shell-state.ts";

/** A command as a program of the engine. */
export function commandProgram(command: EngineCommand): Program {
  return { name: command.name, run: (call) => runCommand(command, call) };
}

const EMPTY = new Uint8Array();
/** Bytes of a long result that are passed on, and decoded, without a look at the clock. */
const BYTES_A_TURN = 512 * 1024;

/** A program asked for all of its input at once while that is still being written. */
class InputMissing extends Error {
  override readonly name = "InputMissing" as const;

  constructor() {
    super("The input is still being written.");
  }
}

async function runCommand(command: EngineCommand, call: ProgramCall): Promise<number> {
  const { process, args } = call;
  const input = process.descriptors.get(0);
  if (input?.isComplete) await input.load();
  const files = withDescriptors(filesOf(process), process);
  const { context, isInputMissing } = contextOf(call, { input, files });
  const result = await command
    .execute([...args], context)
    .catch((error: unknown) => (isInputMissing() ? undefined : failureOf(error, call)));
  if (result && !isInputMissing()) return writeResult(process, result);
  // It can't wait where it asked, so it starts again.
  const whole = inputOf(await readWhole(process, input));
  await whole.load();
  const again = contextOf(call, { input: whole, files });
  return writeResult(process, await execute(command, call, again.context));
}

/** Runs a program, whose own failures are results. */
async function execute(
  command: EngineCommand,
  call: ProgramCall,
  context: EngineCommandContext,
): Promise<EngineResult> {
  try {
    return await command.execute([...call.args], context);
  } catch (error) {
    return failureOf(error, call);
  }
}

/** All input of a program that keeps it. */
async function readWhole(
  { run }: Process,
  input: OpenDescription | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await input?.read(); chunk; chunk = await input?.read()) {
    run.budget.text((size += chunk.length));
    chunks.push(chunk);
    const turn = run.budget.turn();
    if (turn) await turn;
  }
  return concatBytes(chunks);
}

async function writeResult(process: Process, result: EngineResult): Promise<number> {
  process.run.budget.check();
  const { stdout: output } = result;
  const stdout = typeof output === "string" ? encodeShellText(output) : output;
  process.run.budget.text(stdout.length);
  await write(process, 2, encodeText(result.stderr));
  for (let at = 0; at < stdout.length; at += BYTES_A_TURN) {
    const turn = at > 0 ? process.run.budget.turn() : undefined;
    if (turn) await turn;
    await write(process, 1, stdout.subarray(at, at + BYTES_A_TURN));
  }
  return result.exitCode & 0xff;
}

async function write(process: Process, number: number, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return;
  process.run.budget.flow(bytes.length);
  try {
    await process.descriptors.get(number)?.write(bytes);
  } catch (error) {
    if (number === 1 || !isBrokenPipe(error)) throw error;
  }
}

interface ProgramFiles {
  readonly input: OpenDescription | undefined;
  readonly files: FileSystem;
}

function contextOf(
  { process, env }: ProgramCall,
  { input, files }: ProgramFiles,
): { context: EngineCommandContext; isInputMissing: () => boolean } {
  const { state, run } = process;
  const { limits, hooks } = run.host;
  let isMissing = false;
  let whole: string | undefined;
  const context: EngineCommandContext = {
    fs: new EngineFiles(files, hooks),
    cwd: state.cwd,
    umask: state.umask,
    env: new Map(Object.entries(env)),
    exportedEnv: { ...env },
    get stdin() {
      if (input === undefined || input.isComplete)
        return (whole ??= toByteString(input?.takeUnread() ?? EMPTY));
      isMissing = true;
      throw new InputMissing();
    },
    stream: streamOf(process, input),
    ...(run.signal ? { signal: run.signal } : {}),
    limits,
    exec: (program, call) => runNested(process, program, call),
  };
  return { context, isInputMissing: () => isMissing };
}

function streamOf(
  process: Process,
  input: OpenDescription | undefined,
): NonNullable<EngineCommandContext["stream"]> {
  const output = process.descriptors.get(1);
  const isComplete = input === undefined || input.isComplete;
  return {
    ...(isComplete ? {} : { read: () => input.read(), readAll: () => readWhole(process, input) }),
    write(bytes) {
      process.run.budget.flow(bytes.length);
      return output?.write(bytes);
    },
    inputPath: input?.path,
    outputPath: output?.path,
    assertReader() {
      if (output?.hasReader() === false)
        throw Object.assign(new Error("Broken pipe"), { exitCode: 141 });
    },
  };
}

/** Runs a program for another one, such as those of `xargs`. */
async function runNested(
  process: Process,
  program: string,
  { cwd, env, stdin, args }: NestedCall,
): Promise<EngineResult> {
  const child = forkProcess(process);
  const { interpreter } = process.run;
  const { budget } = process.run;
  const [output, errors] = [collector(budget), collector(budget)];
  child.state.cwd = cwd;
  hideFunctions(child.state);
  for (const [name, value] of Object.entries(env)) {
    child.state.variables.set(name, value);
    child.state.variables.setAttribute(name, "exported", true);
  }
  for (const name of Object.keys(child.state.variables.exported()))
    if (!(name in env)) child.state.variables.delete(name);
  if (stdin !== undefined) await child.descriptors.set(0, inputOf(encodeText(stdin)));
  await child.descriptors.set(1, output.file);
  await child.descriptors.set(2, errors.file);
  child.toleratesFailure = 1;
  const exitCode = await interpreter.finish(child, () =>
    interpreter.runWords(child, [program, ...args], { skipsFunctions: true }),
  );
  return {
    stdout: output.bytes(),
    stderr: new TextDecoder().decode(errors.bytes()),
    exitCode,
  };
}

function collector(budget: RunBudget): { file: OpenDescription; bytes: () => Uint8Array } {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const file = new OpenDescription({
    write(bytes) {
      budget.text((size += bytes.length));
      chunks.push(bytes);
      return undefined;
    },
  });
  return { file, bytes: () => concatBytes(chunks) };
}
