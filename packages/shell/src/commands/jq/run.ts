import { loadLinearEngine } from "@robota/runtime/ports";
import type { ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { createPrinter } from "../streams.ts";
import { compileProgram } from "./evaluate.ts";
import { type Filter, PAUSE, plain } from "./filter.ts";
import { ValueReader } from "./inputs.ts";
import { JsonError } from "./text/json.ts";
import { Halt, JqError, JqLimitReached, JqMachine } from "./machine.ts";
import { loadModules, ModuleError } from "./modules.ts";
import { type Options, variablesOf } from "./options.ts";
import { jsonText, laidOut } from "./text/print.ts";
import { colored } from "./text/print-color.ts";
import { ProgramError } from "./syntax/tree.ts";
import { isTrue, type Value } from "./values.ts";

const FALSE_RESULT = 1;
const BAD_FILE = 2;
const BAD_PROGRAM = 3;
const NO_RESULT = 4;
const BAD_INPUT = 4;
const FAILED = 5;
const LIMIT = 126;

const STEPS_PER_PAUSE = 256;
const BUFFERED = 65_536;

/** Runs a program for each of its inputs. */
export async function runProgram(
  options: Options,
  context: ShellCommandContext,
): Promise<ShellCommandResult> {
  const reader = new ValueReader(context, {
    files: options.files,
    isRaw: options.isRawInput,
    isSlurped: options.isSlurped,
    isStreamed: options.isStreamed,
  });
  const machine = new JqMachine({
    inputs: reader,
    env: context.env,
    maxSteps: context.maxIterations * 3,
    maxCharacters: context.maxCharacters,
    library: options.library,
  });
  reader.machine = machine;
  let filter: Filter;
  try {
    const { program: source } = options;
    const module = await loadModules({ ...options, source }, context);
    const globals = variablesOf(options, context.env);
    const compiled = compileProgram(module, { machine, globals });
    ({ filter } = compiled);
    if (compiled.usesExpressions) machine.engine = await loadLinearEngine();
  } catch (error) {
    if (error instanceof RangeError)
      return { stderr: "jq: error: the program is nested too deeply\n", exitCode: BAD_PROGRAM };
    if (error instanceof ModuleError)
      return { stderr: `jq: ${error.message}\n\njq: 1 compile error\n`, exitCode: BAD_PROGRAM };
    if (!(error instanceof ProgramError)) throw error;
    const { source, file = "<top-level>" } = error.origin ?? { source: options.program };
    const line = source.slice(0, error.at).split("\n").length;
    const stderr = `jq: error: ${error.message} at ${file}, line ${line}:\n${source}\njq: 1 compile error\n`;
    return { stderr, exitCode: BAD_PROGRAM };
  }
  return new Run({ options, context, machine, reader, filter }).result();
}

interface Parts {
  readonly options: Options;
  readonly context: ShellCommandContext;
  readonly machine: JqMachine;
  readonly reader: ValueReader;
  readonly filter: Filter;
}

class Run {
  readonly #parts: Parts;
  readonly #printer: ReturnType<typeof createPrinter>;
  #text = "";
  #status = 0;
  #last: Value | undefined;
  #hasRun = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#printer = createPrinter(parts.context);
  }

  async result(): Promise<ShellCommandResult> {
    const { machine, options, reader } = this.#parts;
    let ended: number | undefined;
    try {
      await this.#runAll();
    } catch (error) {
      ended = this.#endOf(error);
    }
    await this.#flush();
    const stderr = reader.errors + machine.messages;
    let exitCode = ended ?? this.#status;
    if (exitCode === 0 && reader.errors !== "") exitCode = BAD_FILE;
    if (exitCode === 0 && options.setsStatus && this.#hasRun && ended === undefined)
      exitCode = this.#last === undefined ? NO_RESULT : isTrue(this.#last) ? 0 : FALSE_RESULT;
    return { stdout: this.#printer.rest(), stderr, exitCode };
  }

  /** The exit code of what ended the program. @throws what ends more than the program */
  #endOf(error: unknown): number {
    const { machine, reader } = this.#parts;
    if (error instanceof Halt) {
      machine.messages += error.text;
      return error.exitCode;
    }
    if (error instanceof JqLimitReached) {
      machine.messages += `jq: error: ${error.message}\n`;
      return LIMIT;
    }
    if (error instanceof JsonError) {
      machine.messages += `jq: parse error: ${error.message}\n`;
      return reader.errors === "" ? BAD_INPUT : BAD_FILE;
    }
    if (error instanceof RangeError) {
      machine.messages += `jq: error (at ${reader.location}): recursion is deeper than the stack\n`;
      return FAILED;
    }
    throw error;
  }

  async #runAll(): Promise<void> {
    const { options, reader } = this.#parts;
    if (options.hasNoInput) {
      await this.#runFor(null);
      return;
    }
    for (;;) {
      const next = reader.next();
      if (next === "end") return;
      if (next === "wait") await reader.fill();
      else await this.#runFor(next.value);
    }
  }

  /** Runs the program for one input; its errors are reported, and the next input is due. */
  async #runFor(value: Value): Promise<void> {
    const { context, filter, machine, reader } = this.#parts;
    machine.restart();
    this.#hasRun = true;
    try {
      const { one } = filter;
      const due = context.pace();
      if (due) await due;
      if (one) {
        await this.#print(plain(one(value, undefined)));
        return;
      }
      for (const result of filter.run(value, undefined)) {
        const isPause = result === PAUSE;
        if (!isPause) {
          const printed = this.#print(plain(result));
          if (printed) await printed;
        } else if (reader.isWaiting) await reader.fill();
        const turn = context.pace(isPause ? STEPS_PER_PAUSE : 1);
        if (turn) await turn;
      }
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      this.#status = FAILED;
      const where = `jq: error (at ${reader.location})`;
      machine.messages +=
        typeof error.value === "string"
          ? `${where}: ${error.value}\n`
          : `${where} (not a string): ${jsonText(error.value, machine)}\n`;
    }
  }

  #print(value: Value): Promise<void> | undefined {
    const { options, machine } = this.#parts;
    const { layout } = options;
    this.#last = value;
    if (options.isSequence) this.#text += "\x1e";
    if (options.isRawOutput && typeof value === "string") this.#text += value;
    else if (options.isColored) this.#text += colored(value, layout);
    else this.#text += laidOut(value, layout, machine.maxCharacters);
    if (!options.isJoined) this.#text += "\n";
    return this.#text.length >= BUFFERED ? this.#flush() : undefined;
  }

  #flush(): Promise<void> | undefined {
    const text = this.#text;
    this.#text = "";
    return text === "" ? undefined : this.#printer.print(text);
  }
}
