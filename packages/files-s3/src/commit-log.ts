import type { Bucket } from "./bucket.ts";
import {
  type CommitRecord,
  decodeCommit,
  encodeCommit,
  missingRange,
  type ReadCommit,
} from "./commit-record.ts";
import { inParallel } from "./in-parallel.ts";
import { commitKey, commitOf } from "./object-keys.ts";
import type { PayloadCache } from "./payload-cache.ts";
import { StoreFailure } from "./store-failure.ts";

/** Enough for the record of most commits, and the bytes of small files with it. */
const START_BYTES = 65_536;

/** The commits in the store, numbered from 0. A number is given once: the store refuses a second object under a key. */
export class CommitLog {
  readonly #bucket: Bucket;
  readonly #cache: PayloadCache;

  constructor(bucket: Bucket, cache: PayloadCache) {
    this.#bucket = bucket;
    this.#cache = cache;
  }

  /**
   * Makes sure that there is a first commit, and that the store keeps its word about keys that are taken.
   * @throws {StoreFailure} `EIO` when it does not.
   */
  async begin(record: CommitRecord): Promise<void> {
    const { bytes } = encodeCommit(record, []);
    await this.#bucket.create(commitKey(0), bytes);
    if ((await this.#bucket.create(commitKey(0), bytes)) !== "created") return;
    throw new StoreFailure("EIO", {
      hint: "The store replaces an object in spite of If-None-Match, so two processes would lose each other's files: choose one with conditional writes.",
    });
  }

  /** Stores a commit under the number, if that is free. `unsure` when it may have been stored. */
  async append(
    commit: number,
    record: CommitRecord,
    payloads: readonly Uint8Array[],
  ): Promise<ReadCommit | "taken" | "unsure"> {
    const { bytes, bodyStart } = encodeCommit(record, payloads);
    const outcome = await this.#bucket.create(commitKey(commit), bytes);
    if (outcome !== "created") return outcome;
    this.#keepPayloads(commit, { record, bodyStart }, bytes);
    return { record, bodyStart };
  }

  /** `undefined` when there is none of the number, or no longer. */
  async read(commit: number): Promise<ReadCommit | undefined> {
    const key = commitKey(commit);
    let start = await this.#bucket.get(key, { from: 0, to: START_BYTES });
    if (!start) return undefined;
    const missing = missingRange(start);
    if (missing) {
      start = await this.#bucket.get(key, { from: 0, to: missing.to });
      if (!start) return undefined;
    }
    const read = decodeCommit(start);
    this.#keepPayloads(commit, read, start);
    return read;
  }

  /** The commits from a number on; `undefined` when one of them is no longer there. */
  async readFrom(first: number): Promise<ReadCommit[] | undefined> {
    const after = first === 0 ? undefined : commitKey(first - 1);
    const numbers = (await this.#bucket.list("commits/", after)).map(({ key }) => commitOf(key));
    if (numbers.some((number, index) => number !== first + index)) return undefined;
    const commits = await inParallel(numbers, (number) => this.read(number));
    return commits.every((commit) => commit !== undefined) ? commits : undefined;
  }

  /** Remembers what was read or written along with the record. */
  #keepPayloads(commit: number, { record, bodyStart }: ReadCommit, bytes: Uint8Array): void {
    for (const operation of record.operations) {
      if (!("payload" in operation)) continue;
      const offset = bodyStart + operation.payload.offset;
      const end = offset + operation.payload.length;
      if (end <= bytes.length) this.#cache.set(commit, offset, bytes.slice(offset, end));
    }
  }
}
