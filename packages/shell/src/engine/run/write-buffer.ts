import { concatBytes, FileSystemError, type FileSystem } from "@robota/runtime/ports";

const MAX_BUFFERED = 65_536;

/** A file that is open for writing, with its writes that wait. */
export interface Writer {
  readonly path: string;
  /** Where the next bytes go; `undefined` for the end of the file, wherever that is. */
  position: number | undefined;
  /** The position may be elsewhere than at the end, since others write to the file too, or it is read. */
  isPlaced: boolean;
  /** Where the bytes that wait go; `undefined` for the end of the file. */
  offset: number | undefined;
  chunks: Uint8Array[];
  size: number;
}

/** The writes of open files: one waits until someone could notice that it is missing. */
export class WriteBuffer {
  readonly #files: FileSystem;
  readonly #writers = new Map<string, Set<Writer>>();
  readonly #dirty = new Set<Writer>();

  constructor(files: FileSystem) {
    this.#files = files;
  }

  get isEmpty(): boolean {
    return this.#dirty.size === 0;
  }

  /** @param position Where to write; at the end of the file by default. */
  open(path: string, position?: number): Writer {
    const others = this.#writers.get(path) ?? new Set();
    for (const other of others) other.isPlaced = true;
    const isPlaced = others.size > 0;
    const writer = { path, position, isPlaced, offset: undefined, chunks: [], size: 0 };
    this.#writers.set(path, others.add(writer));
    return writer;
  }

  /** Await the result, unless it is `undefined`. */
  write(writer: Writer, bytes: Uint8Array): Promise<void> | undefined {
    // Nothing makes no file longer, wherever it is written.
    if (bytes.length === 0) return undefined;
    const offset = writer.isPlaced ? writer.position : undefined;
    if (writer.position !== undefined) writer.position += bytes.length;
    const add = (): Promise<void> | undefined => this.#add(writer, offset, bytes);
    return this.#mustFlush(writer, offset) ? this.flush().then(add) : add();
  }

  /** Await the result, unless it is `undefined`. */
  close(writer: Writer): Promise<void> | undefined {
    const writers = this.#writers.get(writer.path);
    writers?.delete(writer);
    if (writers?.size === 0) this.#writers.delete(writer.path);
    return this.#dirty.has(writer) ? this.flush() : undefined;
  }

  async flush(): Promise<void> {
    for (const writer of Array.from(this.#dirty)) {
      this.#dirty.delete(writer);
      const bytes = concatBytes(writer.chunks);
      const { path, offset } = writer;
      writer.chunks = [];
      writer.size = 0;
      if (offset === undefined) await this.#files.appendFile(path, bytes);
      else await this.#splice(path, offset, bytes);
    }
  }

  /** The content of a file, without the writes that wait; `undefined` for one that is gone. */
  async contentOf(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#files.readFile(path);
    } catch (error) {
      if (error instanceof FileSystemError) return undefined;
      throw error;
    }
  }

  /** Writes of another to the same file go first, and so do those to another place in it. */
  #mustFlush(writer: Writer, offset: number | undefined): boolean {
    for (const other of this.#dirty)
      if (other !== writer && other.path === writer.path) return true;
    if (writer.size === 0) return false;
    return writer.offset === undefined
      ? offset !== undefined
      : writer.offset + writer.size !== offset;
  }

  #add(writer: Writer, offset: number | undefined, bytes: Uint8Array): Promise<void> | undefined {
    if (writer.size === 0) writer.offset = offset;
    writer.chunks.push(bytes);
    writer.size += bytes.length;
    this.#dirty.add(writer);
    return writer.size > MAX_BUFFERED ? this.flush() : undefined;
  }

  async #splice(path: string, offset: number, bytes: Uint8Array): Promise<void> {
    const content = await this.contentOf(path);
    if (content) await this.#files.writeFile(path, spliced(content, offset, bytes));
  }
}

/** The content with bytes in place of those at an offset; zeros fill a gap before it. */
function spliced(content: Uint8Array, offset: number, bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.max(content.length, offset + bytes.length));
  result.set(content);
  result.set(bytes, offset);
  return result;
}
