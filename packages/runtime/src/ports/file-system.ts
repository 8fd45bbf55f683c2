/** What a path leads to. */
export type FileType = "file" | "directory" | "symlink";

export interface FileStat {
  type: FileType;
  /** In bytes; 0 for directories. */
  size: number;
  /** Milliseconds since the epoch. */
  mtimeMs: number;
  /** Permissions and the sticky bit, such as `0o644`. */
  mode: number;
}

export interface DirectoryEntry {
  name: string;
  type: FileType;
}

/** A file that was opened. Its bytes are of that one file, whatever becomes of the path that led to it. */
export interface OpenFile extends AsyncDisposable {
  /** Where the file is, with every symlink resolved. */
  readonly path: string;
  /** In bytes, when it was opened. */
  readonly size: number;
  /**
   * Up to `length` bytes from `offset`; fewer only at the end of the file. The buffer is the caller's own.
   * @throws {FileSystemError} `EIO`
   */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** How a path may lead to what an operation is about. */
export interface PathOptions {
  /**
   * Fails with `ELOOP` where a symlink would have to be followed, found and acted on in one step: whoever has resolved a
   * path and asked whether it may be used gets that very place, or nothing. The last segment counts for operations that
   * follow it; those on the entry itself leave it out. The path is normalised.
   */
  noFollow?: boolean;
}

/** Texts that are looked for in many files. */
export interface SoughtTexts {
  /** A file with none of them is of no use. No text is empty or has a line break, NUL or half a surrogate pair. */
  anyOf: readonly string[];
  /** Whether capital and small letters are the same; all of the texts are ASCII then, without `k` and `s`. */
  ignoreCase: boolean;
  /** Of larger files nothing has to be known. */
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
   * Whether `noFollow` is honoured by every operation that has it. Without it, the caller looks at the path before and
   * after the operation (`canonicalFiles`), which somebody who changes links quickly can get around.
   */
  honorsNoFollow?(): boolean;
  /** @throws {FileSystemError} `ENOENT`, `EISDIR`, `ENOTDIR`, `ELOOP` */
  readFile(path: string, options?: PathOptions): Promise<Uint8Array>;
  /**
   * Opens a file to read it in pieces, so that its size is no matter, and to know which file it is before any of it is
   * used: a link that is changed meanwhile gains nothing. Left out where files are kept as a whole and nobody else
   * changes them.
   * @throws {FileSystemError} as `readFile`, and `EBUSY` when the path led elsewhere while it was opened
   */
  open?(path: string): Promise<OpenFile>;
  /**
   * Whether no symlink is on `path`, the last segment included, as far as it leads anywhere. `false` also when that can't
   * be told at once or the path is not normalised; left out where it never can. A copy-on-write view asks for it, to
   * know that what it has not changed can be read here.
   */
  isCanonicalPath?(path: string): boolean;
  /**
   * What `stat` answers, where the path is straight; `undefined` when it is not, when nothing is there, and when that
   * can't be told at once. Left out where `isCanonicalPath` and `stat` take no longer.
   */
  statCanonical?(path: string): FileStat | undefined;
  /** As `statCanonical`, of what `readdir` answers. */
  readdirCanonical?(path: string): DirectoryEntry[] | undefined;
  /**
   * The bytes of many files, for whoever looks through them: much faster than one after the other. `undefined` in the
   * place of each that has to be read by itself: it can't be read, is over `maxBytes`, has a symlink on its path, or is
   * not at hand. Nobody may change the bytes, which need not be a copy. `undefined` altogether, or left out, where
   * this is no faster.
   */
  readMany?(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> | undefined;
  /**
   * For each of `paths` whether it may hold one of the texts, as UTF-8 or, behind a byte order mark, as UTF-16. `false` says
   * for certain that it is a file of at most `maxBytes` that can be read and holds none. `undefined` altogether, or left
   * out, where that can't be told faster than by reading all of them.
   * @throws {DOMException} what `signal` aborts with
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
  /** @throws {FileSystemError} `EINVAL` when it is no symlink, `ENOENT` */
  readlink(path: string): Promise<string>;
  /** The path with every symlink resolved. @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP` */
  realpath(path: string): Promise<string>;
  /** Follows symlinks; only permissions and the sticky bit (`mode & 0o1777`) count. @throws {FileSystemError} `ENOENT` */
  chmod(path: string, mode: number, options?: PathOptions): Promise<void>;
  /** Follows symlinks. @throws {FileSystemError} `ENOENT` */
  utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void>;
}
