import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  FileSystemError,
  normalizePath,
} from "@robota/runtime";
import { checkTarget, renameRefusal } from "@robota/runtime/virtual";
import { chunks, type Database, first, isFull } from "./database.ts";
import {
  create,
  createTables,
  erase,
  find,
  type Inode,
  isEmpty,
  isStraight,
  list,
  locate,
  type Location,
  move,
  NOWHERE,
  touch,
} from "./inodes.ts";

/** An append adds to the last row up to this size, then begins a new one: its cost does not grow with the file. */
const APPEND_ROW_BYTES = 64 * 1024;

const encoder = new TextEncoder();
const follow = { follow: true };
const noFollow = { follow: false };

/**
 * Files in the SQLite of a Durable Object: a tree of inodes in one table, bytes in rows of at most 1.9 MB in another.
 * Each call is one transaction, and SQL here is synchronous, so no call ever sees another one half done.
 */
export function edgeFileSystem(database: Database, now: () => number): FileSystem {
  const { sql } = database;
  createTables(sql, now());

  const look = async <Result>(path: string, read: () => Result): Promise<Result> => {
    try {
      return await database.look(read);
    } catch (error) {
      throw fileSystemError(error, path);
    }
  };
  const change = async <Result>(path: string, write: () => Result): Promise<Result> => {
    try {
      return await database.change(write);
    } catch (error) {
      throw fileSystemError(error, path);
    }
  };

  /** The file to write to, created when it is not there. */
  const openFile = (path: string): { ino: number; size: number } => {
    const at = locate(sql, path, follow);
    if (at.node?.type === "directory") throw new FileSystemError("EISDIR", path);
    return (
      at.node ?? { ino: create(sql, at, { type: "file", mode: 0o644, mtime: now() }), size: 0 }
    );
  };
  const setSize = (ino: number, size: number): void => {
    sql.exec("UPDATE robota_inodes SET size = ?, mtime = ? WHERE ino = ?", size, now(), ino);
  };
  const insert = (ino: number, from: number, bytes: Uint8Array): void => {
    let position = from;
    for (const data of chunks(bytes)) {
      sql.exec("INSERT INTO robota_chunks VALUES (?, ?, ?)", ino, position, data);
      position += 1;
    }
  };

  /** A place that must be free. */
  const freePlace = (path: string): Location => {
    const at = locate(sql, path, noFollow);
    if (at.node) throw new FileSystemError("EEXIST", path);
    return at;
  };
  const makeDirectory = (at: Location): void => {
    create(sql, at, { type: "directory", mode: 0o755, mtime: now() });
  };
  const makeDirectories = (path: string): void => {
    const whole = normalizePath(path);
    for (let end = whole.indexOf("/", 1); ; end = whole.indexOf("/", end + 1)) {
      const isLast = end === -1;
      const prefix = isLast ? whole : whole.slice(0, end);
      const at = locate(sql, prefix, noFollow);
      if (!at.node) makeDirectory(at);
      else if (locate(sql, prefix, follow).node?.type !== "directory") {
        throw new FileSystemError(isLast ? "EEXIST" : "ENOTDIR", path);
      }
      if (isLast) return;
    }
  };
  /** What to remove; nothing for a path whose directory is not there either, when that is no failure. */
  const target = (path: string, force: boolean): Inode | undefined => {
    try {
      return find(sql, path, noFollow);
    } catch (error) {
      if (force && error instanceof FileSystemError && error.code === "ENOENT") return undefined;
      throw error;
    }
  };

  return {
    readFile: (path) =>
      look(path, () => {
        const { ino, size, type } = find(sql, path, follow);
        if (type === "directory") throw new FileSystemError("EISDIR", path);
        const bytes = new Uint8Array(size);
        let offset = 0;
        const rows = sql.exec<{ data: ArrayBuffer }>(
          "SELECT data FROM robota_chunks WHERE ino = ? ORDER BY position",
          ino,
        );
        for (const { data } of rows) {
          bytes.set(new Uint8Array(data), offset);
          offset += data.byteLength;
        }
        if (offset !== size) throw new FileSystemError("EIO", path);
        return bytes;
      }),

    writeFile: (path, data) =>
      change(path, () => {
        const bytes = toBytes(data);
        const { ino } = openFile(path);
        sql.exec("DELETE FROM robota_chunks WHERE ino = ?", ino);
        insert(ino, 0, bytes);
        setSize(ino, bytes.length);
      }),

    appendFile: (path, data) =>
      change(path, () => {
        const bytes = toBytes(data);
        const { ino, size } = openFile(path);
        const last = first<{ position: number; length: number }>(
          sql,
          `SELECT position, length(data) AS length FROM robota_chunks
           WHERE ino = ? ORDER BY position DESC LIMIT 1`,
          ino,
        );
        if (last && last.length + bytes.length <= APPEND_ROW_BYTES) {
          const { data: head } = sql
            .exec<{ data: ArrayBuffer }>(
              "SELECT data FROM robota_chunks WHERE ino = ? AND position = ?",
              ino,
              last.position,
            )
            .one();
          sql.exec(
            "UPDATE robota_chunks SET data = ? WHERE ino = ? AND position = ?",
            joined(new Uint8Array(head), bytes),
            ino,
            last.position,
          );
        } else {
          insert(ino, last ? last.position + 1 : 0, bytes);
        }
        setSize(ino, size + bytes.length);
      }),

    isStraight: (path) => {
      try {
        return isStraight(sql, path);
      } catch {
        // Whoever reads next is told why.
        return false;
      }
    },

    stat: (path) => look(path, () => toStat(find(sql, path, follow))),
    lstat: (path) => look(path, () => toStat(find(sql, path, noFollow))),

    readdir: (path) =>
      look(path, () => {
        const directory = find(sql, path, follow);
        if (directory.type !== "directory") throw new FileSystemError("ENOTDIR", path);
        // SQLite would sort by UTF-8 bytes, which is not the order of code units.
        return list(sql, directory).sort(byName);
      }),

    mkdir: (path, options) =>
      change(path, () => {
        if (options?.recursive) makeDirectories(path);
        else makeDirectory(freePlace(path));
      }),

    remove: (path, options) =>
      change(path, () => {
        const inode = target(path, options?.force === true);
        if (!inode) return;
        if (inode.parent === NOWHERE) throw new FileSystemError("EBUSY", path);
        if (!options?.recursive && !isEmpty(sql, inode)) {
          throw new FileSystemError("ENOTEMPTY", path);
        }
        erase(sql, inode, now());
      }),

    rename: (from, to) =>
      change(from, () => {
        const source = find(sql, from, noFollow);
        const place = locate(sql, to, noFollow);
        const { node: replaced } = place;
        if (source.parent === NOWHERE) throw new FileSystemError("EBUSY", from);
        if (replaced?.parent === NOWHERE) throw new FileSystemError("EBUSY", to);
        if (replaced?.ino === source.ino) return;
        if (place.trail.some(({ ino }) => ino === source.ino)) {
          throw new FileSystemError("EINVAL", from);
        }
        if (replaced) {
          const refusal = renameRefusal(source.type, replaced.type, isEmpty(sql, replaced));
          if (refusal) throw new FileSystemError(refusal, to);
          erase(sql, replaced, now());
        }
        move(sql, source, place, now());
      }),

    symlink: (to, path) =>
      change(path, () => {
        checkTarget(to);
        create(sql, freePlace(path), { type: "symlink", mode: 0o777, mtime: now(), target: to });
      }),

    readlink: (path) =>
      look(path, () => {
        const inode = find(sql, path, noFollow);
        if (inode.type !== "symlink") throw new FileSystemError("EINVAL", path);
        return inode.target;
      }),

    realpath: (path) =>
      look(path, () => {
        const at = locate(sql, path, follow);
        if (!at.node) throw new FileSystemError("ENOENT", path);
        return at.path;
      }),

    chmod: (path, mode) =>
      change(path, () => {
        const { ino } = find(sql, path, follow);
        sql.exec("UPDATE robota_inodes SET mode = ? WHERE ino = ?", mode & 0o777, ino);
      }),

    utimes: (path, mtimeMs) =>
      change(path, () => {
        if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
        touch(sql, find(sql, path, follow).ino, mtimeMs);
      }),
  };
}

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

function toStat({ type, size, mtime, mode }: Inode): FileStat {
  return { type, size, mtimeMs: mtime, mode };
}

function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

function fileSystemError(error: unknown, path: string): FileSystemError {
  if (error instanceof FileSystemError) return error;
  return new FileSystemError(isFull(error) ? "ENOSPC" : "EIO", path, { cause: error });
}
