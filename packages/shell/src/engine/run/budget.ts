/** Limits of one run. Exceeding one ends the run with status 126 and a line on standard error. */
export interface Limits {
  /** Commands, nested ones included. */
  readonly commands: number;
  /** Iterations of one loop. */
  readonly loopIterations: number;
  /** Depth of function calls. */
  readonly callDepth: number;
  /** Bytes that a run may print, or pass through substitutions. */
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

/** Counts what a run does, and lets others have their turn. Called where work happens. */
export class RunBudget {
  readonly limits: Limits;
  readonly #signal: AbortSignal | undefined;
  readonly #pace: () => Promise<void> | undefined;
  #commands = 0;
  #bytes = 0;
  #processes = 0;
  #failure: LimitError | undefined;

  constructor(
    limits: Limits,
    { signal, pace }: { signal?: AbortSignal | undefined; pace: () => Promise<void> | undefined },
  ) {
    this.limits = limits;
    this.#signal = signal;
    this.#pace = pace;
  }

  /** Ends the run after an abort, and after a limit that another part of it has exceeded. */
  check(): void {
    if (this.#failure) throw this.#failure;
    if (this.#signal?.aborted) throw new AbortedError();
  }

  /** Called before each command. Await the result, unless it is `undefined`. */
  command(): Promise<void> | undefined {
    this.check();
    if (++this.#commands > this.limits.commands)
      this.fail(`more than ${this.limits.commands} commands`);
    return this.turn();
  }

  /** Lets others have their turn when it is time. Await the result, unless it is `undefined`. */
  turn(): Promise<void> | undefined {
    this.check();
    return this.#pace()?.then(() => this.check());
  }

  output(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.outputBytes)
      this.fail(`more than ${this.limits.outputBytes} bytes of output`);
  }

  iteration(count: number): void {
    if (count > this.limits.loopIterations)
      this.fail(`more than ${this.limits.loopIterations} iterations of a loop`);
  }

  call(depth: number): void {
    if (depth > this.limits.callDepth)
      this.fail(`more than ${this.limits.callDepth} calls in calls`);
  }

  processStarted(): void {
    if (++this.#processes > this.limits.processes)
      this.fail(`more than ${this.limits.processes} processes at once`);
  }

  processEnded(): void {
    this.#processes--;
  }

  fail(reason: string): never {
    this.#failure ??= new LimitError(`limit exceeded: ${reason}`);
    throw this.#failure;
  }
}
