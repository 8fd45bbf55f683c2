import { concatBytes } from "@robota/runtime/ports";
import type { Bucket } from "./bucket.ts";
import type { Extent } from "./extents.ts";
import { inParallel } from "./in-parallel.ts";
import { commitKey } from "./object-keys.ts";
import type { PayloadCache } from "./payload-cache.ts";

/** Reads the bytes of extents from the objects of commits. */
export class PayloadReader {
  readonly #bucket: Bucket;
  readonly #cache: PayloadCache;

  constructor(bucket: Bucket, cache: PayloadCache) {
    this.#bucket = bucket;
    this.#cache = cache;
  }

  /** The caller's own bytes; `undefined` when an object is no longer there, since its bytes were replaced long ago. */
  async read(extents: readonly Extent[]): Promise<Uint8Array | undefined> {
    const parts = await inParallel(extents, (extent) => this.#readOne(extent));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const [only] = parts;
    return parts.length === 1 && only ? only.slice() : concatBytes(parts);
  }

  /** Not the caller's own. */
  async #readOne({ commit, offset, length }: Extent): Promise<Uint8Array | undefined> {
    const cached = this.#cache.get(commit, offset, length);
    if (cached) return cached;
    const range = { from: offset, to: offset + length };
    const bytes = await this.#bucket.get(commitKey(commit), range);
    if (bytes?.length !== length) return undefined;
    this.#cache.set(commit, offset, bytes);
    return bytes;
  }
}
