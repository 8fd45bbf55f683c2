import type { LinearEngine } from "@robota/runtime/ports";
import type { Budget, Value } from "./values.ts";

/** An error that a program can catch. */
export class JqError extends Error {
  override readonly name = "JqError" as const;
  readonly value: Value;

  constructor(value: Value) {
    super(typeof value === "string" ? value : "an error with a value");
    this.value = value;
  }
}

/** The end of a program that exceeds a limit, whatever it catches. */
export class JqLimitReached extends Error {
  override readonly name = "JqLimitReached" as const;
}

/** The end of a program by `halt` or `halt_error`. */
export class Halt extends Error {
  override readonly name = "Halt" as const;
  readonly exitCode: number;
  readonly text: string;

  constructor(exitCode: number, text: string) {
    super("The program halted.");
    this.exitCode = exitCode;
    this.text = text;
  }
}

/** The values that a program reads. */
export interface Inputs {
  /** The next value; `wait` while it has to be read first, and `end` after the last one. */
  next(): { value: Value } | "wait" | "end";
  readonly fileName: string | null;
  readonly lineNumber: number;
}

const SLICE = 256;
/** Elements of one array: each takes some ten bytes. */
const MAX_ELEMENTS = 4_000_000;

/** The surroundings of a running program: its steps and limits, its inputs and messages. */
export class JqMachine implements Budget {
  readonly inputs: Inputs;
  readonly env: Readonly<Record<string, string>>;
  /** The directories of libraries. */
  readonly library: readonly string[];
  /** Text for standard error. */
  messages = "";
  /** Engine of regular expressions, once a program has any. */
  engine: LinearEngine | undefined;
  readonly maxCharacters: number;
  readonly #maxSteps: number;
  #steps = 0;
  #slice = 0;

  constructor(options: {
    inputs: Inputs;
    env: Readonly<Record<string, string>>;
    maxSteps: number;
    maxCharacters: number;
    library: readonly string[];
  }) {
    this.inputs = options.inputs;
    this.env = options.env;
    this.library = options.library;
    this.#maxSteps = options.maxSteps;
    this.maxCharacters = options.maxCharacters;
  }

  /** Starts to count again, for the next input. */
  restart(): void {
    this.#steps = 0;
  }

  /** Counts steps. @returns whether a pause is due */
  tick(count = 1): boolean {
    this.work(count);
    if (this.#slice < SLICE) return false;
    this.#slice = 0;
    return true;
  }

  work(count: number): void {
    this.#slice += count;
    this.#steps += count;
    if (this.#steps > this.#maxSteps)
      throw new JqLimitReached(`iterations limit exceeded (${this.#maxSteps} steps)`);
  }

  /** Counts time-consuming work towards the next pause. */
  weigh(steps: number): void {
    this.#slice += steps;
  }

  /** Returns a text if it is within the limit. */
  text(text: string): string {
    this.length(text.length);
    return text;
  }

  /** Checks the length of a text, and counts its making. */
  length(characters: number): void {
    if (characters > this.maxCharacters)
      throw new JqLimitReached(`string length limit exceeded (${this.maxCharacters} characters)`);
    this.work(characters / 4096);
  }

  /** Checks the length of an array, and counts its making. */
  elements(count: number): void {
    if (count > MAX_ELEMENTS)
      throw new JqLimitReached(`array length limit exceeded (${MAX_ELEMENTS} elements)`);
    this.work(count / 512);
  }
}
