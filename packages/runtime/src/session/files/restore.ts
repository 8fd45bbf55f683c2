import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname } from "../../ports/path.ts";
import type { FileBefore, PastVersion } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";
import { entryPath, unlessMissing } from "./versions.ts";

/** The outcome of restoring files. */
export interface RestoredFiles {
  /** Restored paths. */
  restored: string[];
  /** Were not there before, and are gone again. */
  removed: string[];
  /** Files that could not be restored, and are unchanged. */
  notRestored: { path: string; reason: string }[];
}

type Stored = Extract<PastVersion, { sha256: string }>;

/** The reasons why a past version has no content. */
export const NOT_KEPT = {
  "too-large": "It was too large to store.",
  "too-many": "Too much was changed at once to store.",
  unreadable: "It could not be read before it was changed.",
} as const;
const MISSING = "Its content is missing in the session's storage.";
const ELSEWHERE = "A symlink on its path leads elsewhere by now.";

/** Restores each path's version. Failures are reported, and the rest continues. */
export async function restoreFiles(
  fs: FileSystem,
  files: readonly FileBefore[],
  payloads: Payloads,
): Promise<RestoredFiles> {
  const result: RestoredFiles = { restored: [], removed: [], notRestored: [] };
  const contents = await payloads.get(
    files.flatMap(({ before }) => (isStored(before) ? [before.sha256] : [])),
  );
  const attempt = async (
    path: string,
    done: string[],
    work: () => Promise<boolean>,
  ): Promise<void> => {
    try {
      if (await work()) done.push(path);
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      result.notRestored.push({ path, reason: error.message });
    }
  };
  const byPath = [...files].sort((one, other) => (one.path < other.path ? -1 : 1));
  // Entries are removed before their directory.
  for (const { path, before } of byPath.toReversed()) {
    if (before === null) await attempt(path, result.removed, () => removeEntry(fs, path));
  }
  // Directories are restored before their entries.
  for (const { path, before } of byPath) {
    if (before === null) continue;
    if ("notCovered" in before) {
      result.notRestored.push({ path, reason: NOT_KEPT[before.notCovered] });
    } else if (isStored(before) && !contents.has(before.sha256)) {
      result.notRestored.push({ path, reason: MISSING });
    } else if ((await entryPath(fs, path)) !== path) {
      result.notRestored.push({ path, reason: ELSEWHERE });
    } else {
      await attempt(path, result.restored, () => putBack(fs, path, before, contents));
    }
  }
  return result;
}

/** Resolves to whether the entry existed. @throws {FileSystemError} `ENOTEMPTY` for a directory with foreign entries */
async function removeEntry(fs: FileSystem, path: string): Promise<boolean> {
  // The present target of a symlink is another entry, and not ours to remove.
  if ((await entryPath(fs, path)) !== path) return false;
  if (!(await unlessMissing(fs.lstat(path)))) return false;
  await fs.remove(path);
  return true;
}

/** Resolves to whether anything had to change. */
async function putBack(
  fs: FileSystem,
  path: string,
  before: Exclude<PastVersion, { notCovered: string }>,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<boolean> {
  const now = await unlessMissing(fs.lstat(path));
  if (now && now.type !== before.type) await fs.remove(path, { recursive: true });
  await fs.mkdir(dirname(path), { recursive: true });
  const isThere = now?.type === before.type;
  if (before.type === "symlink") {
    if (isThere && (await fs.readlink(path)) === before.target) return false;
    if (isThere) await fs.remove(path);
    await fs.symlink(before.target, path);
    return true;
  }
  if (before.type === "directory") {
    if (!isThere) await fs.mkdir(path);
    if (!isThere || now.mode !== before.mode) await fs.chmod(path, before.mode);
    return !isThere || now.mode !== before.mode;
  }
  const bytes = contents.get(before.sha256);
  if (!bytes) return false;
  const isSame = isThere && now.size === bytes.length && isEqual(await fs.readFile(path), bytes);
  if (isSame && now.mode === before.mode) return false;
  if (!isSame) await fs.writeFile(path, bytes);
  await fs.chmod(path, before.mode);
  await fs.utimes(path, before.mtimeMs);
  return true;
}

function isStored(before: PastVersion | null): before is Stored {
  return before !== null && "sha256" in before;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
