import { FileSystemError } from "@robota/runtime";
import { type PathOptions } from "@robota/runtime/ports";
import type { Outcome } from "../group-commit.ts";
import { Database } from "../indexed-db.ts";
import { ByteCache } from "./byte-cache.ts";
import type { Journal, JournalRecord } from "./journal.ts";
import { deleteJournal, readJournal } from "./journal-file.ts";
import {
  applyOperation,
  type Changes,
  noChanges,
  type FileOperation,
  type PathChange,
} from "./operation.ts";
import {
  BYTE_STORES,
  LOCK_STORE,
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

/** Limit for a batch of files. */
const MANY_BYTES = 16 * 1024 * 1024;

/** Bytes of one operation that is written to the journal. */
const LIGHT_BYTES = 16 * 1024;
/** Operations that are stored together go into the database at once. */
const FEW = 4;
/** Changed files and directories that the journal alone may have. */
const MAX_WAITING = 512;
/** Maximum delay of unstored changes. */
const WAIT_MS = 100;

export interface FileStoreOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Number of light operations after which a journal is opened. */
  journalAfter: number;
}

/** Options for storing operations. */
export interface ApplyOptions {
  /** True when no other tab has the workspace open, which would not see changes in the journal only. */
  isAlone: boolean;
}

/** The result of operations. */
interface Applied {
  outcomes: Outcome<void>[];
  files: readonly PathChange[];
  /** The changes for other tabs, until something else is applied. */
  commit: () => Commit | undefined;
}

/**
 * The tree of one workspace in memory and everything in IndexedDB, kept consistent.
 *
 * While its owner makes many small changes in sequence, and no other tab watches, operations go to a journal, and their
 * changes stay in memory until they are stored in one transaction: soon, or together with the first operation that
 * can't go to the journal.
 */
