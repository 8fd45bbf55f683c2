import type { CommitLog } from "./commit-log.ts";
import { commitRecord, type ReadCommit } from "./commit-record.ts";
import { FileTree } from "./file-tree.ts";
import type { TreeSnapshots } from "./tree-snapshots.ts";
import { StoreFailure } from "./store-failure.ts";

export interface ReplicaOptions {
  log: CommitLog;
  snapshots: TreeSnapshots;
  maxStaleMs: number;
  retentionMs: number;
}

/** Commits of others that are asked for one by one before the rest of them is listed. */
const FEW = 4;
const OPENINGS = 3;

/** The tree as this process knows it, and how it learns of the commits of others. */
export class TreeReplica {
  readonly #options: ReplicaOptions;
  /** Errors of the operations of own commits, by the commit's id, once it was applied. */
  readonly #outcomes = new Map<string, readonly unknown[] | undefined>();
  #tree = new FileTree();
  #last = -1;
  #base = -1;
  #lookedMs = -Infinity;
  #opening: Promise<void> | undefined;
  #look: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** Number of the last commit in the tree. */
  get last(): number {
    return this.#last;
  }

  /** Number of the commit whose tree was read in the beginning. */
  get base(): number {
    return this.#base;
  }

  /** The tree as far as it is known here. */
  get known(): FileTree {
    return this.#tree;
  }

  /** The tree with everything that was stored before the call. */
  async current(): Promise<FileTree> {
    await this.open();
    if (Date.now() - this.#lookedMs >= this.#options.maxStaleMs) await this.lookAgain();
    return this.#tree;
  }

  /** Reads the tree the first time, and when it was not looked after for long. */
  async open(): Promise<void> {
    this.#opening ??= this.#load();
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
    if (this.#isOutOfDate()) await this.lookAgain();
  }

  /** Applies what was stored before the call. A look that has not begun yet serves every caller until it begins. */
  lookAgain(): Promise<void> {
    this.#nextLook ??= this.#look
      .catch(() => undefined)
      .then(() => {
        this.#nextLook = undefined;
        this.#look = this.#catchUp();
        return this.#look;
      });
    return this.#nextLook;
  }

  /** Runs `work` while nothing changes the tree. */
  alone<Result>(work: (tree: FileTree) => Promise<Result>): Promise<Result> {
    const running = this.#turn.then(() => work(this.#tree));
    this.#turn = running.catch(() => undefined);
    return running;
  }

  /**
   * Stores a commit by `append`, and returns the errors of its operations; `undefined` when another one has its number,
   * which is applied then.
   */
  async commit(
    number: number,
    id: string,
    append: () => Promise<ReadCommit | "taken" | "unsure">,
  ): Promise<readonly unknown[] | undefined> {
    this.#outcomes.set(id, undefined);
    try {
      const outcome = await append();
      const isTaken =
        outcome === "taken" || (outcome === "unsure" && !(await this.#isStored(number, id)));
      if (typeof outcome === "string") await this.lookAgain();
      // A look may have been faster.
      else await this.alone(() => this.#apply(number, outcome));
      // A tree that was read anew meanwhile has the commit in it, and not its errors.
      return isTaken ? undefined : (this.#outcomes.get(id) ?? []);
    } finally {
      this.#outcomes.delete(id);
    }
  }

  async #isStored(number: number, id: string): Promise<boolean> {
    return (await this.#options.log.read(number))?.record.id === id;
  }

  /** True when what came after may have been deleted, so that nothing behind it would tell. */
  #isOutOfDate(): boolean {
    return Date.now() - this.#lookedMs > this.#options.retentionMs / 2;
  }

  async #catchUp(): Promise<void> {
    const { log } = this.#options;
    if (this.#isOutOfDate()) return this.#load();
    const lookedMs = Date.now();
    for (let count = 0; count < FEW; count++) {
      const number = this.#last + 1;
      const commit = await log.read(number);
      if (!commit) {
        this.#lookedMs = lookedMs;
        return;
      }
      await this.alone(() => this.#apply(number, commit));
    }
    const first = this.#last + 1;
    const commits = await log.readFrom(first);
    if (!commits) return this.#load();
    await this.alone(() => this.#applyAll(first, commits));
    this.#lookedMs = lookedMs;
  }

  async #load(): Promise<void> {
    for (let tries = 0; tries < OPENINGS; tries++) {
      if (await this.#loadOnce()) return;
    }
    throw new StoreFailure("EIO", {
      hint: "Commits are missing in the store: something else has deleted objects below the prefix.",
    });
  }

  /** Returns `false` when objects were deleted meanwhile. */
  async #loadOnce(): Promise<boolean> {
    const { log, snapshots } = this.#options;
    const lookedMs = Date.now();
    const snapshot = await snapshots.newest();
    if (!snapshot) return false;
    const first = snapshot === "none" ? 0 : snapshot.commit + 1;
    let commits = await log.readFrom(first);
    if (first === 0 && commits?.length === 0) {
      await log.begin(commitRecord([]));
      commits = await log.readFrom(first);
    }
    if (!commits) return false;
    const tree = snapshot === "none" ? new FileTree() : await FileTree.of(snapshot.entries);
    await this.alone(async () => {
      this.#tree = tree;
      this.#last = this.#base = first - 1;
      await this.#applyAll(first, commits);
    });
    this.#lookedMs = lookedMs;
    return true;
  }

  async #applyAll(first: number, commits: readonly ReadCommit[]): Promise<void> {
    for (const [index, commit] of commits.entries()) await this.#apply(first + index, commit);
  }

  /** Applies a commit if it is the next one. */
  async #apply(number: number, { record, bodyStart }: ReadCommit): Promise<void> {
    if (number !== this.#last + 1) return;
    this.#last = number;
    const errors = await this.#tree.apply(record, { commit: number, bodyStart });
    if (this.#outcomes.has(record.id)) this.#outcomes.set(record.id, errors);
  }
}
