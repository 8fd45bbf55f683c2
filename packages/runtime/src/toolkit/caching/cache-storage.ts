const DEFAULT_MAX_ENTRIES = 1000;
const DEFAULT_TTL_MS = 60 * 60 * 1000;

/** A stored answer. */
export interface CacheEntry {
  /** JSON. */
  value: string;
  /** SHA-256 of `value`, in hex. */
  integrity: string;
  /** Milliseconds since the epoch. */
  storedAt: number;
}

/** Storage of answers, by keys that cover everything an answer depends on. */
export interface CacheStorage {
  get(key: string): Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): Promise<void>;
  delete(key: string): Promise<void>;
  clear(): Promise<void>;
}

export interface MemoryCacheStorageOptions {
  /** Default 1,000; beyond it, the least recently used is evicted. */
  maxEntries?: number | undefined;
  /** Milliseconds for which an entry is good; default an hour. */
  ttlMs?: number | undefined;
  now?: (() => number) | undefined;
}

/** Keeps answers in memory, the last used ones, for a time. */
export class MemoryCacheStorage implements CacheStorage {
  readonly #maxEntries: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** The one that was used last is at the end. */
  readonly #entries = new Map<string, CacheEntry>();

  constructor(options: MemoryCacheStorageOptions = {}) {
    this.#maxEntries = options.maxEntries ?? DEFAULT_MAX_ENTRIES;
    this.#ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
    this.#now = options.now ?? Date.now;
  }

  get size(): number {
    return this.#entries.size;
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    const age = this.#now() - entry.storedAt;
    if (age < 0 || age >= this.#ttlMs) return undefined;
    this.#entries.set(key, entry);
    return entry;
  }

  async set(key: string, entry: CacheEntry): Promise<void> {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async clear(): Promise<void> {
    this.#entries.clear();
  }
}
