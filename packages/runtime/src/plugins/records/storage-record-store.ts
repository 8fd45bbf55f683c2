import type { Storage } from "../../ports/storage.ts";
import { BatchQueue, type BatchQueueOptions } from "../delivery/batch-queue.ts";
import type { RecordStore } from "./record-store.ts";

/**
 * Keeps records in a log of a `Storage`, written in batches, so that they are there again after a restart. Several tabs
 * or processes may add to one log.
 */
export class StorageRecordStore<Item> implements RecordStore<Item> {
  readonly #storage: Storage;
  readonly #log: string;
  readonly #queue: BatchQueue<Uint8Array>;
  #damaged = 0;

  /** `log` is a name as `Storage` allows it, such as `plugins/usage`. */
  constructor(storage: Storage, log: string, options: BatchQueueOptions = {}) {
    this.#storage = storage;
    this.#log = log;
    this.#queue = new BatchQueue(
      `The record store ${log}`,
      async (batch) => void (await storage.append(log, batch)),
      options,
    );
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Entries that the last `read` skipped because they are not records. */
  get damaged(): number {
    return this.#damaged;
  }

  add(item: Item): void {
    this.#queue.add(new TextEncoder().encode(JSON.stringify(item)));
  }

  async *read(): AsyncGenerator<Item, void, undefined> {
    await this.#queue.flush();
    const decoder = new TextDecoder();
    let damaged = 0;
    for await (const { value } of this.#storage.read(this.#log)) {
      const record = parseRecord<Item>(decoder.decode(value));
      if (record === undefined) damaged += 1;
      else yield record;
    }
    this.#damaged = damaged;
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }

  async clear(): Promise<void> {
    await this.#queue.flush();
    await this.#storage.deleteLog(this.#log);
  }

  dispose(): Promise<void> {
    return this.#queue.close();
  }
}

/** The log contains what `add` wrote; a line that is not a JSON object was damaged from outside. */
function parseRecord<Item>(text: string): Item | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Item) : undefined;
  } catch {
    return undefined;
  }
}
