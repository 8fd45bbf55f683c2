/** The pipe between two stages of a pipeline, built into just-bash by `scripts/vendor.ts`. */
import type { Input } from "./interpreter.ts";

/** The capacity of a Linux pipe; a writer beyond it waits for the reader. */
const CAPACITY = 65_536;
/** Bytes per read, so that a reader that wants little does not wait for more. */
const READ_BYTES = 16_384;
/**
 * Delay, and number of writes, before the pipe wakes the reader: about the start-up time of a program. Shorter output
 * is then complete before the reader looks, as it usually is on a machine.
 */
const HEAD_START_MS = 2;
const HEAD_START_WRITES = 128;
/**
 * Commands that a reader may run between two reads while the writer waits. A reader that runs more is busy with
 * something else, and may depend on the writer's next action; one that loads a program runs none.
 */
const MAX_COMMANDS_BETWEEN_READS = 64;

function linesIn(bytes: string): number {
  let lines = 0;
  for (let at = bytes.indexOf("\n"); at !== -1; at = bytes.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** A pipe of bytes, one per character. */
export class Pipe implements Input {
  /** True after a write to a pipe without a reader. */
  isBroken = false;
  readonly #brokenPipe: () => Error;
  #written = "";
  #unread = "";
  #writes = 0;
  #lines = 0;
  #commands = 0;
  #isRipe = false;
  #hasWriter = true;
  #hasReader = true;
  #abortError: (() => Error) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  /** Takes in `brokenPipe` the constructor of the error for writing to a closed pipe. */
  constructor(brokenPipe: () => Error) {
    this.#brokenPipe = brokenPipe;
  }

  get hasReader(): boolean {
    return this.#hasReader;
  }

  get isDone(): boolean {
    return !this.#hasWriter && this.#written === "" && this.#unread === "";
  }

  write(bytes: string): Promise<void> | undefined {
    if (bytes === "") return undefined;
    this.#assertReader();
    this.#written += bytes;
    this.#writes += 1;
    this.#lines += linesIn(bytes);
    if (this.#isDue()) this.#wakeReader?.();
    else this.#ripen();
    return this.#isFull() ? this.#untilRoom() : undefined;
  }

  async read(): Promise<string | undefined> {
    this.#commands = 0;
    if (this.#unread !== "") {
      const text = this.#unread;
      this.#unread = "";
      return text;
    }
    while (!this.#isDue()) {
      if (this.#written !== "") this.#ripen();
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
      this.#wakeReader = undefined;
    }
    if (this.#abortError) throw this.#abortError();
    if (this.#written === "") return undefined;
    const text = this.#written.slice(0, READ_BYTES);
    this.#written = this.#written.slice(READ_BYTES);
    this.#writes = 0;
    this.#lines = Math.max(0, this.#lines - linesIn(text));
    this.#isRipe = this.#written !== "";
    if (!this.#isFull()) this.#wakeWriter?.();
    return text;
  }

  noteCommand(): void {
    this.#commands += 1;
    if (this.#commands < MAX_COMMANDS_BETWEEN_READS) return;
    this.#commands = 0;
    this.#writes = 0;
    this.#lines = 0;
    if (!this.#isFull()) this.#wakeWriter?.();
  }

  unread(text: string): void {
    this.#unread = text + this.#unread;
  }

  /** Closes the writing end. */
  end(): void {
    clearTimeout(this.#timer);
    this.#hasWriter = false;
    this.#wakeReader?.();
  }

  /** Closes the reading end. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#hasReader = false;
    this.#wakeWriter?.();
  }

  /** Fails all reads and writes from now on with the error of `abortError`. */
  abort(abortError: () => Error): void {
    this.#abortError = abortError;
    this.end();
    this.leave();
  }

  #isDue(): boolean {
    if (!this.#hasWriter) return true;
    return (
      this.#written.length >= CAPACITY ||
      this.#writes >= HEAD_START_WRITES ||
      (this.#isRipe && this.#written !== "")
    );
  }

  /**
   * Reports whether the writer must wait. A limit in bytes alone would let a loop of short lines run to its limit
   * before its reader has loaded, or has had its turn to end. Lines count too: one write of a stage may stand for many
   * iterations of the stage before it.
   */
  #isFull(): boolean {
    const units = Math.max(this.#writes, this.#lines);
    return this.#written.length >= CAPACITY || units >= HEAD_START_WRITES;
  }

  #ripen(): void {
    if (!this.#wakeReader && this.#written === "") return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isRipe = true;
      if (this.#written !== "") this.#wakeReader?.();
    }, HEAD_START_MS);
  }

  async #untilRoom(): Promise<void> {
    while (this.#isFull() && this.#hasReader) {
      await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
      this.#wakeWriter = undefined;
    }
    if (this.#written !== "") this.#assertReader();
  }

  #assertReader(): void {
    if (this.#hasReader) return;
    this.isBroken = true;
    throw this.#abortError?.() ?? this.#brokenPipe();
  }
}
