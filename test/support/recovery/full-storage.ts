import { type Platform, type Storage, StorageError } from "@robota/runtime";

/** A storage whose logs take nothing while `isFull`, in front of a real one. */
export interface FullStorage {
  platform: Platform;
  storage: Storage;
  /** Called with the number of each write to a log, from 1: there is no room for those it returns `true` for. */
  isFull: (write: number) => boolean;
  /** The number of writes so far, the refused ones too. */
  readonly writes: number;
}

/** `platform` with such a storage, or with one that fails in another way. */
export function fullStorage(platform: Platform, code: "FULL" | "IO" = "FULL"): FullStorage {
  let writes = 0;
  const { storage: real } = platform;
  const append: Storage["append"] = async (log, entries) => {
    writes += 1;
    if (full.isFull(writes))
      throw new StorageError(code, code === "FULL" ? "No room" : "The disk failed");
    return real.append(log, entries);
  };
  const storage: Storage = new Proxy(real, {
    get(target, name) {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const full: FullStorage = {
    platform: new Proxy(platform, {
      get: (target, name) => (name === "storage" ? storage : Reflect.get(target, name)),
    }),
    storage,
    isFull: () => false,
    get writes() {
      return writes;
    },
  };
  return full;
}
