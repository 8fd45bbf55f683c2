import { BatchQueue, type BatchQueueOptions } from "../delivery/batch-queue.ts";
import { postJson, type PostOptions } from "../delivery/post-json.ts";
import { MemoryRecordStore } from "./memory-record-store.ts";
import type { RecordStore } from "./record-store.ts";

export interface RemoteRecordStoreOptions extends PostOptions, BatchQueueOptions {
  /** Name for messages; `The remote record store` by default. */
  name?: string | undefined;
}

/**
 * Sends records to a server as `POST` requests whose body is a JSON array, at least once and in order. The server is
 * never read: `read` and `clear` work on the newest records in this object.
 */
export class RemoteRecordStore<Item> implements RecordStore<Item> {
  readonly #queue: BatchQueue<string>;
  readonly #newest: MemoryRecordStore<Item>;

  constructor(options: RemoteRecordStoreOptions) {
    const { name = "The remote record store" } = options;
    this.#newest = new MemoryRecordStore(options.capacity);
    this.#queue = new BatchQueue(
      name,
      (batch, signal) => postJson(name, `[${batch.join(",")}]`, { ...options, signal }),
      options,
    );
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  add(item: Item): void {
    this.#queue.add(JSON.stringify(item));
    this.#newest.add(item);
  }

  read(): AsyncIterable<Item> {
    return this.#newest.read();
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }

  clear(): Promise<void> {
    return this.#newest.clear();
  }

  dispose(): Promise<void> {
    return this.#queue.close();
  }
}
