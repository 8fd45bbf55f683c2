import { VariableMemory } from "../state/variable-memory.ts";

/** Limits of one run. Exceeding one ends the run with status 126 and a line on standard error. */
export interface Limits {
  /** Commands, nested ones included. */
  readonly commands: number;
  /** Iterations of one loop. */
  readonly loopIterations: number;
  /** Depth of function calls. */
  readonly callDepth: number;
  /** Bytes that a run may print, write to files or capture in substitutions, and characters of one text. */
  readonly outputBytes: number;
  /** Processes at once. */
  readonly processes: number;
}

/** A limit that a script exceeded: it ends, whatever handles errors in it. */
export class LimitError extends Error {
  override readonly name = "LimitError" as const;
  readonly exitCode = 126;
}

/** The end of a run from outside. */
export class AbortedError extends Error {
  override readonly name = "AbortedError" as const;

  constructor() {
    super("The command was ended.");
  }
}

/** The end of a program that was given a time. */
export class TerminatedError extends Error {
  override readonly name = "TerminatedError" as const;

  constructor() {
    super("The program was ended.");
  }
}

/** The end of a part of a run, once a signal has set it. */
interface End {
  readonly signal: object | undefined;
}

/** Use of a run's limits so far, and its first failure. */
interface Counts {
  commands: number;
  bytes: number;
  flow: number;
  processes: number;
  failure: LimitError | undefined;
}

/** Bytes that may flow through pipes, which hold few of them at once, for each byte of output. */
const FLOW = 16;
/** Words that one command may have. */
const MAX_WORDS = 1_000_000;

/** Counts what a run does, and lets others have their turn. Called where work happens. */
export class RunBudget {
  readonly limits: Limits;
  readonly #signal: AbortSignal | undefined;
  readonly #pace: () => Promise<void> | undefined;
  /** Characters that all variables hold together. */
  memory: VariableMemory;
  #counts: Counts = { commands: 0, bytes: 0, flow: 0, processes: 0, failure: undefined };
  /** Ends only the part of the run that has this budget. */
  #ends: readonly End[] = [];

  constructor(
    limits: Limits,
    { signal, pace }: { signal?: AbortSignal | undefined; pace: () => Promise<void> | undefined },
  ) {
    this.limits = limits;
    this.#signal = signal;
    this.#pace = pace;
    const characters = limits.outputBytes * 2;
    this.memory = new VariableMemory(characters, () =>
      this.fail(`string length limit exceeded (${characters} characters in all variables)`),
    );
  }

  /** The same budget for a part of the run that may be ended. */
  until(end: End): RunBudget {
    const part = new RunBudget(this.limits, { signal: this.#signal, pace: this.#pace });
    part.memory = this.memory;
    part.#counts = this.#counts;
    part.#ends = [...this.#ends, end];
    return part;
  }

  /** Ends the run after an abort, and after a limit that another part of it has exceeded. */
  check(): void {
    if (this.#counts.failure) throw this.#counts.failure;
    if (this.#signal?.aborted) throw new AbortedError();
    for (const { signal } of this.#ends) if (signal) throw new TerminatedError();
  }

  /** Called before each command. Await the result, unless it is `undefined`. */
  command(): Promise<void> | undefined {
    this.check();
    if (++this.#counts.commands > this.limits.commands)
      this.fail(`too many commands (${this.limits.commands})`);
    return this.turn();
  }

  /** Lets others have their turn when it is time. Await the result, unless it is `undefined`. */
  turn(): Promise<void> | undefined {
    this.check();
    return this.#pace()?.then(() => this.check());
  }

  /** Counts bytes that stay: printed, captured, or in a file. */
  output(bytes: number): void {
    this.#counts.bytes += bytes;
    if (this.#counts.bytes > this.limits.outputBytes)
      this.fail(`total output size exceeded (${this.limits.outputBytes} bytes)`);
  }

  /** Counts bytes that a program writes, wherever they go. */
  flow(bytes: number): void {
    this.#counts.flow += bytes;
    if (this.#counts.flow > this.limits.outputBytes * FLOW)
      this.fail(
        `total size of what programs write exceeded (${this.limits.outputBytes * FLOW} bytes)`,
      );
  }

  iteration(count: number): void {
    if (count > this.limits.loopIterations)
      this.fail(`too many iterations (${this.limits.loopIterations})`);
  }

  call(depth: number): void {
    if (depth > this.limits.callDepth)
      this.fail(`too many calls of functions in functions (${this.limits.callDepth})`);
  }

  /** Checks the length of a text, in UTF-16 code units. */
  text(length: number): void {
    if (length > this.limits.outputBytes)
      this.fail(`string length limit exceeded (${this.limits.outputBytes} characters)`);
  }

  /** Checks the number of words of a command. */
  words(count: number, kind = "word"): void {
    if (count > MAX_WORDS)
      this.fail(`${kind} expansion result limit exceeded (${MAX_WORDS} words)`);
  }

  processStarted(): void {
    if (++this.#counts.processes > this.limits.processes)
      this.fail(`more than ${this.limits.processes} processes run at once`);
  }

  processEnded(): void {
    this.#counts.processes--;
  }

  /** Ends the run, with the first reason that is given. */
  fail(reason: string): never {
    this.#counts.failure ??= new LimitError(reason);
    throw this.#counts.failure;
  }
}
