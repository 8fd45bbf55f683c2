import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  FileSystemError,
} from "@robota/runtime";
import { MODE_BITS, normalizePath, type PathOptions } from "@robota/runtime/ports";
import { checkPath, checkRename, checkTarget, renameRefusal } from "@robota/runtime/virtual";
import { appendChunks, deleteChunks, insertChunks, readChunks } from "./chunk-rows.ts";
import { type SqlDatabase, isFull, isOneChunk } from "./database.ts";
import {
  type Following,
  type Inode,
  type Inodes,
  type Location,
  NOWHERE,
  parentOf,
} from "./inodes.ts";

/** Limit for a batch of files: an object has 128 MB in total. */
const MANY_BYTES = 8 * 1024 * 1024;

const encoder = new TextEncoder();
const follow = { follow: true };
const keep = { follow: false };

type RemoveOptions = PathOptions & { recursive?: boolean | undefined; force?: boolean | undefined };

/**
 * Files in the SQLite of a Durable Object: a tree of inodes in one table, bytes in rows of at most 1.9 MB in another.
 * Each call is one transaction, and SQL here is synchronous, so no call ever sees another one half done.
 */
export class EdgeFileSystem implements FileSystem {
  readonly #database: SqlDatabase;
  readonly #sql: SqlStorage;
  readonly #inodes: Inodes;
  readonly #now: () => number;

  constructor(database: SqlDatabase, inodes: Inodes, now: () => number) {
    this.#database = database;
    this.#sql = database.sql;
    this.#inodes = inodes;
    this.#now = now;
    inodes.open(now());
  }

