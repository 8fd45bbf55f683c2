import { FileSystemError, type FileType } from "@robota/runtime";
import { type PathOptions } from "@robota/runtime/ports";
import { locateCanonical, type Place, walk, walkNow, walkCanonical } from "@robota/runtime/virtual";
import type { SqlDatabase } from "./database.ts";

const ROOT = 1;
/** The parent of the root, and of nothing else. */
export const NOWHERE = 0;
const encoder = new TextEncoder();

// Type aliases, because `SqlStorage.exec` wants rows with an index signature, which interfaces do not have.
type Facts = {
  readonly ino: number;
  parent: number;
  name: string;
  mode: number;
  size: number;
  mtime: number;
};
export type Directory = Facts & { readonly type: "directory"; readonly target: null };
/** A row of the tree: a name in a directory and its target. */
export type Inode =
  | Directory
  | (Facts & { readonly type: "file"; readonly target: null })
  | (Facts & { readonly type: "symlink"; readonly target: string });
export type Location = Place<Inode>;

/** Reports whether a symlink in the last segment is followed, and whether any may be. */
export type Following = PathOptions & { follow: boolean };

export interface NewInode {
  type: FileType;
  mode: number;
  mtime: number;
  /** Size of a file in bytes. */
  size?: number;
  target?: string;
}

/**
 * The names, kinds and sizes of an object's files: rows of a table, with a cache of visited directories. Nobody else
 * changes the table, so the cache never needs revalidation; a failed change makes `changing` clear it, because the
 * rollback covers the rows only.
 */
export class Inodes {
  readonly #sql: SqlStorage;
  #root: Directory | undefined;
  /** All entries of a directory, by inode number. */
  readonly #entries = new Map<number, Map<string, Inode>>();
  #nextIno: number | undefined;
  /**
   * The last inode found by canonical path: an overlay asks for it next. Cleared when a name appears, disappears or
   * moves.
   */
  #straight: { path: string; node: Inode } | undefined;
  #isStale = false;
  /** Grows with each change of a row. */
  #changes = 0;
  /** Directories whose time moved, to be stored once for all that happened in them in one turn of the event loop. */
  readonly #touched = new Set<Directory>();

