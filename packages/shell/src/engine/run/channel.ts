import { concatBytes } from "@robota/runtime/ports";

/** Bytes that a pipe holds before its writer waits, as on Linux. */
const CAPACITY = 65_536;
/**
 * Writes, or lines, that a pipe holds before its writer waits. By bytes alone, a loop that prints short lines would run
 * to its limit before its reader has loaded, or has had its turn to end. Lines count too, since one write of a stage may
 * stand for many rounds of the loop before it.
 */
const MAX_WRITES = 128;
/**
 * Commands that a reader may run between two reads while its writer waits. One that runs more is busy with something
 * else, and may depend on what the writer does next; one that loads a program runs none.
 */
const MAX_COMMANDS = 64;
const NEWLINE = 0x0a;

/** A write to a pipe that nobody reads any more; ends the program with status 141. */
export class BrokenPipeError extends Error {
  override readonly name = "BrokenPipeError" as const;
  readonly exitCode = 141;

  constructor() {
    super("Broken pipe");
  }
}

/** A pipe: its writer waits while it is full, its reader while it is empty. */
export class Channel {
  #chunks: Uint8Array[] = [];
  #size = 0;
  #writes = 0;
  #lines = 0;
  #commands = 0;
  #hasWriter = true;
  #hasReader = true;
  #wakeReader: (() => void) | undefined;
  readonly #wakeWriters: (() => void)[] = [];

  get hasReader(): boolean {
    return this.#hasReader;
  }

  /** Takes the bytes, which must not change any more. Await the result, unless it is `undefined`. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (!this.#hasReader) throw new BrokenPipeError();
    if (bytes.length === 0) return undefined;
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    this.#writes++;
    if (this.#lines < MAX_WRITES) this.#lines += linesIn(bytes);
    this.#wakeReader?.();
    this.#wakeReader = undefined;
    return this.#isFull() ? this.#drained() : undefined;
  }

  /** All bytes that are there; `undefined` once the writers have gone and all is read. */
  async read(): Promise<Uint8Array | undefined> {
    this.#commands = 0;
    while (this.#chunks.length === 0) {
      if (!this.#hasWriter) return undefined;
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#size = 0;
    this.#makeRoom();
    return chunks.length === 1 ? chunks[0] : concatBytes(chunks);
  }

  /** Called for each command of the reading process. */
  noteCommand(): void {
    if (++this.#commands < MAX_COMMANDS) return;
    this.#commands = 0;
    this.#makeRoom();
  }

  closeWriter(): void {
    this.#hasWriter = false;
    this.#wakeReader?.();
    this.#wakeReader = undefined;
  }

  closeReader(): void {
    this.#hasReader = false;
    this.#chunks = [];
    this.#wake();
  }

  #isFull(): boolean {
    return this.#size > CAPACITY || Math.max(this.#writes, this.#lines) >= MAX_WRITES;
  }

  #makeRoom(): void {
    this.#writes = 0;
    this.#lines = 0;
    if (!this.#isFull()) this.#wake();
  }

  async #drained(): Promise<void> {
    let isHeld = true;
    while (this.#isFull() && this.#hasReader) {
      // On a machine, a pipe with room takes a write at once, whoever leaves afterwards.
      isHeld = this.#size <= CAPACITY;
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    }
    if (!this.#hasReader && !isHeld) throw new BrokenPipeError();
  }

  #wake(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}

/** The number of lines, as far as it matters. */
function linesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1))
    if (++count >= MAX_WRITES) break;
  return count;
}
