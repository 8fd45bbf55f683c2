interface Entry {
  bytes: Promise<Uint8Array | undefined>;
  /** 0 until they are there. */
  size: number;
  /** Whether somebody else has these bytes too, or will. */
  isShared: boolean;
}

/** More than this is read from the database each time. */
const LARGEST_FILE = 256 * 1024;
const CAPACITY = 16 * 1024 * 1024;

/** The bytes of small files that were read last: an agent reads the same ones again and again. */
export class ByteCache {
  /** The least recently used first. */
  readonly #entries = new Map<number, Entry>();
  #size = 0;

  /**
   * What `load` resolves to, now or at an earlier call since `ino` was last deleted; undefined for no such file. The
   * bytes are the caller's own.
   */
  async get(
    ino: number,
    load: () => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> {
    const known = this.#entries.get(ino);
    if (known) {
      known.isShared = true;
      this.#entries.delete(ino);
      this.#entries.set(ino, known);
      return (await known.bytes)?.slice();
    }
    const entry: Entry = { bytes: load(), size: 0, isShared: false };
    this.#entries.set(ino, entry);
    try {
      const bytes = await entry.bytes;
      this.#keep(ino, entry, bytes);
      return entry.isShared ? bytes?.slice() : bytes;
    } catch (error) {
      this.delete(ino, entry);
      throw error;
    }
  }

  /** Forgets the bytes of a file, those under way too. */
  delete(ino: number, entry = this.#entries.get(ino)): void {
    if (!entry || this.#entries.get(ino) !== entry) return;
    this.#entries.delete(ino);
    this.#size -= entry.size;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  #keep(ino: number, entry: Entry, bytes: Uint8Array | undefined): void {
    if (!bytes || bytes.length > LARGEST_FILE) return this.delete(ino, entry);
    // Deleted while it was loading: what was loaded is old.
    if (this.#entries.get(ino) !== entry) return;
    entry.isShared = true;
    entry.size = bytes.length;
    this.#size += entry.size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= CAPACITY) return;
      this.delete(oldest);
    }
  }
}
