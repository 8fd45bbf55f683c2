/** The kind of an entry. */
export type FileType = "file" | "directory" | "symlink";

/** Metadata of a file, directory or symlink. */
export interface FileStat {
  type: FileType;
  /** Size in bytes; 0 for directories. */
  size: number;
  /** Milliseconds since the epoch. */
  mtimeMs: number;
  /** Permissions and the sticky bit, such as `0o644`. */
  mode: number;
  /** Number of the owner, on hosts whose files have owners. */
  uid?: number;
}

/** An entry of a directory listing. A symlink is reported as such, whatever its target. */
export interface DirectoryEntry {
  name: string;
  type: FileType;
}

/** An open file. Its bytes are those of that one file, whatever happens to its path. */
export interface OpenFile extends AsyncDisposable {
  /** Canonical path of the file. */
  readonly path: string;
  /** Size in bytes at the time of opening. */
  readonly size: number;
  /**
   * Reads up to `length` bytes from `offset`; fewer only at the end of the file. The buffer belongs to the caller.
   * @throws {FileSystemError} `EIO`
   */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Restrictions on how a path is resolved. */
export interface PathOptions {
  /**
   * Fails with `ELOOP` where a symlink would have to be followed; resolution and operation are one step, so a caller
   * that has resolved and checked a path reaches that very place, or nothing. Includes the last segment for operations
   * that follow it; operations on the entry itself exclude it. The path is normalised.
   */
  noFollow?: boolean | undefined;
}

/** Texts to search for in many files. */
export interface SoughtTexts {
  /** A file with none of them is of no use. No text is empty or has a line break, NUL or half a surrogate pair. */
  anyOf: readonly string[];
  /** Ignores case; all texts are then ASCII, without `k` and `s`. */
  ignoreCase: boolean;
  /** Larger files need no answer. */
  maxBytes: number;
}

/**
 * Files, as tools and shells see them.
 *
 * Paths are absolute POSIX paths; `.`, `..` and repeated slashes are resolved before anything else, and `..` at
 * the root stays at the root. A name has at most 255 bytes, a path and a symlink's target 4,095 (`ENAMETOOLONG`). Every method rejects with a `FileSystemError` and nothing else; `fileSystemContract`
 * in `testing/` is the executable form of these comments.
 *
 * A promise that resolves has made its effect durable: it survives the death of the tab, process or isolate in the
 * next instant. Nothing keeps a reference to a caller's buffer, and a returned buffer is the caller's own.
 */
export interface FileSystem {
  /**
   * Reports whether every operation that takes `noFollow` honours it. Without it, the caller checks the path before and
   * after the operation (`canonicalFiles`), which someone who changes links quickly can bypass.
   */
  honorsNoFollow?(): boolean;
  /** @throws {FileSystemError} `ENOENT`, `EISDIR`, `ENOTDIR`, `ELOOP` */
  readFile(path: string, options?: PathOptions): Promise<Uint8Array>;
  /**
   * Opens a file to read it in pieces, whatever its size, and to know which file it is before any of it is used: a link
   * changed meanwhile gains nothing. Left out where files are stored as a whole and nobody else changes them.
   * @throws {FileSystemError} as `readFile`, and `EBUSY` when the path led elsewhere while it was opened
   */
  open?(path: string): Promise<OpenFile>;
  /**
   * Reports whether no symlink is on `path`, including the last segment, as far as it exists. Also `false` when that is
   * not known at once or the path is not normalised; left out where it never is. Lets a copy-on-write view read
   * unchanged files here.
   */
  isCanonicalPath?(path: string): boolean;
  /**
   * The answer of `stat` for a canonical path; `undefined` when the path is not canonical, when nothing is there, and
   * when that is not known at once. Left out where `isCanonicalPath` and `stat` are as fast.
   */
  statCanonical?(path: string): FileStat | undefined;
  /** The answer of `readdir`, as `statCanonical`. */
  readdirCanonical?(path: string): DirectoryEntry[] | undefined;
  /**
   * The bytes of many files, much faster than one after the other. An item is `undefined` when the file must be read by
   * itself: it can't be read, is over `maxBytes`, has a symlink on its path, or is not in memory. Callers must not
   * change the bytes, which may be shared. `undefined` altogether, or left out, where this is not faster.
   */
  readMany?(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> | undefined;
  /**
   * Reports for each of `paths` whether it may contain one of the texts, as UTF-8 or, behind a byte order mark, as
   * UTF-16. `false` guarantees a readable file of at most `maxBytes` that contains none. `undefined` altogether, or
   * left out, where reading all of them is as fast.
   * @throws {DOMException} the abort reason of `signal`
   */
  mayHold?(
    paths: readonly string[],
    sought: SoughtTexts,
    signal: AbortSignal,
  ): Promise<readonly boolean[] | undefined> | undefined;
  /**
   * Replaces the whole file or nothing: a concurrent reader sees the old bytes or the new ones. Follows a symlink to
   * its target and keeps the mode of a file that is replaced; a new file gets `0o644`. Parents must exist.
   * @throws {FileSystemError} `ENOENT` (no parent), `EISDIR`, `ENOTDIR`, `ELOOP`, `ENAMETOOLONG`, `ENOSPC`
   */
  writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void>;
  /** Creates the file when it is not there. Appends of one caller keep their order. @throws as `writeFile` */
  appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void>;
  /** Follows symlinks. @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP` */
  stat(path: string): Promise<FileStat>;
  /** Does not follow a symlink in the last segment. @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP` */
  lstat(path: string): Promise<FileStat>;
  /** Direct children, sorted by name (code units). @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP` */
  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]>;
  /**
   * With `recursive`, creates missing parents (mode `0o755`) and is silent when the directory is there.
   * @throws {FileSystemError} `EEXIST` (also with `recursive` when a file is in the way), `ENOENT`, `ENOTDIR`
   */
  mkdir(path: string, options?: PathOptions & { recursive?: boolean }): Promise<void>;
  /**
   * Removes a file, a symlink (never its target) or an empty directory; with `recursive`, a whole tree. With `force`,
   * is silent when nothing is there. The root can't be removed (`EBUSY`).
   * @throws {FileSystemError} `ENOENT`, `ENOTEMPTY`, `ENOTDIR`, `EBUSY`
   */
  remove(
    path: string,
    options?: PathOptions & { recursive?: boolean; force?: boolean },
  ): Promise<void>;
  /**
   * As POSIX `rename`: atomic, replaces a file by a file and an empty directory by a directory, moves a symlink itself,
   * and does nothing when both names are the same.
   * @throws {FileSystemError} `ENOENT`, `EINVAL` (into its own child, or a name that ends in `.` or `..`), `EISDIR`, `ENOTDIR`, `ENOTEMPTY`, `EBUSY` (the root)
   */
  rename(from: string, to: string, options?: PathOptions): Promise<void>;
  /** `target` is kept as given and need not exist. @throws {FileSystemError} `EEXIST`, `ENOENT`, `ENOTDIR` */
  symlink(target: string, path: string, options?: PathOptions): Promise<void>;
  /** @throws {FileSystemError} `EINVAL` when it is not a symlink, `ENOENT` */
  readlink(path: string): Promise<string>;
  /** The path with every symlink resolved. @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP` */
  realpath(path: string): Promise<string>;
  /** Follows symlinks; only permissions and the sticky bit (`mode & 0o1777`) count. @throws {FileSystemError} `ENOENT` */
  chmod(path: string, mode: number, options?: PathOptions): Promise<void>;
  /** Follows symlinks. @throws {FileSystemError} `ENOENT` */
  utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void>;
}
