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
  /** Whether it may not be read, as rules or its mode say. */
  isDenied?: boolean;
  /** Missing for directories, and for files that were too many or too large to be read ahead. */
  bytes?: Uint8Array;
}

export interface Change {
  apply(): Promise<void>;
  /** Bytes that it keeps in memory until then. */
  bytes: number;
  /** The file whose whole content it writes, so that a later one can take its place. */
  rewrites?: string;
}

/** What a script sees of the files: as they were when it started, with what it has changed since. */
export interface Snapshot {
  readonly root: string;
  readonly entries: Map<string, SnapshotEntry>;
  /** What the script did and the files themselves don't know of yet, in order. */
  readonly changes: Change[];
  /** Directories that were left out. */
  readonly skipped: ReadonlySet<string>;
}

const NOT_READ_AHEAD = new Set([".git"]);

/**
 * Reads what is below `root`. A script asks for files without waiting, and a file system answers later: so it is asked
 * before. Past the limits names and sizes are known, but not what is inside.
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

/** What `operation` gives; `undefined` for an entry that may not be read, which is there all the same. */
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

/** The nearest directory above `path` with a `package.json`; `path` itself when there is none. */
export async function projectOf(fs: FileSystem, path: string): Promise<string> {
  for (let at = path; at !== "/"; at = dirname(at)) {
    if (await fs.stat(`${at}/package.json`).catch(() => undefined)) return at;
  }
  return path;
}

export function isInside({ root }: Snapshot, path: string): boolean {
  return isWithin(root, path);
}
