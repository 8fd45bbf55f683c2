import { type PathOptions } from "@robota/runtime/ports";
import type { Outcome } from "@robota/runtime/virtual";
import { Database } from "../indexed-db.ts";
import { ByteCache } from "./byte-cache.ts";
import { FileReader, type ReadableStore, type ReadRights } from "./file-reader.ts";
import type { JournalRecord } from "./journal.ts";
import {
  type Changes,
  noChanges,
  type FileOperation,
  type PathChange,
  tryApply,
} from "./operation.ts";
import {
  LOCK_STORE,
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
import type { Tree } from "./tree.ts";
import { WorkspaceJournal } from "./workspace-journal.ts";

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
  readonly #now: () => number;
  readonly #journal: WorkspaceJournal;
  readonly #reader: FileReader;
  readonly #database: Database;
  /** Undefined when the next access must load it. */
  #tree: Tree | undefined;
  #loading: Promise<Tree> | undefined;
  /** Commits of other tabs during the current load. */
  #missed: Commit[] = [];
  #isUnflushed = false;
  readonly #bytes = new ByteCache();
  /** Changes in the journal and in the tree, but not in the database. */
  #waiting: Changes | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Serialises writes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(workspace: string, { now, journalAfter }: FileStoreOptions) {
    this.#now = now;
    this.#journal = new WorkspaceJournal(workspace, journalAfter);
    this.#database = new Database(`robota-fs:${workspace}`, {
      version: VERSION,
      lockStore: LOCK_STORE,
      create: makeStores,
      onLost: () => this.forget(),
    });
    this.#reader = new FileReader(this.#readable());
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

  /** The whole content at one moment, even of a file that is being replaced. The bytes belong to the caller. */
  readFile(path: string, options: PathOptions & ReadRights): Promise<Uint8Array> {
    return this.#reader.read(path, options);
  }

  /** The bytes of many files, as `FileReader.readMany` says. */
  readMany(
    paths: readonly string[],
    maxBytes: number,
    rights: ReadRights,
  ): Promise<(Uint8Array | undefined)[]> {
    return this.#reader.readMany(paths, maxBytes, rights);
  }

  /** Makes this tab the owner, which makes all changes; the previous owner's journal counts. */
  own(): void {
    this.#journal.own();
    this.forget();
  }

  /** Another tab becomes the owner. */
  disown(): void {
    this.#journal.disown();
    this.#stopTimer();
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
      this.#journal.countLightWrite();
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
      this.#journal.current?.clear();
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
    const { current: journal } = this.#journal;
    const [tree, waiting = noChanges()] = [this.#tree, this.#waiting];
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
        this.#journal.abandon();
        this.#stopTimer();
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

  #stopTimer(): void {
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

  #readable(): ReadableStore {
    return {
      database: this.#database,
      cache: this.#bytes,
      loadedTree: () => this.#tree,
      tree: () => this.tree(),
      unstored: (ino) => this.#waiting?.small.get(ino),
      settle: () => this.settle(),
      now: this.#now,
    };
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
    await this.#journal.dispose();
    this.#stopTimer();
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
    const journal = this.#journal.read();
    // Waiters for the tree get the error below.
    journal?.catch(() => undefined);
    try {
      const tree = await this.#database.retrying(() =>
        this.#database.read(TREE_STORES, (each) => loadTree(each, this.#now())),
      );
      const waiting = await this.#journal.replay(tree, await journal);
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
}

function isLight(operation: FileOperation): boolean {
  if (operation.type === "append" || operation.request !== undefined) return false;
  return operation.type !== "write" || operation.data.length <= LIGHT_BYTES;
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
