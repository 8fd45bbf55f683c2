import { FileSystemError } from "@robota/runtime";
import { type PathOptions } from "@robota/runtime/ports";
import type { Database } from "../indexed-db.ts";
import type { ByteCache } from "./byte-cache.ts";
import { BYTE_STORES, loadBytes, loadTree, STORES } from "./store.ts";
import type { FileInode, Tree } from "./tree.ts";

/** Limit for a batch of files. */
const MANY_BYTES = 16 * 1024 * 1024;

/** The store whose files are read. */
export interface ReadableStore {
  readonly database: Database;
  readonly cache: ByteCache;
  /** Undefined when it would have to be loaded. */
  loadedTree(): Tree | undefined;
  tree(): Promise<Tree>;
  /** The bytes of a small file that the database does not have yet, by inode number. */
  unstored(ino: number): Uint8Array | undefined;
  /** Stores changes that only the journal has. */
  settle(): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Only the tab that makes all changes may set `isOnlyWriter`: then cached bytes serve too. */
export interface ReadRights {
  isOnlyWriter: boolean;
}

/** Reads the bytes of files: from memory where this tab is the only writer, else from the database. */
export class FileReader {
  readonly #store: ReadableStore;

  constructor(store: ReadableStore) {
    this.#store = store;
  }

  /** The whole content at one moment, even of a file that is being replaced. The bytes belong to the caller. */
  async read(
    path: string,
    { isOnlyWriter, ...options }: PathOptions & ReadRights,
  ): Promise<Uint8Array> {
    const tree = this.#store.loadedTree() ?? (await this.#store.tree());
    const file = fileAt(tree, path, options);
    const { ino, revision } = file;
    const { cache } = this.#store;
    const known = isOnlyWriter ? cache.get(ino) : undefined;
    if (known) return known;
    if (file.size === 0) return new Uint8Array();
    const unstored = this.#store.unstored(ino);
    if (unstored) return copyLater(unstored);
    const [bytes] = await this.#load([file]);
    if (!bytes) return this.#readSnapshot(path, options);
    if (isOnlyWriter && this.#isCurrent(tree, file, revision)) cache.set(ino, bytes.slice());
    return bytes;
  }

  /**
   * The bytes of many files; those that are not cached are read in one transaction. `undefined` for anything but a file
   * of at most `maxBytes`, for paths with a symlink, and for files beyond the batch limit.
   */
  async readMany(
    paths: readonly string[],
    maxBytes: number,
    { isOnlyWriter }: ReadRights,
  ): Promise<(Uint8Array | undefined)[]> {
    const tree = this.#store.loadedTree() ?? (await this.#store.tree());
    const { cache } = this.#store;
    let left = MANY_BYTES;
    const found = paths.map((path) => {
      const file = tree.straight(path);
      if (file?.type !== "file" || file.size > Math.min(left, maxBytes)) return undefined;
      left -= file.size;
      const known = cache.peek(file.ino) ?? this.#store.unstored(file.ino);
      const bytes = isOnlyWriter ? known : undefined;
      return { file, revision: file.revision, bytes };
    });
    const missing = found.flatMap((each) => (each && !each.bytes ? [each] : []));
    if (missing.length > 0) {
      const loaded = await this.#load(missing.map(({ file }) => file));
      for (const [index, each] of missing.entries()) {
        const bytes = loaded[index];
        if (!bytes) continue;
        each.bytes = bytes;
        const { file, revision } = each;
        if (isOnlyWriter && this.#isCurrent(tree, file, revision)) cache.set(file.ino, bytes);
      }
    }
    return found.map((each) => each?.bytes);
  }

  #load(files: readonly FileInode[]): Promise<(Uint8Array | undefined)[]> {
    const { database } = this.#store;
    return database.retrying(() =>
      database.read(BYTE_STORES, (transaction) =>
        Promise.all(files.map((file) => loadBytes(transaction, file))),
      ),
    );
  }

  #isCurrent(tree: Tree, file: FileInode, revision: number): boolean {
    const isLoaded = this.#store.loadedTree() === tree;
    return isLoaded && tree.get(file.ino) === file && file.revision === revision;
  }

  /**
   * The way out when the tree and the bytes did not fit together, because another tab has removed the file or because a
   * transaction was aborted: both at one moment.
   */
  async #readSnapshot(path: string, options: PathOptions): Promise<Uint8Array> {
    const { database } = this.#store;
    await this.#store.settle();
    return database.retrying(() =>
      database.read(STORES, async (transaction) => {
        const file = fileAt(await loadTree(transaction, this.#store.now()), path, options);
        const bytes = await loadBytes(transaction, file);
        // The database was damaged. An empty file would be taken for the content, and written back.
        if (!bytes) throw new FileSystemError("EIO", path);
        return bytes;
      }),
    );
  }
}

/** A copy after yielding to the browser, which a caller that polls a file must do. */
async function copyLater(bytes: Uint8Array): Promise<Uint8Array> {
  await new Promise((resolve) => setTimeout(resolve));
  return bytes.slice();
}

function fileAt(tree: Tree, path: string, options: PathOptions): FileInode {
  const inode = tree.resolve(path, { ...options, follow: true });
  if (inode.type !== "file") throw new FileSystemError("EISDIR", path);
  return inode;
}