export class FileStore {
  readonly #workspace: string;
  readonly #now: () => number;
  readonly #journalAfter: number;
  readonly #database: Database;
  /** Undefined when the next access must load it. */
  #tree: Tree | undefined;
  #loading: Promise<Tree> | undefined;
  /** Commits of other tabs during the current load. */
  #missed: Commit[] = [];
  #isUnflushed = false;
  readonly #bytes = new ByteCache();
  #isOwner = false;
  /** Changes in the journal and in the tree, but not in the database. */
  #waiting: Changes | undefined;
  #journal: Journal | undefined;
  #isJournalAsked = false;
  /** Valid length of the journal: after it may be a record that was reported as failed. */
  #journalEnd = Infinity;
  #lightWrites = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Serialises writes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(workspace: string, { now, journalAfter }: FileStoreOptions) {
    this.#workspace = workspace;
    this.#now = now;
    this.#journalAfter = journalAfter;
    this.#database = new Database(`robota-fs:${workspace}`, {
      version: VERSION,
      lockStore: LOCK_STORE,
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
   * The whole content at one moment, even of a file that is being replaced. The bytes belong to the caller. Only the
   * tab that makes all changes may set `isOnlyWriter`: then cached bytes serve too.
   */
  async readFile(
    path: string,
    { isOnlyWriter, ...options }: PathOptions & { isOnlyWriter: boolean },
  ): Promise<Uint8Array> {
    const tree = this.#tree ?? (await this.tree());
    const file = fileAt(tree, path, options);
    const { ino, revision } = file;
    const known = isOnlyWriter ? this.#bytes.get(ino) : undefined;
    if (known) return known;
    if (file.size === 0) return new Uint8Array();
    const waiting = this.#waiting?.small.get(ino);
    if (waiting) return this.#later(waiting);
    const bytes = await this.#database.retrying(() =>
      this.#database.read(BYTE_STORES, (transaction) => loadBytes(transaction, file)),
    );
    if (!bytes) return this.#readSnapshot(path, options);
    const isSame = this.#tree === tree && tree.get(ino) === file && file.revision === revision;
    if (isOnlyWriter && isSame) this.#bytes.set(ino, bytes.slice());
    return bytes;
  }

  /**
   * The bytes of many files; those that are not cached are read in one transaction. `undefined` for anything but a file
   * of at most `maxBytes`, for paths with a symlink, and for files beyond the batch limit.
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
      const known = this.#bytes.peek(file.ino) ?? this.#waiting?.small.get(file.ino);
      const bytes = isOnlyWriter ? known : undefined;
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

  /** A copy after yielding to the browser: from `ByteCache`, or after a cache miss. */
  async #later(bytes: Uint8Array): Promise<Uint8Array> {
    await new Promise((resolve) => setTimeout(resolve));
    return bytes.slice();
  }

  /** Makes this tab the owner, which makes all changes; the previous owner's journal counts. */
  own(): void {
    this.#isOwner = true;
    this.forget();
  }

  /** Another tab becomes the owner. */
  disown(): void {
    this.#isOwner = false;
    this.#closeJournal();
    this.forget();
  }

  /**
   * Applies operations in order and stores their changes, all or nothing. Resolves to the outcome of each, and to the
   * changes; rejects when nothing was stored.
   */
  apply(operations: readonly FileOperation[], { isAlone }: ApplyOptions): Promise<Applied> {
    const isForJournal = isAlone && operations.length <= FEW && operations.every(isLight);
    return this.#inTurn(async () => {
      if (!isForJournal) return this.#database.retrying(() => this.#store(operations));
      if (!this.#journal) this.#askForJournal();
      const isNoted = await this.#note(operations);
      return isNoted ?? this.#database.retrying(() => this.#store(operations));
    });
  }

  /** Stores changes that only the journal has. */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#waiting) await this.#database.retrying(() => this.#store([]));
    });
  }

  async #store(operations: readonly FileOperation[]): Promise<Applied> {
    const tree = this.#tree ?? (await this.tree());
    const changes = this.#waiting ?? noChanges();
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
      this.#journal?.clear();
      this.#isUnflushed = true;
      // Ownership was lost meanwhile: the tree may have been loaded before this was stored.
      if (this.#tree !== tree) this.forget();
      this.#waiting = undefined;
      this.#keepBytes(tree, changes);
      return { outcomes, files: changes.files, commit: () => commitOf(tree, changes) };
    } catch (error) {
      // The tree is ahead of the stored state.
      this.forget();
      throw error;
    }
  }

  /** Applies operations and writes them to the journal; `undefined` when they have to be stored in the database. */
  async #note(operations: readonly FileOperation[]): Promise<Applied | undefined> {
    const [journal, tree, waiting = noChanges()] = [this.#journal, this.#tree, this.#waiting];
    if (!journal || !tree || journal.isFull || waiting.inodes.size >= MAX_WAITING) return undefined;
    // The pending changes come from a previous page's journal, which a new record would overwrite.
    if (waiting.inodes.size > 0 && journal.isClear) return undefined;
    const now = this.#now();
    const changes: Changes = { ...waiting, inodes: new Set(), files: [] };
    this.#waiting = waiting;
    const outcomes = this.#applyAside(tree, waiting, changes, { now, operations });
    if (changes.inodes.size > 0) {
      const isStored = await journal.append({ revision: tree.revision, now, operations });
      if (!isStored) {
        this.#journalEnd = journal.end;
        this.#closeJournal();
      }
      // Without the journal, or after losing ownership, the tree must match the stored state.
      if (!isStored || this.#tree !== tree) this.forget();
      if (!isStored) return undefined;
      this.#keepBytes(tree, changes);
      this.#settleLater();
    }
    return { outcomes, files: changes.files, commit: () => undefined };
  }

  #applyAside(
    tree: Tree,
    waiting: Changes,
    changes: Changes,
    { operations, now }: Pick<JournalRecord, "operations" | "now">,
  ): Outcome<void>[] {
    try {
      return operations.map((each) => tryApply(tree, each, now, changes));
    } catch (error) {
      this.forget();
      throw error;
    } finally {
      for (const ino of changes.inodes) {
        waiting.inodes.add(ino);
        this.#bytes.delete(ino);
        const inode = tree.get(ino);
        // Prevents pending reads from caching its bytes.
        if (inode) inode.revision = tree.revision + 1;
      }
    }
  }

  #askForJournal(): void {
    this.#lightWrites += 1;
    if (this.#isJournalAsked || this.#lightWrites <= this.#journalAfter) return;
    this.#isJournalAsked = true;
    this.#openJournal().catch(() => undefined);
  }

  async #openJournal(): Promise<void> {
    const { Journal } = await import("./journal.ts");
    const journal = await Journal.open(this.#workspace);
    if (this.#isOwner) this.#journal = journal;
    else journal?.close();
  }

  #closeJournal(): void {
    this.#journal?.close();
    this.#journal = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #settleLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next write reports the error; the journal has the changes.
      this.settle().catch(() => undefined);
    }, WAIT_MS);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Applies a commit of another tab. */
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

  /** Makes the next access load the tree. */
  forget(): void {
    this.#bytes.clear();
    this.#tree = undefined;
    this.#waiting = undefined;
    this.#loading = undefined;
    this.#missed = [];
  }

  /** Puts all that was stored so far onto the disk. */
  async flush(): Promise<void> {
    await this.settle();
    if (!this.#isUnflushed) return;
    this.#isUnflushed = false;
    await this.#database.retrying(() =>
      this.#database.write(["state"], "strict", (each) => noteFlush(each, this.#now())),
    );
  }

  async close(): Promise<void> {
    // A journal that is still being opened is no longer needed.
    this.#isOwner = false;
    await this.#journal?.empty();
    this.#closeJournal();
    await this.#database.close();
    this.forget();
  }

  /** Caches the bytes of files written as a whole. */
  #keepBytes(tree: Tree, { inodes, small, pieces }: Changes): void {
    if (this.#tree !== tree) return;
    for (const ino of inodes) {
      const data = small.get(ino);
      const inode = tree.get(ino);
      if (data && inode?.type === "file" && inode.size === data.length) this.#bytes.set(ino, data);
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
    const journal = this.#isOwner ? readJournal(this.#workspace) : undefined;
    // Waiters for the tree get the error below.
    journal?.catch(() => undefined);
    try {
      const tree = await this.#database.retrying(() =>
        this.#database.read(TREE_STORES, (each) => loadTree(each, this.#now())),
      );
      const waiting = await this.#replay(tree, await journal);
      if (this.#missed !== missed) return this.tree();
      this.#tree = tree;
      this.#waiting = waiting;
      if (waiting) this.#settleLater();
    } finally {
      if (this.#missed === missed) this.#loading = undefined;
    }
    for (const commit of missed) this.follow(commit);
    this.#missed = [];
    return this.tree();
  }

  /** Applies the journal's records beyond `tree`, which comes from the database. */
  async #replay(tree: Tree, journal: Uint8Array | undefined): Promise<Changes | undefined> {
    if (!journal?.length) return undefined;
    const { recordsOf } = await import("./journal.ts");
    const records = recordsOf(journal.subarray(0, this.#journalEnd));
    if (records[0]?.revision !== tree.revision) {
      // Invalidated, so that it can't match a later database that reaches the same revision.
      if (this.#journal) this.#journal.clear();
      else await deleteJournal(this.#workspace).catch(() => undefined);
      return undefined;
    }
    const waiting = noChanges();
    for (const { now, operations } of records) {
      for (const each of operations) tryApply(tree, each, now, waiting);
    }
    waiting.files = [];
    return waiting;
  }

  /**
   * The way out when the tree and the bytes did not fit together, because another tab has removed the file or because a
   * transaction was aborted: both at one moment.
   */
  async #readSnapshot(path: string, options: PathOptions): Promise<Uint8Array> {
    await this.settle();
    return this.#database.retrying(() =>
      this.#database.read(STORES, async (transaction) => {
        const file = fileAt(await loadTree(transaction, this.#now()), path, options);
        return (await loadBytes(transaction, file)) ?? new Uint8Array();
      }),
    );
  }
}

function isLight(operation: FileOperation): boolean {
  if (operation.type === "append" || operation.request !== undefined) return false;
  return operation.type !== "write" || operation.data.length <= LIGHT_BYTES;
}

function tryApply(
  tree: Tree,
  operation: FileOperation,
  now: number,
  changes: Changes,
): Outcome<void> {
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

function fileAt(tree: Tree, path: string, options: PathOptions): FileInode {
  const inode = tree.resolve(path, { ...options, follow: true });
  if (inode.type !== "file") throw new FileSystemError("EISDIR", path);
  return inode;
}
