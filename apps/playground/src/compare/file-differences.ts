import { type FileSystem, FileSystemError } from "@robota/runtime";
import type { FileChange } from "@robota/runtime/tools";

/** Larger files are named, not compared line by line. */
const MAX_TEXT_BYTES = 512 * 1024;
/** Git's own files say nothing that a person would compare. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git"]);

/** A file that is not the same on both sides. */
export interface FileDifference extends FileChange {
  /** False for large files and those that are not text; their `before` and `after` are empty then. */
  isText: boolean;
}

/** Every file below `root` that differs between two views of one workspace, by path. */
export async function fileDifferences(
  before: FileSystem,
  after: FileSystem,
  root: string,
): Promise<FileDifference[]> {
  const [old, now] = await Promise.all([listFiles(before, root), listFiles(after, root)]);
  const found: FileDifference[] = [];
  for (const path of [...new Set([...old, ...now])].sort()) {
    // Times say nothing: two writes may fall into one millisecond, and programs set them.
    const [was, is] = await Promise.all([bytesOf(before, path), bytesOf(after, path)]);
    if (was && is && isSame(was, is)) continue;
    found.push(differenceOf(path, was, is));
  }
  return found;
}

/** Makes the files at `root` as they are in `from`. */
export async function applyDifferences(
  from: FileSystem,
  to: FileSystem,
  root: string,
): Promise<void> {
  for (const { path, after } of await fileDifferences(to, from, root)) {
    if (after === null) await to.remove(path, { force: true });
    else {
      await to.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
      await to.writeFile(path, await from.readFile(path));
    }
  }
}

async function listFiles(fs: FileSystem, root: string): Promise<Set<string>> {
  const files = new Set<string>();
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name, type } of await unlessMissing(fs.readdir(folder), [])) {
      const path = `${folder}/${name}`;
      if (LEFT_OUT.has(name)) continue;
      if (type === "directory") folders.push(path);
      else if (type === "file") files.add(path);
    }
  }
  return files;
}

function bytesOf(fs: FileSystem, path: string): Promise<Uint8Array | undefined> {
  return unlessMissing(fs.readFile(path), undefined);
}

async function unlessMissing<T>(read: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return otherwise;
    throw error;
  }
}

function differenceOf(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): FileDifference {
  const texts = [before, after].map((bytes) => (bytes ? textOf(bytes) : null));
  const isText = !texts.includes(undefined);
  const [was = "", is = ""] = texts;
  return {
    path,
    before: isText || was === null ? was : "",
    after: isText || is === null ? is : "",
    isText,
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_TEXT_BYTES || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
