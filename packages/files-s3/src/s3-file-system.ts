import {
  type DirectoryEntry,
  decodeText,
  encodeText,
  type FileStat,
  type FileSystem,
  FileSystemError,
  MODE_BITS,
  type OpenFile,
  type PathOptions,
} from "@robota/runtime/ports";
import type { MemoryFileSystem } from "@robota/runtime/virtual";
import { Bucket } from "./bucket.ts";
import { CommitLog } from "./commit-log.ts";
import type { TreeOperation } from "./commit-record.ts";
import {
  type Extent,
  extentsToMerge,
  packExtents,
  sizeOf,
  sliceExtents,
  unpackExtents,
} from "./extents.ts";
import { inParallel } from "./in-parallel.ts";
import { type S3FileSystemOptions, type Settings, settingsOf } from "./options.ts";
import { PayloadCache } from "./payload-cache.ts";
import { PayloadReader } from "./payload-reader.ts";
import { TreeKeeper } from "./tree-keeper.ts";
import { fileSystemError } from "./store-failure.ts";
import { TreeReplica } from "./tree-replica.ts";
import { TreeSnapshots } from "./tree-snapshots.ts";
import { type Change, TreeWriter } from "./tree-writer.ts";

/**
 * Files below a prefix of an S3-compatible store, for a session that any of several processes and machines may continue.
 *
 * Each change is one object with the next number, which the store creates only if nobody has (`If-None-Match`): a change is
 * durable when its promise resolves, renames are atomic, two processes never lose each other's changes, and each sees what
 * the other has stored. The objects are a log, and not one for each file: use `exportZip`, or the tools of a session, to get
 * files out.
 *
 * Amazon S3, Cloudflare R2, MinIO and Ceph have conditional writes; a store without them is refused with `EIO` at the first use.
 * @throws {RobotaError} An option that is missing, misspelt or of another form.
 */
export function s3FileSystem(options: S3FileSystemOptions): FileSystem {
  return new S3FileSystem(settingsOf(options));
}

/** Bytes of one `readMany`, whose files are all in memory at once. */
const MANY_BYTES = 8 * 1024 * 1024;
const READS = 3;
const GONE =
  "Its bytes are no longer in the store: something else has deleted objects below the prefix.";

class S3FileSystem implements FileSystem {
  readonly honorsNoFollow = (): boolean => true;
  readonly #replica: TreeReplica;
  readonly #writer: TreeWriter;
  readonly #reader: PayloadReader;
  readonly #merging = new Set<string>();

  constructor(settings: Settings) {
    const { cacheBytes, maxStaleMs, retentionMs } = settings;
    const bucket = new Bucket(settings);
    const cache = new PayloadCache(cacheBytes);
    const log = new CommitLog(bucket, cache);
    const snapshots = new TreeSnapshots(bucket, retentionMs);
    this.#replica = new TreeReplica({ log, snapshots, maxStaleMs, retentionMs });
    const keeper = new TreeKeeper(this.#replica, snapshots);
    this.#writer = new TreeWriter(this.#replica, log, (commit) => keeper.onCommit(commit));
    this.#reader = new PayloadReader(bucket, cache);
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return this.#look(path, async (files) =>
      this.#reader.read(extentsIn(await files.readFile(path, options))),
    );
  }

