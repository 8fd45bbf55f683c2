import { concatBytes } from "@robota/runtime/ports";

/** The ends of an open file that it has. */
export interface Port {
  /** The next bytes; `undefined` at the end. */
  read?(): Promise<Uint8Array | undefined>;
  /** Await the result, unless it is `undefined`. @throws {BrokenPipeError} */
  write?(bytes: Uint8Array): Promise<void> | undefined;
  /** Moves the position back by bytes that were read too far. */
  moveBack?(bytes: number): void;
  /** Called when the last descriptor is closed. */
  close?(): Promise<void> | void;
  /** False once nobody reads what is written. */
  hasReader?(): boolean;
  /** The file that is open, if it is no device. */
  readonly path?: string | undefined;
  /** All input is there at once, as that of a file. */
  readonly isComplete?: boolean;
}

/** An open file: the position in it is that of all descriptors that share it. */
export class OpenDescription {
  readonly #port: Port;
  #references = 0;
  #unread: Uint8Array | undefined;

  constructor(port: Port) {
    this.#port = port;
  }

  get isComplete(): boolean {
    return this.#port.isComplete === true;
  }

  /** The file that is open, if it is one. */
  get path(): string | undefined {
    return this.#port.path;
  }

  get canRead(): boolean {
    return this.#port.read !== undefined;
  }

  get canWrite(): boolean {
    return this.#port.write !== undefined;
  }

  hasReader(): boolean {
    return this.#port.hasReader?.() ?? true;
  }

  async read(): Promise<Uint8Array | undefined> {
    const unread = this.#unread;
    this.#unread = undefined;
    return unread ?? (await this.#port.read?.());
  }

  /** Puts bytes back that were read too far. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#unread = bytes;
  }

  async readAll(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for (let chunk = await this.read(); chunk; chunk = await this.read()) chunks.push(chunk);
    return concatBytes(chunks);
  }

  /** Reads ahead what is there, so that `takeUnread` can answer at once. */
  async load(): Promise<void> {
    const bytes = await this.readAll();
    this.unread(bytes);
  }

  takeUnread(): Uint8Array {
    const unread = this.#unread ?? new Uint8Array();
    this.#unread = undefined;
    return unread;
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#unread && this.#port.moveBack) this.#port.moveBack(this.takeUnread().length);
    return this.#port.write?.(bytes);
  }

  retain(): this {
    this.#references++;
    return this;
  }

  async release(): Promise<void> {
    if (--this.#references === 0) await this.#port.close?.();
  }
}

/** The descriptors of a process. */
export class DescriptorTable {
  readonly #files = new Map<number, OpenDescription>();

  get(number: number): OpenDescription | undefined {
    return this.#files.get(number);
  }

  /** Opens a descriptor, or closes it with `undefined`. */
  async set(number: number, file: OpenDescription | undefined): Promise<void> {
    const before = this.#files.get(number);
    if (file) this.#files.set(number, file.retain());
    else this.#files.delete(number);
    await before?.release();
  }

  /** The lowest number that is free, from 10 on. */
  free(): number {
    let number = 10;
    while (this.#files.has(number)) number++;
    return number;
  }

  numbers(): number[] {
    return [...this.#files.keys()];
  }

  fork(): DescriptorTable {
    const copy = new DescriptorTable();
    for (const [number, file] of this.#files) copy.#files.set(number, file.retain());
    return copy;
  }

  async closeAll(): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const file of files) await file.release();
  }
}

/** Input that is there as a whole. */
export function inputOf(bytes: Uint8Array): OpenDescription {
  let left: Uint8Array | undefined = bytes;
  return new OpenDescription({
    isComplete: true,
    async read() {
      const chunk = left;
      left = undefined;
      return chunk?.length === 0 ? undefined : chunk;
    },
  });
}
