import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unlessMissing } from "../files/at-once.ts";
import { errnoOf } from "../files/file-error.ts";
import { createMark, fateOf, hold, type Holder, letGo } from "./holder.ts";

/** No key has a `~`. */
const DIRECTORY = "~marks";
/** So many that one who looks at a busy lock twice rarely sees the same mark, and takes it for a holder that is stuck. */
const FEWEST = 8;
const MOST = 4_096;
/** Age after which a mark of another machine or container is taken for one that a killed process left. */
const MAX_AGE_MS = 86_400_000;

/**
 * Marks of this process for the locks in one storage. A lock is a hard link to a symlink that stays there: making and
 * removing a symlink for each lock makes and removes an inode, and ext4 looks through all inodes removed in the last
 * seconds for each one it makes. Where a file system can't link symlinks, each lock is a symlink of its own.
 *
 * A mark is on one lock at a time, and not used again when it could not be removed from one.
 */
export class Marks {
  readonly self: Holder;
  readonly #directory: string;
  /** The one that was not used for the longest time comes first. */
  readonly #free: string[] = [];
  /** Those that have a symlink to link to. */
  readonly #linkable = new Set<string>();
  #canLink = true;
  #isProven = false;
  #sweeping: Promise<void> | undefined;

  constructor(root: string, self: Holder) {
    this.self = self;
    this.#directory = join(root, DIRECTORY);
  }

  /** A mark that is on no lock, held until it is let go or given back. */
  take(): string {
    const used = this.#linkable.size < FEWEST ? undefined : this.#free.shift();
    if (used === undefined) return createMark(this.self);
    hold(used);
    return used;
  }

  /** Puts a mark that was taken on a lock; false when another one is on it. */
  place(mark: string, lock: string): boolean {
    try {
      if (!this.#link(mark, lock)) symlinkSync(mark, lock);
      return true;
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** Removes a mark from the lock unless another one is on it, and takes it back. */
  giveBack(mark: string, lock: string): void {
    letGo(mark);
    try {
      if (readMark(lock) === mark) unlinkSync(lock);
    } catch {
      // The work is done all the same. A lock that remains is abandoned: its next user here removes it, or gets the error.
      this.#drop(mark);
      return;
    }
    this.reuse(mark);
  }

  /** Takes a mark back that was let go and is on no lock any more. */
  reuse(mark: string): void {
    if (!this.#linkable.has(mark)) return;
    if (this.#free.length < MOST) this.#free.push(mark);
    else this.#drop(mark);
  }

  /** Removes the marks from the disk. */
  async close(): Promise<void> {
    this.#canLink = false;
    await this.#sweeping;
    for (const mark of this.#free.splice(0)) this.#drop(mark);
    try {
      rmdirSync(this.#directory);
    } catch {
      // Others have theirs in it, or it is not there.
    }
  }

  /** False when that is impossible, and nothing was done. Throws `EEXIST`. */
  #link(mark: string, lock: string): boolean {
    if (!this.#canLink || !this.#isLinkable(mark)) return false;
    const source = this.#sourceOf(mark);
    try {
      linkSync(source, lock);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "EEXIST") throw error;
      const isThere = lstatSync(source, { throwIfNoEntry: false }) !== undefined;
      // Another process may have removed it, which costs a new one.
      if (!isThere) this.#drop(mark);
      // Mostly the lock's directory is missing. Where a link leads to a symlink's target, nothing else is missing.
      this.#canLink = errno === "ENOENT" && (!isThere || !existsSync(dirname(lock)));
      return false;
    }
    if (!this.#isProven && readMark(lock) !== mark) {
      this.#canLink = false;
      unlinkSync(lock);
      return false;
    }
    this.#isProven = true;
    return true;
  }

  /** Makes the symlink to link to, unless it is there. */
  #isLinkable(mark: string): boolean {
    if (this.#linkable.has(mark)) return true;
    const source = this.#sourceOf(mark);
    try {
      if (!existsSync(this.#directory)) mkdirSync(this.#directory, 0o700);
      symlinkSync(mark, source);
    } catch (error) {
      // The storage itself comes into being with what it stores, and another process may have made the directory.
      this.#canLink = ["ENOENT", "EEXIST"].includes(errnoOf(error));
      return false;
    }
    this.#linkable.add(mark);
    this.#sweeping ??= this.#sweep().catch(() => undefined);
    return true;
  }

  #sourceOf(mark: string): string {
    return join(this.#directory, mark);
  }

  #drop(mark: string): void {
    if (!this.#linkable.delete(mark)) return;
    try {
      unlinkSync(this.#sourceOf(mark));
    } catch {
      // The next process removes it.
    }
  }

  /** Removes what killed processes left. A mark that is missed costs its holder a new one, and nothing else. */
  async #sweep(): Promise<void> {
    for (const mark of await readdir(this.#directory)) {
      if (this.#linkable.has(mark)) continue;
      const fate = await fateOf(mark, this.self);
      const file = this.#sourceOf(mark);
      const { mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
      const isOld = mtimeMs !== undefined && Date.now() - mtimeMs > MAX_AGE_MS;
      if (fate === "dead" || (fate === "unknown" && isOld)) await unlink(file);
    }
  }
}

/** The mark on a lock; `undefined` when it is free. */
export function readMark(lock: string): string | undefined {
  return unlessMissing(() => readlinkSync(lock));
}

/** True when no mark is on the lock, found without the error that reading none costs. */
export function isFree(lock: string): boolean {
  return lstatSync(lock, { throwIfNoEntry: false }) === undefined;
}
