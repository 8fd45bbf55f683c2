import type { SharedStorage } from "@robota/runtime/shared-storage";

export interface Store extends AsyncDisposable {
  open(): SharedStorage;
}

/** Makes empty stores, each with a name of its own on one server; what was opened on one is closed at the end. */
export function storesOf(open: (name: string) => SharedStorage): () => Store {
  let count = 0;
  return () => {
    const name = `test_${process.pid}_${++count}`;
    const opened: SharedStorage[] = [];
    return {
      open() {
        const storage = open(name);
        opened.push(storage);
        return storage;
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(opened.map((storage) => storage.dispose()));
      },
    };
  };
}
