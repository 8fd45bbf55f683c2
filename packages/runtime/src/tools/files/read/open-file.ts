import { FileSystemError } from "../../../errors.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import { canonicalFiles } from "../../../ports/canonical-files.ts";
import { ToolFailure } from "../../failure.ts";
import { requireAccess } from "../access.ts";
import { isDirectory, notFound, type PathContext } from "../locate.ts";

/** Read limit for a file that reports a size of zero, as those of /proc do. */
const UNSIZED_BYTES = 1_000_000;

/**
 * Opens a file and then checks the rules for the given path and for the canonical path of the open file: swapping a
 * link between check and use gains nothing. Dispose of the result.
 * @throws {ToolFailure} `permission_denied`, `ENOENT` with similar names, `EISDIR` with the directory's entries
 */
export async function openFile(
  context: PathContext,
  path: string,
  kind: "read" | "write" = "read",
  /** Canonical path known to the caller, which saves a lookup. */
  seenAt?: string,
): Promise<OpenFile> {
  const { fs } = context.platform;
  requireAccess(context, path, kind);
  try {
    const file = await (fs.open?.(path) ?? openWhole(fs, path, seenAt));
    try {
      requireAccess(context, file.path, kind);
    } catch (refusal) {
      await file[Symbol.asyncDispose]();
      throw refusal;
    }
    return file;
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    if (error.code === "ENOENT") throw await notFound(context, path, error);
    if (error.code === "EISDIR") throw await isDirectory(context, path);
    throw error;
  }
}

/** Reads all bytes of a file. */
export function readWhole(file: OpenFile): Promise<Uint8Array> {
  return file.read(0, file.size || UNSIZED_BYTES);
}

export function tooLarge(path: string, size: number, maxBytes: number): ToolFailure {
  const message = `${path} has ${megabytes(size)}; files up to ${megabytes(maxBytes)} can be opened here.`;
  return new ToolFailure("too_large", message, {
    hint: "Use Grep to find the part you need, or Bash with head, tail or sed -n.",
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Fallback for a file system that only reads whole files. */
async function openWhole(fs: FileSystem, path: string, seenAt?: string): Promise<OpenFile> {
  const real = seenAt ?? (await fs.realpath(path));
  const { type, size } = await fs.stat(real);
  if (type === "directory") throw new FileSystemError("EISDIR", path);
  return {
    path: real,
    size,
    async read(offset, length) {
      const bytes = await readStraight(fs, real, path);
      return bytes.subarray(offset, offset + length);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The bytes at the place that the rules are asked about, and of no other that a link leads to by then. */
async function readStraight(fs: FileSystem, real: string, path: string): Promise<Uint8Array> {
  try {
    return await canonicalFiles(fs).readFile(real);
  } catch (cause) {
    if (!(cause instanceof FileSystemError && cause.code === "ELOOP")) throw cause;
    const hint = "Its path changed meanwhile: try again.";
    throw new FileSystemError("EBUSY", path, { cause, hint });
  }
}
