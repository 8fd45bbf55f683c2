import type { Storage } from "../../ports/storage.ts";

/** One store and the ways into it, for `storageContract`. Disposed, when it can be, at the end of its case. */
export interface StorageFixture extends Partial<AsyncDisposable> {
  /**
   * One more `Storage` over the store, as another tab, process or isolate would open it. Earlier ones stay open and
   * are not notified, so anything a later one does not see was not durable.
   */
  open(): Storage | Promise<Storage>;
}
