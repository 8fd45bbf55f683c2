import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { basename, dirname, normalizePath, resolvePath } from "../../ports/path.ts";
import type { FileBefore, PastVersion, NotCovered } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";

/** Larger files are named and not kept. Bytes. */
const MAX_FILE = 8 * 2 ** 20;
/** Further entries of one change are named and not stored. */
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 64 * 2 ** 20;
const MAX_LINK_CHAIN = 8;

/** A path's present version, its content still in memory. */
export type ObservedFile =
  | { path: string; before: null | Exclude<PastVersion, { sha256: string }> }
  | { path: string; file: { bytes: Uint8Array; mode: number; mtimeMs: number } };

/** The version at `path`; symlinks are not followed. */
export async function observe(fs: FileSystem, path: string): Promise<ObservedFile> {
  const stat = await unlessMissing(fs.lstat(path));
  if (!stat) return { path, before: null };
  if (stat.type === "directory") return { path, before: { type: "directory", mode: stat.mode } };
  if (stat.type === "symlink")
    return { path, before: { type: "symlink", target: await fs.readlink(path) } };
  if (stat.size > MAX_FILE) return uncovered(path, "file", "too-large");
  try {
    const { mode, mtimeMs } = stat;
    return { path, file: { bytes: await fs.readFile(path), mode, mtimeMs } };
  } catch (error) {
    // A symlink has appeared on the path: this is not the file that will be changed.
    if (!(error instanceof FileSystemError) || error.code === "ELOOP") throw error;
    return uncovered(path, "file", "unreadable");
  }
}

/** The versions at `path` and below it, directories before their entries. */
export async function observeTree(fs: FileSystem, path: string): Promise<ObservedFile[]> {
  const found: ObservedFile[] = [];
  let bytes = 0;
  const visit = async (at: string): Promise<void> => {
    if (found.length >= MAX_ENTRIES || bytes > MAX_BYTES) {
      found.push(uncovered(at, "directory", "too-many"));
      return;
    }
    const observedFile = await observe(fs, at);
    found.push(observedFile);
    if ("file" in observedFile) bytes += observedFile.file.bytes.length;
    const isDirectory = "before" in observedFile && observedFile.before?.type === "directory";
    if (!isDirectory) return;
    for (const { name } of await fs.readdir(at)) await visit(resolvePath(at, name));
  };
  await visit(path);
  return found;
}

/** Keeps the contents, durably, and refers to them. */
export async function keepContents(
  payloads: Payloads,
  observedFiles: readonly ObservedFile[],
): Promise<FileBefore[]> {
  const files = observedFiles.flatMap((observedFile) =>
    "file" in observedFile ? [observedFile.file] : [],
  );
  const hashes = await payloads.put(files.map(({ bytes }) => bytes));
  let next = 0;
  return observedFiles.map((observedFile) => {
    if (!("file" in observedFile)) return observedFile;
    const { bytes, mode, mtimeMs } = observedFile.file;
    const hash = hashes[next++] as string;
    return {
      path: observedFile.path,
      before: { type: "file", size: bytes.length, mode, mtimeMs, sha256: hash },
    };
  });
}

/** The real target of a write to `path`, through every symlink, including dangling ones. */
export async function writtenPath(fs: FileSystem, path: string): Promise<string> {
  let current = path;
  for (let links = 0; links < MAX_LINK_CHAIN; links++) {
    const real = await unlessMissing(fs.realpath(current));
    if (real !== undefined) return real;
    const place = await entryPath(fs, current);
    const stat = await unlessMissing(fs.lstat(place));
    if (stat?.type !== "symlink") return place;
    current = resolvePath(dirname(place), await fs.readlink(place));
  }
  return current;
}

/** The path of the entry itself: symlinks above it are resolved as far as they exist, the entry itself is not. */
export async function entryPath(fs: FileSystem, path: string): Promise<string> {
  // A trailing slash is irrelevant, even on a symlink: the link itself is meant.
  const whole = normalizePath(path);
  if (whole === "/") return whole;
  const parent = dirname(whole);
  const real = (await unlessMissing(fs.realpath(parent))) ?? (await entryPath(fs, parent));
  return resolvePath(real, basename(whole));
}

export async function unlessMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    const isMissing =
      error instanceof FileSystemError && ["ENOENT", "ENOTDIR", "ELOOP"].includes(error.code);
    if (isMissing) return undefined;
    throw error;
  }
}

function uncovered(path: string, type: "file" | "directory", notCovered: NotCovered): ObservedFile {
  return { path, before: { type, notCovered } };
}