  constructor(database: SqlDatabase) {
    this.#sql = database.sql;
    database.beforeSync(() => this.#storeTimes());
  }

  /** Creates missing tables: in a new object, and in an emptied one. */
  open(now: number): void {
    this.forget();
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS robota_inodes (
         ino INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
         mode INTEGER NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, target TEXT,
         UNIQUE (parent, name));
       CREATE TABLE IF NOT EXISTS robota_chunks (
         ino INTEGER NOT NULL, position INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (ino, position));
       CREATE VIEW IF NOT EXISTS robota_new_files (ino, parent, name, mode, size, mtime, data) AS
         SELECT ino, parent, name, mode, size, mtime, NULL FROM robota_inodes;
       CREATE TRIGGER IF NOT EXISTS robota_make_file INSTEAD OF INSERT ON robota_new_files BEGIN
         INSERT INTO robota_inodes VALUES (
           NEW.ino, NEW.parent, NEW.name, 'file', NEW.mode, NEW.size, NEW.mtime, NULL);
         INSERT INTO robota_chunks VALUES (NEW.ino, 0, NEW.data);
       END;
       INSERT OR IGNORE INTO robota_inodes VALUES (${ROOT}, ${NOWHERE}, '', 'directory', ${0o755}, 0, ${now}, NULL);`,
    );
  }

  /** Makes a change in a transaction of the caller's. */
  changing<Result>(change: () => Result): Result {
    const before = this.#changes;
    try {
      return change();
    } catch (error) {
      if (this.#changes !== before) this.forget();
      throw error;
    }
  }

  /** Clears the cache. */
  forget(): void {
    this.#isStale = true;
  }

  /**
   * The location of `path`, following a symlink in the last segment only with `follow`.
   * @throws {FileSystemError} as `walk`
   */
  locate(path: string, options: Following): Location {
    const root = this.#rootNow();
    return (
      locateCanonical<Inode>(root, path, this.#childOf) ??
      walkNow(walk<Inode>(root, path, options.follow, options), ({ directory, name }) =>
        this.#childOf(directory, name),
      )
    );
  }

  /** As `locate`, for an existing entry. @throws {FileSystemError} also `ENOENT` for the last segment */
  find(path: string, options: Following): Inode {
    // Almost every path; a walk that may meet symlinks costs five times as much.
    const root = this.#rootNow();
    const known = this.#straight?.path === path ? this.#straight.node : undefined;
    const node =
      known ??
      walkCanonical<Inode>(root, path, this.#childOf)?.node ??
      this.locate(path, options).node;
    if (!node) throw new FileSystemError("ENOENT", path);
    return node;
  }

  isCanonicalPath(path: string): boolean {
    const found = walkCanonical<Inode>(this.#rootNow(), path, this.#childOf);
    this.#straight = found?.node && { path, node: found.node };
    return found !== undefined;
  }

  /** The inode at a normalised path without symlinks; `undefined` for every other path. */
  straight(path: string): Inode | undefined {
    return walkCanonical<Inode>(this.#rootNow(), path, this.#childOf)?.node;
  }

  /** Entries of a directory, in no particular order. */
  list(directory: Directory): Iterable<Inode> {
    return this.#entriesOf(directory).values();
  }

  isEmpty(inode: Inode): boolean {
    return inode.type !== "directory" || this.#entriesOf(inode).size === 0;
  }

  /** Adds an entry at a free place. */
  create(at: Location, { type, mode, mtime, size = 0, target }: NewInode): Inode {
    this.#changes += 1;
    const directory = parentOf(at);
    const ino = this.#newNumber();
    const facts = { ino, parent: directory.ino, name: at.name, mode, size, mtime };
    const inode: Inode =
      type === "symlink"
        ? { ...facts, type, target: target ?? "", size: encoder.encode(target).length }
        : { ...facts, type, target: null };
    this.#sql.exec(
      "INSERT INTO robota_inodes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ino,
      inode.parent,
      inode.name,
      type,
      mode,
      inode.size,
      mtime,
      inode.target,
    );
    this.#add(directory, inode);
    return inode;
  }

  /**
   * Adds a file whose bytes fit one row, in one statement: a quarter of the cost of a multi-statement transaction, and
   * as atomic.
   */
  createFile(
    at: Location,
    { mode, mtime }: { mode: number; mtime: number },
    data: Uint8Array,
  ): void {
    const directory = parentOf(at);
    const ino = this.#newNumber();
    const { name } = at;
    const facts = { ino, parent: directory.ino, name, mode, size: data.length, mtime };
    this.#sql.exec(
      "INSERT INTO robota_new_files VALUES (?, ?, ?, ?, ?, ?, ?)",
      ino,
      facts.parent,
      name,
      mode,
      facts.size,
      mtime,
      data,
    );
    this.#add(directory, { ...facts, type: "file", target: null });
  }

  /** Removes an entry, all that is below it, and the bytes of both. */
  erase(inode: Inode, directory: Directory, mtime: number): void {
    this.#changes += 1;
    this.#straight = undefined;
    if (inode.type === "directory") {
      const tree = `WITH RECURSIVE tree (ino) AS (
        SELECT ? UNION ALL SELECT robota_inodes.ino FROM robota_inodes JOIN tree ON parent = tree.ino)`;
      for (const table of ["robota_chunks", "robota_inodes"]) {
        this.#sql.exec(
          `${tree} DELETE FROM ${table} WHERE ino IN (SELECT ino FROM tree)`,
          inode.ino,
        );
      }
      this.#forgetBelow(inode);
    } else {
      if (inode.size > 0) this.#sql.exec("DELETE FROM robota_chunks WHERE ino = ?", inode.ino);
      this.#sql.exec("DELETE FROM robota_inodes WHERE ino = ?", inode.ino);
    }
    this.#entriesOf(directory).delete(inode.name);
    this.#touchLater(directory, mtime);
  }

  /** Gives an entry another place, which must be free. */
  move(inode: Inode, from: Directory, at: Location, mtime: number): void {
    this.#changes += 1;
    this.#straight = undefined;
    const to = parentOf(at);
    this.#sql.exec(
      "UPDATE robota_inodes SET parent = ?, name = ? WHERE ino = ?",
      to.ino,
      at.name,
      inode.ino,
    );
    const entries = this.#entriesOf(to);
    this.#entriesOf(from).delete(inode.name);
    inode.parent = to.ino;
    inode.name = at.name;
    entries.set(inode.name, inode);
    this.#touchLater(from, mtime);
    this.#touchLater(to, mtime);
  }

  touch(inode: Inode, mtime: number): void {
    this.#changes += 1;
    inode.mtime = mtime;
    this.#sql.exec("UPDATE robota_inodes SET mtime = ? WHERE ino = ?", mtime, inode.ino);
  }

  setMode(inode: Inode, mode: number): void {
    this.#changes += 1;
    inode.mode = mode;
    this.#sql.exec("UPDATE robota_inodes SET mode = ? WHERE ino = ?", mode, inode.ino);
  }

  setSize(inode: Inode, size: number, mtime: number): void {
    this.#changes += 1;
    inode.size = size;
    inode.mtime = mtime;
    this.#sql.exec(
      "UPDATE robota_inodes SET size = ?, mtime = ? WHERE ino = ?",
      size,
      mtime,
      inode.ino,
    );
  }

  #add(directory: Directory, inode: Inode): void {
    this.#straight = undefined;
    this.#entriesOf(directory).set(inode.name, inode);
    if (inode.type === "directory") this.#entries.set(inode.ino, new Map());
    this.#touchLater(directory, inode.mtime);
  }

  #touchLater(directory: Directory, mtime: number): void {
    directory.mtime = mtime;
    this.#touched.add(directory);
  }

  #storeTimes(): void {
    for (const { ino, mtime } of this.#touched) {
      this.#sql.exec("UPDATE robota_inodes SET mtime = ? WHERE ino = ?", mtime, ino);
    }
    this.#touched.clear();
  }

  readonly #childOf = (directory: Directory, name: string): Inode | undefined =>
    this.#entriesOf(directory).get(name);

  /** The root, where every way begins. */
  #rootNow(): Directory {
    if (this.#isStale) this.#reload();
    this.#root ??= this.#sql
      .exec<Directory>("SELECT * FROM robota_inodes WHERE ino = ?", ROOT)
      .one();
    return this.#root;
  }

  #reload(): void {
    this.#storeTimes();
    this.#root = undefined;
    this.#straight = undefined;
    this.#entries.clear();
    this.#nextIno = undefined;
    this.#isStale = false;
  }

  #entriesOf({ ino }: Directory): Map<string, Inode> {
    let entries = this.#entries.get(ino);
    if (!entries) {
      const rows = this.#sql
        .exec<Inode>("SELECT * FROM robota_inodes WHERE parent = ?", ino)
        .toArray();
      entries = new Map(rows.map((row) => [row.name, row]));
      this.#entries.set(ino, entries);
    }
    return entries;
  }

  #newNumber(): number {
    this.#nextIno ??=
      this.#sql.exec<{ last: number }>("SELECT MAX(ino) AS last FROM robota_inodes").one().last + 1;
    return this.#nextIno++;
  }

  #forgetBelow({ ino }: Directory): void {
    const entries = this.#entries.get(ino);
    this.#entries.delete(ino);
    for (const entry of entries?.values() ?? []) {
      if (entry.type === "directory") this.#forgetBelow(entry);
    }
  }
}

/** The directory of a place, which is not the root's. */
export function parentOf({ trail }: Location): Directory {
  const directory = trail.at(-1);
  if (!directory) throw new FileSystemError("EBUSY", "/");
  return directory;
}
