import { childPath, MemoryFileSystem } from "@robota/runtime/virtual";
import { type FileSystem, FileSystemError } from "@robota/runtime/ports";
import type { CommitRecord, Payload, TreeOperation } from "./commit-record.ts";
import { appendExtent, type Extent, packExtents, unpackExtents } from "./extents.ts";

/** Where a commit's payloads lie. */
export interface Origin {
  commit: number;
  bodyStart: number;
}

/** An entry of a tree, parents before children. */
export interface TreeEntry {
  path: string;
  mode: number;
  mtimeMs: number;
  /** Packed extents of a file. */
  file?: string;
  /** Target of a symlink. */
  link?: string;
}

const decoder = new TextDecoder();

/**
 * Names, types, modes and times in memory, with the extents of each file in the place of its bytes. Every process applies
 * the same commits in the same order and has the same tree.
 */
export class FileTree {
  readonly files: MemoryFileSystem;
  #nowMs = 0;

  constructor() {
    this.files = new MemoryFileSystem({ now: () => this.#nowMs });
  }

  /** The errors of the operations, by index: one that fails changes nothing, or as little as it does elsewhere. */
  async apply({ atMs, operations }: CommitRecord, origin: Origin): Promise<unknown[]> {
    this.#nowMs = atMs;
    const errors: unknown[] = [];
    for (const operation of operations) errors.push(await attempt(this.files, operation, origin));
    return errors;
  }

  async entries(): Promise<TreeEntry[]> {
    const entries: TreeEntry[] = [];
    const visit = async (path: string): Promise<void> => {
      const { type, mode, mtimeMs } = await this.files.lstat(path);
      const entry: TreeEntry = { path, mode, mtimeMs };
      entries.push(entry);
      if (type === "file") entry.file = decoder.decode(await this.files.readFile(path));
      if (type === "symlink") entry.link = await this.files.readlink(path);
      if (type !== "directory") return;
      for (const { name } of await this.files.readdir(path)) await visit(childPath(path, name));
    };
    await visit("/");
    return entries;
  }

  static async of(entries: readonly TreeEntry[]): Promise<FileTree> {
    const tree = new FileTree();
    const { files } = tree;
    for (const { path, mode, mtimeMs, file, link } of entries) {
      tree.#nowMs = mtimeMs;
      if (link !== undefined) await files.symlink(link, path);
      else {
        if (file !== undefined) await files.writeFile(path, file);
        else await files.mkdir(path, { recursive: true });
        await files.chmod(path, mode);
      }
    }
    // Entries changed the times of the directories that they were put into.
    for (const { path, mtimeMs, file, link } of entries) {
      if (file === undefined && link === undefined) await files.utimes(path, mtimeMs);
    }
    return tree;
  }
}

/** Carries out an operation, and returns what it throws. */
export async function attempt(
  files: FileSystem,
  operation: TreeOperation,
  origin: Origin,
): Promise<unknown> {
  try {
    await carryOut(files, operation, origin);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function carryOut(
  files: FileSystem,
  operation: TreeOperation,
  origin: Origin,
): Promise<void> {
  const { path, strict: noFollow } = operation;
  const options = { noFollow };
  switch (operation.do) {
    case "write":
      return files.writeFile(path, packExtents(place([], operation.payload, origin)), options);
    case "append": {
      const extents = await extentsAt(files, path, noFollow);
      return files.writeFile(path, packExtents(place(extents, operation.payload, origin)), options);
    }
    case "merge":
      return merge(files, operation, origin);
    case "mkdir":
      return files.mkdir(path, { ...options, recursive: operation.recursive === true });
    case "remove":
      return files.remove(path, {
        ...options,
        recursive: operation.recursive === true,
        force: operation.force === true,
      });
    case "rename":
      return files.rename(path, operation.to, options);
    case "symlink":
      return files.symlink(operation.target, path, options);
    case "chmod":
      return files.chmod(path, operation.mode, options);
    case "utimes":
      return files.utimes(path, operation.mtimeMs, options);
  }
}

/** The extents of a file to append to, which need not be there. */
async function extentsAt(
  files: FileSystem,
  path: string,
  noFollow: true | undefined,
): Promise<readonly Extent[]> {
  try {
    return unpackExtents(decoder.decode(await files.readFile(path, { noFollow })));
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Only where the extents are still the same; what was appended since stays behind them. */
async function merge(
  files: FileSystem,
  { path, from, payload }: Extract<TreeOperation, { do: "merge" }>,
  origin: Origin,
): Promise<void> {
  const packed = decoder.decode(await files.readFile(path, { noFollow: true }));
  const start = `,${packed},`.indexOf(`,${from},`);
  if (start === -1) return;
  const before = unpackExtents(packed.slice(0, Math.max(start - 1, 0)));
  const after = unpackExtents(packed.slice(start + from.length + 1));
  const { mtimeMs } = await files.lstat(path);
  await files.writeFile(path, packExtents([...place(before, payload, origin), ...after]));
  await files.utimes(path, mtimeMs);
}

function place(
  extents: readonly Extent[],
  { offset, length }: Payload,
  { commit, bodyStart }: Origin,
): readonly Extent[] {
  return appendExtent(extents, { commit, offset: bodyStart + offset, length });
}
