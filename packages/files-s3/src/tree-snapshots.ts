import { compress, decompress } from "@robota/runtime/virtual";
import type { Bucket } from "./bucket.ts";
import { unpackExtents } from "./extents.ts";
import type { TreeEntry } from "./file-tree.ts";
import { inParallel } from "./in-parallel.ts";
import { commitKey, commitOf, treeKey } from "./object-keys.ts";
import { StoreFailure } from "./store-failure.ts";

/** The tree as it is after a commit. */
export interface TreeSnapshot {
  version: 1;
  commit: number;
  entries: readonly TreeEntry[];
}

/**
 * Trees in the store, so that opening need not read every commit, and the objects that are no longer needed. A tree stays
 * for the retention time; what neither the last one before that nor a later commit refers to is deleted.
 */
export class TreeSnapshots {
  readonly #bucket: Bucket;
  readonly #retentionMs: number;
  #lastAnchor: string | undefined;

  constructor(bucket: Bucket, retentionMs: number) {
    this.#bucket = bucket;
    this.#retentionMs = retentionMs;
  }

  /** `none` when there is no tree yet; `undefined` when it was deleted meanwhile. */
  async newest(): Promise<TreeSnapshot | "none" | undefined> {
    const newest = (await this.#bucket.list("trees/")).at(-1);
    return newest ? this.#read(newest.key) : "none";
  }

  async store(snapshot: TreeSnapshot): Promise<void> {
    const json = new TextEncoder().encode(JSON.stringify(snapshot));
    const packed = await compress(json, "gzip");
    await this.#bucket.put(treeKey(snapshot.commit), new Uint8Array(packed));
  }

  /** Deletes what the retention time has passed for. Called when a tree was just stored, whose time is the store's own. */
  async clean(): Promise<void> {
    const trees = await this.#bucket.list("trees/");
    // By the store's clock: one that is fast here must not make others' commits look old.
    const oldestMs = (trees.at(-1)?.modifiedMs ?? 0) - this.#retentionMs;
    const anchor = trees.findLast(({ modifiedMs }) => modifiedMs < oldestMs);
    if (!anchor || anchor.key === this.#lastAnchor) return;
    const snapshot = await this.#read(anchor.key);
    if (!snapshot) return;
    const needed = new Set(commitsOf(snapshot.entries));
    const commits = (await this.#bucket.list("commits/")).map(({ key }) => commitOf(key));
    const keys = [
      ...commits
        .filter((commit) => commit <= snapshot.commit && !needed.has(commit))
        .map((commit) => commitKey(commit)),
      ...trees.map(({ key }) => key).filter((key) => key < anchor.key),
    ];
    await inParallel(keys, (key) => this.#bucket.delete(key));
    this.#lastAnchor = anchor.key;
  }

  async #read(key: string): Promise<TreeSnapshot | undefined> {
    const bytes = await this.#bucket.get(key);
    if (!bytes) return undefined;
    let snapshot: TreeSnapshot;
    try {
      snapshot = JSON.parse(new TextDecoder().decode(await decompress(bytes, "gzip")));
    } catch (cause) {
      throw new StoreFailure("EIO", {
        cause,
        hint: "A tree in the store can't be read: something else was put below the prefix.",
      });
    }
    if (snapshot.version !== 1) {
      throw new StoreFailure("EIO", {
        hint: "A newer version of @robota/files-s3 wrote these files: update this one.",
      });
    }
    return snapshot;
  }
}

function commitsOf(entries: readonly TreeEntry[]): number[] {
  return entries.flatMap(({ file = "" }) => unpackExtents(file).map(({ commit }) => commit));
}
