import {
  FileSystemError,
  type DirectoryEntry,
  type FileSystem,
  type FileType,
  dirname,
  isWithin,
} from "@robota/runtime/ports";
import type { ScriptLimits } from "./options.ts";

export interface SnapshotEntry {
  type: FileType;
  size: number;
  mtimeMs: number;
  mode: number;
  /** True if rules or its mode deny reading it. */
  isDenied?: boolean;
  /** Missing for directories, and for files beyond the preload limits. */
  bytes?: Uint8Array;
}

export interface Change {
  apply(): Promise<void>;
  /** Bytes that the change keeps in memory until it is applied. */
  bytes: number;
  /** The file whose whole content it writes, so that a later change can replace it. */
  rewrites?: string | undefined;
}

/** A script's view of the files: their state when it started, plus its own changes. */
export interface Snapshot {
  readonly root: string;
  readonly entries: Map<string, SnapshotEntry>;
  /** Changes of the script that are not yet applied to the real files, in order. */
  readonly changes: Change[];
  /** Directories excluded from the snapshot. */
  readonly skipped: ReadonlySet<string>;
}

const NOT_READ_AHEAD = new Set([".git"]);

/**
 * Reads the files below `root`. A script accesses files synchronously and the file system is asynchronous, so they are
 * loaded before. Past the limits names and sizes are known, but no content.
 */
export async function takeSnapshot(
  fs: FileSystem,
  root: string,
  { files = 2_000, fileBytes = 32 * 1024 * 1024 }: ScriptLimits,
): Promise<Snapshot> {
  const entries = new Map<string, SnapshotEntry>();
  const skipped = new Set<string>();
  let [leftFiles, leftBytes] = [files, fileBytes];
  const later: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const stat = await fs.stat(path).catch(() => undefined);
    if (!stat) return;
    const { type, size, mtimeMs, mode } = stat;
    const entry: SnapshotEntry = { type, size, mtimeMs, mode };
    entries.set(path, entry);
    if (type === "directory") {
      for (const { name } of await entriesOf(fs, path, entry)) {
        const child = path === "/" ? `/${name}` : `${path}/${name}`;
        if (NOT_READ_AHEAD.has(name)) skipped.add(child);
        // Dependencies are many: they come after the project's own files.
        else if (name === "node_modules") later.push(child);
        else await visit(child);
      }
      return;
    }
    if (leftFiles <= 0 || size > leftBytes) return;
    leftFiles -= 1;
    leftBytes -= size;
    const bytes = await readable(entry, fs.readFile(path));
    if (bytes) entry.bytes = bytes;
  };
  await visit(root);
  for (let path = later.shift(); path !== undefined; path = later.shift()) await visit(path);
  for (let at = root; at !== "/"; at = dirname(at))
    entries.set(dirname(at), { type: "directory", size: 0, mtimeMs: 0, mode: 0o755 });
  return { root, entries, changes: [], skipped };
}

/** The result of `operation`; `undefined` for an existing entry that may not be read. */
async function readable<Result>(
  entry: SnapshotEntry,
  operation: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    const code = error instanceof FileSystemError ? error.code : "";
    if (code === "EACCES" || code === "EPERM") entry.isDenied = true;
    return undefined;
  }
}

async function entriesOf(
  fs: FileSystem,
  path: string,
  entry: SnapshotEntry,
): Promise<readonly DirectoryEntry[]> {
  return (await readable(entry, fs.readdir(path))) ?? [];
}

/** The nearest directory at or above `path` with a `package.json`; `path` itself if none has one. */
export async function projectOf(fs: FileSystem, path: string): Promise<string> {
  for (let at = path; at !== "/"; at = dirname(at)) {
    if (await fs.stat(`${at}/package.json`).catch(() => undefined)) return at;
  }
  return path;
}

export function isInside({ root }: Snapshot, path: string): boolean {
  return isWithin(root, path);
}
