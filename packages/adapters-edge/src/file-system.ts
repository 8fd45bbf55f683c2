import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  FileSystemError,
} from "@robota/runtime";
import { MODE_BITS, normalizePath, type PathOptions } from "@robota/runtime/ports";
import { checkPath, checkRename, checkTarget, renameRefusal } from "@robota/runtime/virtual";
import { chunks, type Database, first, isFull, isOneChunk } from "./database.ts";
import {
  type Following,
  type Inode,
  type Inodes,
  type Location,
  NOWHERE,
  parentOf,
} from "./inodes.ts";

/** An append adds to the last row up to this size, then begins a new one: its cost does not grow with the file. */
const APPEND_ROW_BYTES = 64 * 1024;

/** Of many files that are read at once: an object has 128 MB for everything. */
const MANY_BYTES = 8 * 1024 * 1024;

const encoder = new TextEncoder();
const follow = { follow: true };
const keep = { follow: false };

/**
 * Files in the SQLite of a Durable Object: a tree of inodes in one table, bytes in rows of at most 1.9 MB in another.
 * Each call is one transaction, and SQL here is synchronous, so no call ever sees another one half done.
 */
export function edgeFileSystem(database: Database, inodes: Inodes, now: () => number): FileSystem {
  const { sql } = database;
  inodes.open(now());

  const look = async <Result>(path: string, read: () => Result): Promise<Result> => {
    try {
      return await database.look(read);
    } catch (error) {
      throw fileSystemError(error, path);
    }
  };
  const guard = async <Result>(path: string, write: () => Promise<Result>): Promise<Result> => {
    try {
      return await write();
    } catch (error) {
      // What failed at the end of the transaction took its rows back too.
      if (!(error instanceof FileSystemError)) inodes.forget();
      throw fileSystemError(error, path);
    }
  };

  const change = <Result>(path: string, write: () => Result): Promise<Result> =>
    guard(path, () => database.change(() => inodes.changing(write)));

  /** The file to write to, or where to make one. */
  const fileAt = (path: string, options?: PathOptions): Location => {
    const at = inodes.locate(path, { ...options, ...follow });
    if (at.node?.type === "directory") throw new FileSystemError("EISDIR", path);
    return at;
  };
  const createFile = (at: Location, bytes: Uint8Array): void => {
    const facts = { type: "file", mode: 0o644, mtime: now(), size: bytes.length } as const;
    insert(inodes.create(at, facts).ino, 0, bytes);
  };
  const insert = (ino: number, from: number, bytes: Uint8Array): void => {
    let position = from;
    for (const data of chunks(bytes)) {
      sql.exec("INSERT INTO robota_chunks VALUES (?, ?, ?)", ino, position, data);
      position += 1;
    }
  };

  /** A place that must be free. */
  const freePlace = (path: string, options?: PathOptions): Location => {
    const at = inodes.locate(path, { ...options, ...keep });
    if (at.node) throw new FileSystemError("EEXIST", path);
    return at;
  };
  const makeDirectory = (at: Location): void => {
    inodes.create(at, { type: "directory", mode: 0o755, mtime: now() });
  };
  /** Returns why it went no further: what it has made stays, as `mkdir -p` leaves it. */
  const makeDirectories = (path: string, options: PathOptions): unknown => {
    try {
      makeEach(path, options);
    } catch (error) {
      if (error instanceof FileSystemError) return error;
      throw error;
    }
    return undefined;
  };
  const makeEach = (path: string, options: PathOptions): void => {
    checkPath(path);
    const whole = normalizePath(path);
    for (let end = whole.indexOf("/", 1); ; end = whole.indexOf("/", end + 1)) {
      const isLast = end === -1;
      const prefix = isLast ? whole : whole.slice(0, end);
      const at = inodes.locate(prefix, { ...options, ...keep });
      if (!at.node) makeDirectory(at);
      else {
        const node = locateQuietly(prefix, { ...options, ...follow })?.node;
        if (node?.type !== "directory") {
          throw new FileSystemError(node && !isLast ? "ENOTDIR" : "EEXIST", path);
        }
      }
      if (isLast) return;
    }
  };
  /** As `locate`, but nothing for a path whose directory is not there either. */
  const locateQuietly = (path: string, how: Following): Location | undefined => {
    try {
      return inodes.locate(path, how);
    } catch (error) {
      if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
      throw error;
    }
  };

  /** The bytes of files, by their numbers; without those that are not all there. */
  const bytesOf = (files: readonly Inode[]): Map<number, Uint8Array> => {
    // One question for all: each costs more than what it finds of a small file.
    const rows = sql.exec<{ ino: number; data: ArrayBuffer }>(
      `SELECT ino, data FROM robota_chunks WHERE ino IN (SELECT value FROM json_each(?))
       ORDER BY ino, position`,
      JSON.stringify(files.map(({ ino }) => ino)),
    );
    const chunksOf = new Map<number, Uint8Array[]>();
    for (const { ino, data } of rows.toArray()) {
      const known = chunksOf.get(ino);
      if (known) known.push(new Uint8Array(data));
      else chunksOf.set(ino, [new Uint8Array(data)]);
    }
    const whole = new Map<number, Uint8Array>();
    for (const { ino, size } of files) {
      const bytes = joined(...(chunksOf.get(ino) ?? []));
      if (bytes.length === size) whole.set(ino, bytes);
    }
    return whole;
  };

  return {
    honorsNoFollow: () => true,

    readFile: (path, options) =>
      look(path, () => {
        const inode = inodes.find(path, { ...options, ...follow });
        if (inode.type === "directory") throw new FileSystemError("EISDIR", path);
        const bytes = bytesOf([inode]).get(inode.ino);
        if (!bytes) throw new FileSystemError("EIO", path);
        return bytes;
      }),

    readMany: (paths, maxBytes) =>
      look("/", () => {
        let left = MANY_BYTES;
        const files = paths.map((path) => {
          const inode = inodes.straight(path);
          if (inode?.type !== "file" || inode.size > Math.min(left, maxBytes)) return undefined;
          left -= inode.size;
          return inode;
        });
        const bytes = bytesOf(files.filter((file) => file !== undefined));
        return files.map((file) => file && bytes.get(file.ino));
      }),

    writeFile: (path, data, options) =>
      guard(path, () => {
        const bytes = toBytes(data);
        const at = fileAt(path, options);
        const { node } = at;
        if (!node && isOneChunk(bytes)) {
          const facts = { mode: 0o644, mtime: now() };
          return database.changeAtOnce(() => inodes.createFile(at, facts, bytes));
        }
        return database.change(() =>
          inodes.changing(() => {
            if (!node) return createFile(at, bytes);
            if (node.size > 0) sql.exec("DELETE FROM robota_chunks WHERE ino = ?", node.ino);
            insert(node.ino, 0, bytes);
            inodes.setSize(node, bytes.length, now());
          }),
        );
      }),

    appendFile: (path, data, options) =>
      change(path, () => {
        const bytes = toBytes(data);
        const at = fileAt(path, options);
        if (!at.node) return createFile(at, bytes);
        const { ino, size } = at.node;
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
        inodes.setSize(at.node, size + bytes.length, now());
      }),

    isCanonicalPath: (path) => {
      try {
        return inodes.isCanonicalPath(path);
      } catch {
        // Whoever reads next is told why.
        return false;
      }
    },

    stat: (path) => look(path, () => toStat(inodes.find(path, follow))),
    lstat: (path) => look(path, () => toStat(inodes.find(path, keep))),

    readdir: (path, options) =>
      look(path, () => {
        const directory = inodes.find(path, { ...options, ...follow });
        if (directory.type !== "directory") throw new FileSystemError("ENOTDIR", path);
        // SQLite would sort by UTF-8 bytes, which is not the order of code units.
        return Array.from(inodes.list(directory), toEntry).sort(byName);
      }),

    async mkdir(path, options) {
      const refusal = await change(path, () =>
        options?.recursive
          ? makeDirectories(path, options)
          : makeDirectory(freePlace(path, options)),
      );
      if (refusal) throw refusal;
    },

    remove: (path, options) =>
      change(path, () => {
        const how = { ...options, ...keep };
        const at = options?.force ? locateQuietly(path, how) : inodes.locate(path, how);
        const inode = at?.node;
        if (!inode) {
          if (options?.force) return;
          throw new FileSystemError("ENOENT", path);
        }
        if (inode.parent === NOWHERE) throw new FileSystemError("EBUSY", path);
        if (!options?.recursive && !inodes.isEmpty(inode)) {
          throw new FileSystemError("ENOTEMPTY", path);
        }
        inodes.erase(inode, parentOf(at), now());
      }),

    rename: (from, to, options) =>
      change(from, () => {
        checkRename(from, to);
        const old = inodes.locate(from, { ...options, ...keep });
        const source = old.node;
        if (!source) throw new FileSystemError("ENOENT", from);
        if (source.parent === NOWHERE) throw new FileSystemError("EBUSY", from);
        const place = inodes.locate(to, { ...options, ...keep });
        const { node: replaced } = place;
        if (replaced?.parent === NOWHERE) throw new FileSystemError("EBUSY", to);
        if (replaced?.ino === source.ino) return;
        if (place.trail.some(({ ino }) => ino === source.ino)) {
          throw new FileSystemError("EINVAL", from);
        }
        if (replaced) {
          const refusal = renameRefusal(source.type, replaced.type, inodes.isEmpty(replaced));
          if (refusal) throw new FileSystemError(refusal, to);
          inodes.erase(replaced, parentOf(place), now());
        }
        inodes.move(source, parentOf(old), place, now());
      }),

    symlink: (to, path, options) =>
      change(path, () => {
        checkTarget(to);
        inodes.create(freePlace(path, options), {
          type: "symlink",
          mode: 0o777,
          mtime: now(),
          target: to,
        });
      }),

    readlink: (path) =>
      look(path, () => {
        const inode = inodes.find(path, keep);
        if (inode.type !== "symlink") throw new FileSystemError("EINVAL", path);
        return inode.target;
      }),

    realpath: (path) =>
      look(path, () => {
        const at = inodes.locate(path, follow);
        if (!at.node) throw new FileSystemError("ENOENT", path);
        return at.path;
      }),

    chmod: (path, mode, options) =>
      change(path, () => {
        inodes.setMode(inodes.find(path, { ...options, ...follow }), mode & MODE_BITS);
      }),

    utimes: (path, mtimeMs, options) =>
      change(path, () => {
        if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
        inodes.touch(inodes.find(path, { ...options, ...follow }), mtimeMs);
      }),
  };
}

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function toStat({ type, size, mtime, mode }: Inode): FileStat {
  return { type, size, mtimeMs: mtime, mode };
}

function toEntry({ name, type }: Inode): DirectoryEntry {
  return { name, type };
}

function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

function fileSystemError(error: unknown, path: string): FileSystemError {
  if (error instanceof FileSystemError) return error;
  return new FileSystemError(isFull(error) ? "ENOSPC" : "EIO", path, { cause: error });
}