  open(path: string): Promise<OpenFile> {
    return this.#look(path, async (files) => {
      const file = await files.open(path);
      const extents = extentsIn(await file.read(0, file.size));
      return {
        path: file.path,
        size: sizeOf(extents),
        read: (offset, length) => this.#readPart(file.path, sliceExtents(extents, offset, length)),
        [Symbol.asyncDispose]: async () => {},
      };
    });
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#look("/", async (files) => {
      let left = MANY_BYTES;
      const wanted = (await files.readMany(paths, Infinity)).map((packed) => {
        const extents = packed && extentsIn(packed);
        const size = extents ? sizeOf(extents) : Infinity;
        if (size > Math.min(left, maxBytes)) return undefined;
        left -= size;
        return extents;
      });
      return inParallel(wanted, async (extents) => extents && this.#reader.read(extents));
    });
  }

  writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    return this.#write("write", path, data, options);
  }

  async appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    await this.#write("append", path, data, options);
    // Nobody waits for it, and the file is the same without.
    void this.#mergeExtents(path).catch(() => undefined);
  }

  stat(path: string): Promise<FileStat> {
    return this.#look(path, async (files) => withSize(files, path, await files.stat(path)));
  }

  lstat(path: string): Promise<FileStat> {
    return this.#look(path, async (files) => withSize(files, path, await files.lstat(path)));
  }

  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    return this.#look(path, (files) => files.readdir(path, options));
  }

  async mkdir(path: string, options?: PathOptions & { recursive?: boolean }): Promise<void> {
    const isRecursive = options?.recursive === true;
    // Hosts make sure of their directories often, and most of the time there is nothing to store.
    if (isRecursive && (await this.#look(path, (files) => isDirectory(files, path)))) return;
    await this.#change(path, {
      do: "mkdir",
      path,
      ...strictly(options),
      ...(isRecursive && { recursive: true }),
    });
  }

  async remove(
    path: string,
    options?: PathOptions & { recursive?: boolean; force?: boolean },
  ): Promise<void> {
    const isForced = options?.force === true;
    if (isForced && (await this.#look(path, (files) => isNothing(files, path)))) return;
    await this.#change(path, {
      do: "remove",
      path,
      ...strictly(options),
      ...(options?.recursive && { recursive: true }),
      ...(isForced && { force: true }),
    });
  }

  rename(from: string, to: string, options?: PathOptions): Promise<void> {
    return this.#change(from, { do: "rename", path: from, to, ...strictly(options) });
  }

  symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    return this.#change(path, { do: "symlink", path, target, ...strictly(options) });
  }

  readlink(path: string): Promise<string> {
    return this.#look(path, (files) => files.readlink(path));
  }

  realpath(path: string): Promise<string> {
    return this.#look(path, (files) => files.realpath(path));
  }

  chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    return this.#change(path, { do: "chmod", path, mode: mode & MODE_BITS, ...strictly(options) });
  }

  utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    return this.#change(path, { do: "utimes", path, mtimeMs, ...strictly(options) });
  }

  /** Reads what all processes have stored. Bytes that were replaced between the two steps may be gone: once more, then. */
  async #look<Result>(
    path: string,
    read: (files: MemoryFileSystem) => Promise<Result | undefined>,
  ): Promise<Result> {
    try {
      for (let tries = 0; tries < READS; tries++) {
        const result = await read((await this.#replica.current()).files);
        if (result !== undefined) return result;
      }
    } catch (error) {
      throw fileSystemError(error, path);
    }
    throw new FileSystemError("EIO", path, { hint: GONE });
  }

  async #readPart(path: string, extents: readonly Extent[]): Promise<Uint8Array> {
    try {
      const bytes = await this.#reader.read(extents);
      if (bytes) return bytes;
    } catch (error) {
      throw fileSystemError(error, path);
    }
    throw new FileSystemError("EIO", path, { hint: GONE });
  }

  #write(
    kind: "write" | "append",
    path: string,
    data: Uint8Array | string,
    options?: PathOptions,
  ): Promise<void> {
    const bytes = typeof data === "string" ? encodeText(data) : data.slice();
    return this.#store(path, {
      operation: (payload) => ({ do: kind, path, ...strictly(options), payload }),
      bytes,
    });
  }

  #change(path: string, operation: TreeOperation): Promise<void> {
    return this.#store(path, { operation: () => operation });
  }

  async #store(path: string, change: Change): Promise<void> {
    try {
      await this.#writer.change(change);
    } catch (error) {
      throw fileSystemError(error, path);
    }
  }

  /** Makes one extent of many small ones, unless that is being done. */
  async #mergeExtents(path: string): Promise<void> {
    const { files } = this.#replica.known;
    const real = await files.realpath(path);
    const extents = extentsToMerge(extentsIn(await files.readFile(real)));
    if (extents.length === 0 || this.#merging.has(real)) return;
    this.#merging.add(real);
    try {
      const bytes = await this.#reader.read(extents);
      if (!bytes) return;
      const from = packExtents(extents);
      await this.#writer.change({
        operation: (payload) => ({ do: "merge", path: real, strict: true, from, payload }),
        bytes,
      });
    } finally {
      this.#merging.delete(real);
    }
  }
}

/** The content of a file in the tree. */
function extentsIn(packed: Uint8Array): Extent[] {
  return unpackExtents(decodeText(packed));
}

function strictly(options: PathOptions | undefined): { strict?: true } {
  return options?.noFollow ? { strict: true } : {};
}

/** The size is that of the file's bytes, of which the tree has only the places. */
async function withSize(files: MemoryFileSystem, path: string, stat: FileStat): Promise<FileStat> {
  if (stat.type !== "file") return stat;
  return { ...stat, size: sizeOf(extentsIn(await files.readFile(path))) };
}

async function isDirectory(files: MemoryFileSystem, path: string): Promise<boolean> {
  if (!files.isCanonicalPath(path)) return false;
  return (await files.lstat(path).catch(() => undefined))?.type === "directory";
}

/** `false` also for a path that leads through a symlink. */
async function isNothing(files: MemoryFileSystem, path: string): Promise<boolean> {
  if (!files.isCanonicalPath(path)) return false;
  return files.lstat(path).then(
    () => false,
    (error: unknown) => error instanceof FileSystemError && error.code === "ENOENT",
  );
}
