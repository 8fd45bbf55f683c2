import { FileSystemError } from "@robota/runtime";
import type { Outcome } from "../group-commit.ts";
import { Database } from "../indexed-db.ts";
import { ByteCache } from "./byte-cache.ts";
import {
  applyOperation,
  type Changes,
  noChanges,
  type Operation,
  type PathChange,
} from "./operation.ts";
import {
  BYTE_STORES,
  GATE,
  loadBytes,
  loadTree,
  makeStores,
  noteFlush,
  planChanges,
  type StorePlan,
  STORES,
  storeChanges,
  TREE_STORES,
  VERSION,
} from "./store.ts";
import type { Commit } from "./tab-channel.ts";
import type { FileInode, Tree } from "./tree.ts";

/** Of many files that are read at once. */
const MANY_BYTES = 16 * 1024 * 1024;

/** What came of operations. */
interface Applied {
  outcomes: Outcome<void>[];
  files: readonly PathChange[];
  /** What other tabs have to know, as long as nothing else is applied. */
  commit: () => Commit | undefined;
}

/** The tree of one workspace in memory and all of it in IndexedDB, kept equal. */
export class FileStore {
  readonly #now: () => number;
  readonly #database: Database;
  /** Undefined when the next one who needs it has to load it. */
  #tree: Tree | undefined;
  #loading: Promise<Tree> | undefined;
  /** What was stored by another tab during the current load. */
  #missed: Commit[] = [];
  #isUnflushed = false;
  readonly #bytes = new ByteCache();

