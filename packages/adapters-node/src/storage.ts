import { resolve } from "node:path";
import { StorageError, type Lease, type Storage } from "@robota/runtime";
import { type AcquireOptions, type LogEntry } from "@robota/runtime/ports";
import { KeyedQueue } from "./files/keyed-queue.ts";
import { describeSelf } from "./storage/holder.ts";
import { LockFileLeases } from "./storage/leases.ts";
import { LogFile } from "./storage/log-file.ts";
import { Marks } from "./storage/marks.ts";
import { fileOf, type StoredKind } from "./storage/names.ts";
import { Paged } from "./storage/paged.ts";
import { attempt, toStorageError } from "./storage/storage-error.ts";
import { deleteValue, listKeys, readValue, versionOf, writeValue } from "./storage/values.ts";

export interface NodeStorageOptions {
  /** Created with the first write, accessible to this user only. */
  directory: string;
}

/**
 * A directory of plain files, shared by all processes that use it: the value `a/b` is `a/b.json`, the log `a/b` is
 * `a/b.jsonl` with one JSON object per line, and the symlink `a/b.lock` names the holder of the lease `a/b`. The symlinks
 * in `~marks` are what the short locks of single writes are made of.
 */
export class NodeStorage implements Storage, AsyncDisposable {
  readonly #directory: string;
  readonly #logs = new Map<string, LogFile>();
  readonly #changes = new KeyedQueue();
  readonly #leases: LockFileLeases;
  #marks: Promise<Marks> | undefined;
  readonly #getMarks = (): Promise<Marks> => (this.#marks ??= this.#makeMarks());
  #isClosed = false;

  constructor(options: NodeStorageOptions) {
    this.#directory = resolve(options.directory);
    this.#leases = new LockFileLeases(this.#getMarks);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const file = this.#fileOf("value", key);
    return attempt(file, () => readValue(file));
  }

  async set(
    key: string,
    value: Uint8Array,
    options: { ifMatch?: string | null } = {},
  ): Promise<string> {
    const file = this.#fileOf("value", key);
    const bytes = value.slice();
    return this.#change(file, async () =>
      writeValue(file, bytes, options.ifMatch, await this.#getMarks()),
    );
  }

  async version(key: string): Promise<string | undefined> {
    const file = this.#fileOf("value", key);
    return attempt(file, () => versionOf(file));
  }

  async delete(key: string): Promise<void> {
    const file = this.#fileOf("value", key);
    await this.#change(file, async () => deleteValue(file, await this.#getMarks()));
  }

  async keys(prefix: string): Promise<string[]> {
    this.#requireOpen();
    return attempt(this.#directory, () => listKeys(this.#directory, prefix));
  }

  async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    const logFile = this.#log(log);
    return attempt(logFile.file, () => logFile.append(entries, this.#leases.guardOf(logFile)));
  }

  read(log: string, from = 1): AsyncIterable<LogEntry> {
    // Determined at the call and not when reading begins: later appends are not included.
    const size = this.#sizeOf(log);
    // A failure reaches the reader.
    size.catch(() => {});
    return new Paged(this.#pagesUpTo(size, log, from));
  }

  async deleteLog(log: string): Promise<void> {
    const logFile = this.#log(log);
    await attempt(logFile.file, () => logFile.delete(this.#leases.guardOf(logFile)));
  }

  async acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    const file = this.#fileOf("lease", name);
    const { signal, steal } = options;
    const logs = [name, ...(options.logs ?? [])].map((log) => this.#log(log));
    return attempt(file, () => this.#leases.acquire(file, { signal, steal, logs }));
  }

  /** Waits for pending writes, and releases every lease. Later calls are refused with `CLOSED`. */
  async dispose(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#logs.values(), (log) => log.idle()));
    await this.#changes.idle();
    await this.#leases.close();
    await (await this.#marks)?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #makeMarks(): Promise<Marks> {
    return new Marks(this.#directory, await describeSelf());
  }

  async #sizeOf(log: string): Promise<number> {
    const logFile = this.#log(log);
    return attempt(logFile.file, async () => logFile.size());
  }

  async *#pagesUpTo(size: Promise<number>, log: string, from: number): AsyncGenerator<LogEntry[]> {
    const end = await size;
    const logFile = this.#log(log);
    try {
      yield* logFile.pages(from, end);
    } catch (error) {
      throw toStorageError(logFile.file, error);
    }
  }

  #change<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
    return attempt(file, () => this.#changes.run(file, work));
  }

  #log(name: string): LogFile {
    this.#requireOpen();
    const known = this.#logs.get(name);
    if (known) return known;
    const log = new LogFile(this.#fileOf("log", name), this.#getMarks);
    this.#logs.set(name, log);
    return log;
  }

  #fileOf(kind: StoredKind, name: string): string {
    this.#requireOpen();
    return fileOf(this.#directory, kind, name);
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new StorageError("CLOSED", "the storage was closed", {
      hint: "Make a new platform: this one was disposed.",
    });
  }
}
