import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, isWithin } from "../../ports/path.ts";

export const NOT_A_FILE = "is not a file";
const LEADS_OUT = "leads out of the project";

export type FileWithin = { bytes: Uint8Array } | { problem: string; cause?: unknown };

/**
 * Reads a possibly hostile file; `undefined` when there is none. A link out of `root` would show the
 * reader what the project may not, large files fill the memory, and pipes and devices, which have no size, may do
 * anything when they are opened: none of them is.
 */
export async function readFileWithin(
  fs: FileSystem,
  path: string,
  root: string,
  maxBytes: number,
): Promise<FileWithin | undefined> {
  try {
    const [real, within] = await Promise.all([fs.realpath(path), fs.realpath(root)]);
    if (!isWithin(within, real)) return { problem: LEADS_OUT };
    const { type, size } = await fs.stat(real);
    if (type !== "file") return { problem: NOT_A_FILE };
    if (size > maxBytes) return { problem: `is larger than ${maxBytes} bytes` };
    return { bytes: size === 0 ? new Uint8Array() : await fs.readFile(real, { noFollow: true }) };
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    return { problem: `can't be read: ${errorMessage(cause)}`, cause };
  }
}

/** Reads a file of the workspace, or of the repository that it is in: links between its packages are usual. */
export async function readProjectFile(
  fs: FileSystem,
  path: string,
  { cwd, home }: { cwd: string; home: string },
  maxBytes: number,
): Promise<FileWithin | undefined> {
  const read = await readFileWithin(fs, path, cwd, maxBytes);
  if (!read || !("problem" in read) || read.problem !== LEADS_OUT) return read;
  for (let at = cwd; ; at = dirname(at)) {
    if (await isThere(fs, `${at}/.git`)) return readFileWithin(fs, path, at, maxBytes);
    if (at === home || at === "/") return read;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code);
}

/** True when something, even a link that leads nowhere, has this path. */
export async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch {
    return false;
  }
}