  constructor(workspace: string, now: () => number) {
    this.#now = now;
    this.#database = new Database(`robota-fs:${workspace}`, {
      version: VERSION,
      gate: GATE,
      create: makeStores,
      onLost: () => this.forget(),
    });
  }

  /** Undefined when it would have to be loaded. */
  get loadedTree(): Tree | undefined {
    return this.#tree;
  }

  async tree(): Promise<Tree> {
    if (this.#tree) return this.#tree;
    this.#loading ??= this.#loadTree();
    return this.#loading;
  }

  /**
   * The whole bytes of one moment, also of a file that is being replaced. They are the caller's own. Only whoever makes
   * all changes may say that it `isOnlyWriter`: then bytes in memory serve too.
   */
  async readFile(path: string, { isOnlyWriter }: { isOnlyWriter: boolean }): Promise<Uint8Array> {
    const tree = this.#tree ?? (await this.tree());
    const file = fileAt(tree, path);
    const { ino, revision } = file;
    const known = isOnlyWriter ? this.#bytes.get(ino) : undefined;
    if (known) return known;
    if (file.size === 0) return new Uint8Array();
    const bytes = await this.#database.retrying(() =>
      this.#database.read(BYTE_STORES, (transaction) => loadBytes(transaction, file)),
    );
    if (!bytes) return this.#readSnapshot(path);
    const isSame = this.#tree === tree && tree.get(ino) === file && file.revision === revision;
    if (isOnlyWriter && isSame) this.#bytes.set(ino, bytes.slice());
    return bytes;
  }

  /**
   * The bytes of many files, those that are not in memory in one transaction. `undefined` for what is no file of at most
   * `maxBytes`, for what a symlink is on the way to, and for all that would be too much at once.
   */
  async readMany(
    paths: readonly string[],
    maxBytes: number,
    { isOnlyWriter }: { isOnlyWriter: boolean },
  ): Promise<(Uint8Array | undefined)[]> {
    const tree = this.#tree ?? (await this.tree());
    let left = MANY_BYTES;
    const found = paths.map((path) => {
      const file = tree.straight(path);
      if (file?.type !== "file" || file.size > Math.min(left, maxBytes)) return undefined;
      left -= file.size;
      const bytes = isOnlyWriter ? this.#bytes.peek(file.ino) : undefined;
      return { file, revision: file.revision, bytes };
    });
    const missing = found.flatMap((each) => (each && !each.bytes ? [each] : []));
    if (missing.length > 0) {
      const loaded = await this.#database.retrying(() =>
        this.#database.read(BYTE_STORES, (transaction) =>
          Promise.all(missing.map(({ file }) => loadBytes(transaction, file))),
        ),
      );
      for (const [index, each] of missing.entries()) {
        const bytes = loaded[index];
        if (!bytes) continue;
        each.bytes = bytes;
        const { file, revision } = each;
        const isSame =
          this.#tree === tree && tree.get(file.ino) === file && file.revision === revision;
        if (isOnlyWriter && isSame) this.#bytes.set(file.ino, bytes);
      }
    }
    return found.map((each) => each?.bytes);
  }

  /**
   * Applies operations in order and stores what they changed in one transaction. Resolves to the outcome of each, and to
   * what was changed; rejects when nothing was stored.
   */
  apply(operations: readonly Operation[]): Promise<Applied> {
    return this.#database.retrying(async () => {
      const tree = this.#tree ?? (await this.tree());
      const changes = noChanges();
      try {
        let outcomes: Outcome<void>[] = [];
        let plan: StorePlan = { stores: STORES, isPacked: false };
        const applyAll = (): string[] => {
          outcomes = operations.map((each) => tryApply(tree, each, this.#now(), changes));
          if (changes.inodes.size > 0) {
            tree.revision += 1;
            for (const ino of changes.inodes) this.#bytes.delete(ino);
            plan = planChanges(tree, changes);
          }
          return plan.stores;
        };
        await this.#database.write(applyAll, "relaxed", (transaction) => {
          if (changes.inodes.size > 0) storeChanges(transaction, tree, changes, plan);
        });
        this.#isUnflushed = true;
        this.#keepBytes(tree, changes);
        return { outcomes, files: changes.files, commit: () => commitOf(tree, changes) };
      } catch (error) {
        // The tree is ahead of what is stored.
        this.forget();
        throw error;
      }
    });
  }

  /** Takes over what another tab has stored. */
  follow(commit: Commit): void {
    if (this.#loading) {
      this.#missed.push(commit);
      return;
    }
    const tree = this.#tree;
    if (!tree || commit.revision <= tree.revision) return;
    if (commit.after !== tree.revision) return this.forget();
    for (const [ino, inode] of commit.inodes) {
      this.#bytes.delete(ino);
      if (inode) tree.put(inode);
      else tree.delete(ino);
    }
    tree.revision = commit.revision;
  }

  /** Makes the next one who needs the tree load it. */
  forget(): void {
    this.#bytes.clear();
    this.#tree = undefined;
    this.#loading = undefined;
    this.#missed = [];
  }

  /** Puts all that was stored so far onto the disk. */
  async flush(): Promise<void> {
    if (!this.#isUnflushed) return;
    this.#isUnflushed = false;
    await this.#database.retrying(() =>
      this.#database.write(["state"], "strict", (each) => noteFlush(each, this.#now())),
    );
  }

  async close(): Promise<void> {
    await this.#database.close();
    this.forget();
  }

  /** Those of the files that were written as a whole. */
  #keepBytes(tree: Tree, { small, pieces }: Changes): void {
    if (this.#tree !== tree) return;
    for (const [ino, data] of small) {
      const inode = tree.get(ino);
      if (inode?.type === "file" && inode.size === data.length) this.#bytes.set(ino, data);
    }
    for (const { ino, data } of pieces) {
      const inode = tree.get(ino);
      if (inode?.type !== "file" || inode.home > 0) continue;
      if (inode.pieces <= 1 && inode.size === data.length) {
        this.#bytes.set(ino, data);
      }
    }
  }

  async #loadTree(): Promise<Tree> {
    const missed = this.#missed;
    try {
      const tree = await this.#database.retrying(() =>
        this.#database.read(TREE_STORES, (each) => loadTree(each, this.#now())),
      );
      if (this.#missed !== missed) return this.tree();
      this.#tree = tree;
    } finally {
      if (this.#missed === missed) this.#loading = undefined;
    }
    for (const commit of missed) this.follow(commit);
    this.#missed = [];
    return this.tree();
  }

  /**
   * The way out when the tree and the bytes did not fit together, because another tab has removed the file or because a
   * transaction was aborted: both at one moment.
   */
  #readSnapshot(path: string): Promise<Uint8Array> {
    return this.#database.retrying(() =>
      this.#database.read(STORES, async (transaction) => {
        const file = fileAt(await loadTree(transaction, this.#now()), path);
        return (await loadBytes(transaction, file)) ?? new Uint8Array();
      }),
    );
  }
}

function tryApply(tree: Tree, operation: Operation, now: number, changes: Changes): Outcome<void> {
  try {
    return { value: applyOperation(tree, operation, now, changes) };
  } catch (error) {
    if (error instanceof FileSystemError) return { error };
    throw error;
  }
}

function commitOf(tree: Tree, { inodes, files }: Changes): Commit | undefined {
  if (inodes.size === 0) return undefined;
  return {
    type: "commit",
    after: tree.revision - 1,
    revision: tree.revision,
    inodes: [...inodes].map((ino) => [ino, tree.get(ino) ?? null]),
    files,
  };
}

function fileAt(tree: Tree, path: string): FileInode {
  const inode = tree.resolve(path, { follow: true });
  if (inode.type !== "file") throw new FileSystemError("EISDIR", path);
  return inode;
}
