/** Bytes that a pipe holds before its writer waits, as on Linux. */
const CAPACITY = 65_536;

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
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
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
    this.#wakeReader?.();
    this.#wakeReader = undefined;
    return this.#size > CAPACITY ? this.#drained() : undefined;
  }

  /** The next bytes; `undefined` once the writers have gone and all is read. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0) {
      if (!this.#hasWriter) return undefined;
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    const chunk = this.#chunks.shift();
    this.#size -= chunk?.length ?? 0;
    if (this.#size <= CAPACITY) this.#wake();
    return chunk;
  }

  closeWriter(): void {
    this.#hasWriter = false;
    this.#wakeReader?.();
    this.#wakeReader = undefined;
  }

  closeReader(): void {
    this.#hasReader = false;
    this.#chunks.length = 0;
    this.#wake();
  }

  async #drained(): Promise<void> {
    while (this.#size > CAPACITY && this.#hasReader)
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    if (!this.#hasReader) throw new BrokenPipeError();
  }

  #wake(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}