  honorsNoFollow(): boolean {
    return true;
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return this.#look(path, () => {
      const inode = this.#inodes.find(path, { ...options, ...follow });
      if (inode.type === "directory") throw new FileSystemError("EISDIR", path);
      const bytes = readChunks(this.#sql, [inode]).get(inode.ino);
      if (!bytes) throw new FileSystemError("EIO", path);
      return bytes;
    });
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#look("/", () => {
      let left = MANY_BYTES;
      const files = paths.map((path) => {
        const inode = this.#inodes.straight(path);
        if (inode?.type !== "file" || inode.size > Math.min(left, maxBytes)) return undefined;
        left -= inode.size;
        return inode;
      });
      const bytes = readChunks(
        this.#sql,
        files.filter((file) => file !== undefined),
      );
      return files.map((file) => file && bytes.get(file.ino));
    });
  }

  writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    return this.#guard(path, () => {
      const bytes = toBytes(data);
      const at = this.#fileAt(path, options);
      const { node } = at;
      if (!node && isOneChunk(bytes)) {
        const facts = { mode: 0o644, mtime: this.#now() };
        return this.#database.changeAtOnce(() => this.#inodes.createFile(at, facts, bytes));
      }
      return this.#database.change(() =>
        this.#inodes.changing(() => {
          if (!node) return this.#createFile(at, bytes);
          if (node.size > 0) deleteChunks(this.#sql, node.ino);
          insertChunks(this.#sql, node.ino, 0, bytes);
          this.#inodes.setSize(node, bytes.length, this.#now());
        }),
      );
    });
  }

  appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    return this.#change(path, () => {
      const bytes = toBytes(data);
      const at = this.#fileAt(path, options);
      if (!at.node) return this.#createFile(at, bytes);
      appendChunks(this.#sql, at.node.ino, bytes);
      this.#inodes.setSize(at.node, at.node.size + bytes.length, this.#now());
    });
  }

  isCanonicalPath(path: string): boolean {
    try {
      return this.#inodes.isCanonicalPath(path);
    } catch {
      // The next read reports the error.
      return false;
    }
  }

  stat(path: string): Promise<FileStat> {
    return this.#look(path, () => toStat(this.#inodes.find(path, follow)));
  }

  lstat(path: string): Promise<FileStat> {
    return this.#look(path, () => toStat(this.#inodes.find(path, keep)));
  }

  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    return this.#look(path, () => {
      const directory = this.#inodes.find(path, { ...options, ...follow });
      if (directory.type !== "directory") throw new FileSystemError("ENOTDIR", path);
      // SQLite would sort by UTF-8 bytes, which is not the order of code units.
      return Array.from(this.#inodes.list(directory), toEntry).sort(byName);
    });
  }

  async mkdir(path: string, options?: PathOptions & { recursive?: boolean }): Promise<void> {
    const refusal = await this.#change(path, () =>
      options?.recursive
        ? this.#makeDirectories(path, options)
        : this.#makeDirectory(this.#freePlace(path, options)),
    );
    if (refusal) throw refusal;
  }

  remove(path: string, options?: RemoveOptions): Promise<void> {
    return this.#change(path, () => {
      const how = { ...options, ...keep };
      const at = options?.force ? this.#locateQuietly(path, how) : this.#inodes.locate(path, how);
      const inode = at?.node;
      if (!inode) {
        if (options?.force) return;
        throw new FileSystemError("ENOENT", path);
      }
      if (inode.parent === NOWHERE) throw new FileSystemError("EBUSY", path);
      if (!options?.recursive && !this.#inodes.isEmpty(inode)) {
        throw new FileSystemError("ENOTEMPTY", path);
      }
      this.#inodes.erase(inode, parentOf(at), this.#now());
    });
  }

  rename(from: string, to: string, options?: PathOptions): Promise<void> {
    const inodes = this.#inodes;
    return this.#change(from, () => {
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
        inodes.erase(replaced, parentOf(place), this.#now());
      }
      inodes.move(source, parentOf(old), place, this.#now());
    });
  }

  symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    return this.#change(path, () => {
      checkTarget(target);
      const facts = { type: "symlink", mode: 0o777, mtime: this.#now(), target } as const;
      this.#inodes.create(this.#freePlace(path, options), facts);
    });
  }

  readlink(path: string): Promise<string> {
    return this.#look(path, () => {
      const inode = this.#inodes.find(path, keep);
      if (inode.type !== "symlink") throw new FileSystemError("EINVAL", path);
      return inode.target;
    });
  }

  realpath(path: string): Promise<string> {
    return this.#look(path, () => {
      const at = this.#inodes.locate(path, follow);
      if (!at.node) throw new FileSystemError("ENOENT", path);
      return at.path;
    });
  }

  chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    return this.#change(path, () => {
      this.#inodes.setMode(this.#inodes.find(path, { ...options, ...follow }), mode & MODE_BITS);
    });
  }

  utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    return this.#change(path, () => {
      if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
      this.#inodes.touch(this.#inodes.find(path, { ...options, ...follow }), mtimeMs);
    });
  }

  async #look<Result>(path: string, read: () => Result): Promise<Result> {
    try {
      return await this.#database.look(read);
    } catch (error) {
      throw fileSystemError(error, path);
    }
  }

  #change<Result>(path: string, write: () => Result): Promise<Result> {
    return this.#guard(path, () => this.#database.change(() => this.#inodes.changing(write)));
  }

  async #guard<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      // A failure at the end of the transaction rolled its rows back, too.
      if (!(error instanceof FileSystemError)) this.#inodes.forget();
      throw fileSystemError(error, path);
    }
  }

  /** The file to write to, or where to make one. */
  #fileAt(path: string, options?: PathOptions): Location {
    const at = this.#inodes.locate(path, { ...options, ...follow });
    if (at.node?.type === "directory") throw new FileSystemError("EISDIR", path);
    return at;
  }

  #createFile(at: Location, bytes: Uint8Array): void {
    const facts = { type: "file", mode: 0o644, mtime: this.#now(), size: bytes.length } as const;
    insertChunks(this.#sql, this.#inodes.create(at, facts).ino, 0, bytes);
  }

  /** A location that must be free. */
  #freePlace(path: string, options?: PathOptions): Location {
    const at = this.#inodes.locate(path, { ...options, ...keep });
    if (at.node) throw new FileSystemError("EEXIST", path);
    return at;
  }

  #makeDirectory(at: Location): void {
    this.#inodes.create(at, { type: "directory", mode: 0o755, mtime: this.#now() });
  }

  /** Returns the error that stopped it: directories made before stay, as with `mkdir -p`. */
  #makeDirectories(path: string, options: PathOptions): unknown {
    try {
      this.#makeEach(path, options);
    } catch (error) {
      if (error instanceof FileSystemError) return error;
      throw error;
    }
    return undefined;
  }

  #makeEach(path: string, options: PathOptions): void {
    checkPath(path);
    const whole = normalizePath(path);
    for (let end = whole.indexOf("/", 1); ; end = whole.indexOf("/", end + 1)) {
      const isLast = end === -1;
      const prefix = isLast ? whole : whole.slice(0, end);
      const at = this.#inodes.locate(prefix, { ...options, ...keep });
      if (!at.node) this.#makeDirectory(at);
      else {
        const node = this.#locateQuietly(prefix, { ...options, ...follow })?.node;
        if (node?.type !== "directory") {
          throw new FileSystemError(node && !isLast ? "ENOTDIR" : "EEXIST", path);
        }
      }
      if (isLast) return;
    }
  }

  /** As `locate`, but `undefined` for a path whose directory is missing, too. */
  #locateQuietly(path: string, how: Following): Location | undefined {
    try {
      return this.#inodes.locate(path, how);
    } catch (error) {
      if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
      throw error;
    }
  }
}

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
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
