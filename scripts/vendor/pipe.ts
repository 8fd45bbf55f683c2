/** The pipe between two stages of a pipeline, as `scripts/vendor.ts` builds it into just-bash. */
import type { Input } from "./interpreter.ts";

/** As much as a pipe of Linux holds; who writes more waits for the reader. */
const CAPACITY = 65_536;
/** As much as one read gives, so that a reader that wants little does not work for more. */
const READ_BYTES = 16_384;
/**
 * How long, and for how many writes, the reader leaves the writer alone: about as long as a program takes to start. What
 * prints less than that has printed it before the reader looks, as it mostly has on a machine.
 */
const HEAD_START_MS = 2;
const HEAD_START_WRITES = 256;
/**
 * Commands that a reader may run between two reads while the writer waits for it. Who runs more is busy with something
 * else, and may be waiting for what the writer does next; who loads a program runs none.
 */
const MAX_COMMANDS_BETWEEN_READS = 64;

function linesIn(bytes: string): number {
  let lines = 0;
  for (let at = bytes.indexOf("\n"); at !== -1; at = bytes.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** Bytes, a character each. */
export class Pipe implements Input {
  /** Whether somebody has written after the reader was gone. */
  isBroken = false;
  readonly #brokenPipe: () => Error;
  #written = "";
  #unread = "";
  #writes = 0;
  #lines = 0;
  #commands = 0;
  #hasBegun = false;
  #isRipe = false;
  #hasWriter = true;
  #hasReader = true;
  #abortion: (() => Error) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  /** `brokenPipe` makes what is thrown at who writes where nobody reads. */
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
    if (!this.#hasBegun) this.#lines += linesIn(bytes);
    if (this.#isDue()) this.#wakeReader?.();
    else this.#ripen();
    return this.#isFull() ? this.#untilRoom() : undefined;
  }

  async read(): Promise<string | undefined> {
    this.#commands = 0;
    this.#hasBegun = true;
    this.#lines = 0;
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
    if (this.#abortion) throw this.#abortion();
    if (this.#written === "") return undefined;
    const text = this.#written.slice(0, READ_BYTES);
    this.#written = this.#written.slice(READ_BYTES);
    this.#writes = 0;
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

  /** The writer is done. */
  end(): void {
    clearTimeout(this.#timer);
    this.#hasWriter = false;
    this.#wakeReader?.();
  }

  /** The reader is. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#hasReader = false;
    this.#wakeWriter?.();
  }

  /** Whoever reads or writes from now on gets what `abortion` makes. */
  abort(abortion: () => Error): void {
    this.#abortion = abortion;
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
   * Bytes alone would let a loop of short lines run to its limit before the program that reads them has loaded, which
   * takes no time on a machine and as long as a module takes to arrive here. Until the first read lines count: what one
   * stage hands on in a single write may be many rounds of a stage before it.
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
    throw this.#abortion?.() ?? this.#brokenPipe();
  }
}
