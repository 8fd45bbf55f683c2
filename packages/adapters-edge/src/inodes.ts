import { FileSystemError, type FileType, normalizePath } from "@robota/runtime";
import { type Place, walk, walkNow, walkStraight } from "@robota/runtime/virtual";
import { first } from "./database.ts";

const ROOT = 1;
/** The parent of the root, and of nothing else. */
export const NOWHERE = 0;
const encoder = new TextEncoder();

// Type aliases, because `SqlStorage.exec` wants rows with an index signature, which interfaces do not have.
type Facts = {
  ino: number;
  parent: number;
  name: string;
  mode: number;
  size: number;
  mtime: number;
};
export type Directory = Facts & { type: "directory"; target: null };
/** A row of the tree: a name in a directory and what it stands for. */
export type Inode =
  | Directory
  | (Facts & { type: "file"; target: null })
  | (Facts & { type: "symlink"; target: string });
export type Location = Place<Inode>;

export function createTables(sql: SqlStorage, now: number): void {
  sql.exec(
    `CREATE TABLE IF NOT EXISTS robota_inodes (
       ino INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
       mode INTEGER NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, target TEXT,
       UNIQUE (parent, name));
     CREATE INDEX IF NOT EXISTS robota_symlinks ON robota_inodes (ino) WHERE type = 'symlink';
     CREATE TABLE IF NOT EXISTS robota_chunks (
       ino INTEGER NOT NULL, position INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (ino, position));
     INSERT OR IGNORE INTO robota_inodes VALUES (${ROOT}, ${NOWHERE}, '', 'directory', ${0o755}, 0, ${now}, NULL);`,
  );
}

/**
 * Where `path` leads; through a symlink in the last segment only with `follow`.
 * @throws {FileSystemError} as `walk`
 */
export function locate(sql: SqlStorage, path: string, options: { follow: boolean }): Location {
  return walkNow(walk<Inode>(rootOf(sql), path, options.follow), ({ directory, name }) =>
    child(sql, directory, name),
  );
}

/** Whether a normalised path has no symlink on it. One question, where there is none in the whole tree. */
export function isStraight(sql: SqlStorage, path: string): boolean {
  const symlink = first(sql, "SELECT 1 FROM robota_inodes WHERE type = 'symlink' LIMIT 1");
  if (!symlink) return normalizePath(path) === path;
  const childOf = (directory: Directory, name: string): Inode | undefined =>
    child(sql, directory, name);
  return walkStraight<Inode>(rootOf(sql), path, childOf) !== undefined;
}

function rootOf(sql: SqlStorage): Directory {
  return sql.exec<Directory>("SELECT * FROM robota_inodes WHERE ino = ?", ROOT).one();
}

function child(sql: SqlStorage, directory: Directory, name: string): Inode | undefined {
  return first<Inode>(
    sql,
    "SELECT * FROM robota_inodes WHERE parent = ? AND name = ?",
    directory.ino,
    name,
  );
}

/** As `locate`, for what must be there. @throws {FileSystemError} also `ENOENT` for the last segment */
export function find(sql: SqlStorage, path: string, options: { follow: boolean }): Inode {
  const { node } = locate(sql, path, options);
  if (!node) throw new FileSystemError("ENOENT", path);
  return node;
}

function parentOf(at: Location): number {
  return at.trail.at(-1)?.ino ?? NOWHERE;
}

/** Adds an entry at a free place and returns its number. */
export function create(
  sql: SqlStorage,
  at: Location,
  entry: { type: FileType; mode: number; mtime: number; target?: string },
): number {
  const { type, mode, mtime, target = null } = entry;
  const size = target === null ? 0 : encoder.encode(target).length;
  const parent = parentOf(at);
  const { ino } = sql
    .exec<{ ino: number }>(
      `INSERT INTO robota_inodes (parent, name, type, mode, size, mtime, target)
       VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ino`,
      parent,
      at.name,
      type,
      mode,
      size,
      mtime,
      target,
    )
    .one();
  touch(sql, parent, mtime);
  return ino;
}

/** Removes an entry, all that is below it, and the bytes of both. */
export function erase(sql: SqlStorage, { ino, parent }: Inode, mtime: number): void {
  const tree = `WITH RECURSIVE tree (ino) AS (
    SELECT ? UNION ALL SELECT robota_inodes.ino FROM robota_inodes JOIN tree ON parent = tree.ino)`;
  sql.exec(`${tree} DELETE FROM robota_chunks WHERE ino IN (SELECT ino FROM tree)`, ino);
  sql.exec(`${tree} DELETE FROM robota_inodes WHERE ino IN (SELECT ino FROM tree)`, ino);
  touch(sql, parent, mtime);
}

/** Gives an entry another place, which must be free. */
export function move(sql: SqlStorage, inode: Inode, to: Location, mtime: number): void {
  const parent = parentOf(to);
  sql.exec(
    "UPDATE robota_inodes SET parent = ?, name = ? WHERE ino = ?",
    parent,
    to.name,
    inode.ino,
  );
  touch(sql, inode.parent, mtime);
  touch(sql, parent, mtime);
}

export function touch(sql: SqlStorage, ino: number, mtime: number): void {
  sql.exec("UPDATE robota_inodes SET mtime = ? WHERE ino = ?", mtime, ino);
}

/** Entries of a directory, in no particular order. */
export function list(sql: SqlStorage, directory: Directory): Pick<Inode, "name" | "type">[] {
  return sql
    .exec<Pick<Inode, "name" | "type">>(
      "SELECT name, type FROM robota_inodes WHERE parent = ?",
      directory.ino,
    )
    .toArray();
}

export function isEmpty(sql: SqlStorage, inode: Inode): boolean {
  return !first(sql, "SELECT 1 FROM robota_inodes WHERE parent = ? LIMIT 1", inode.ino);
}
