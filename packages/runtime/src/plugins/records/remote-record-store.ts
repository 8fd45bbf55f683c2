import { BatchQueue, type BatchQueueOptions } from "../delivery/batch-queue.ts";
import { postJson, type PostOptions } from "../delivery/post-json.ts";
import { MemoryRecordStore } from "./memory-record-store.ts";
import type { RecordStore } from "./record-store.ts";

export interface RemoteRecordStoreOptions extends PostOptions, BatchQueueOptions {
  /** For messages; `The remote record store` when omitted. */
  name?: string;
}

/**
 * Sends records to a server as `POST` requests whose body is a JSON array of them, at least once and in their order. The
 * server is never asked for them: `read` and `clear` see the newest ones that this object was given.
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
