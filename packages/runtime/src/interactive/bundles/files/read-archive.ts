import { BundleError } from "../bundle-error.ts";
import { errorMessage } from "../../../errors.ts";
import { ImportError } from "../../../virtual/archive/import-error.ts";
import { archiveSource, type ImportEntry } from "../../../virtual/archive/import-source.ts";
import type { BundleFiles } from "../bundle-files.ts";
import { BUNDLE_LIMITS, safePath, shown, TakenPaths } from "./safe-path.ts";

/**
 * Unpacks a `.zip`, `.tar` or `.tar.gz` in memory. Nothing is written, and its modes, owners and times are ignored.
 * Anything but plain files and directories at paths that every file system keeps apart is refused, and so is more than
 * `BUNDLE_LIMITS`.
 * @throws {BundleError} `BUNDLE_UNSAFE`, `BUNDLE_TOO_LARGE`, `BUNDLE_DAMAGED`
 */
export async function readArchive(archive: Uint8Array): Promise<BundleFiles> {
  const { maxFileBytes, maxEntries, maxDepth } = BUNDLE_LIMITS;
  const maxBytes = mostBytes(archive.length);
  const limits = { maxFileBytes, maxEntries, maxDepth, maxBytes };
  const source = archiveSource(new Blob([archive.slice()]), "bundle");
  const taken = new TakenPaths();
  const files = new Map<string, Uint8Array>();
  let left = maxBytes;
  try {
    for await (const entry of source.entries({ limits, leavesOut: () => false })) {
      const kind = kindOf(entry);
      // `tar -C bundle .` writes the folder itself as its first entry.
      if (kind === "directory" && /^(?:\.\/)*\.\/?$/.test(entry.path)) continue;
      const names = safePath(entry.path);
      taken.take(names, kind);
      if (kind === "directory") continue;
      const content = await contentOf(entry);
      left -= content.length;
      if (left < 0) throw tooLarge(archive.length);
      files.set(names.join("/"), content);
    }
  } catch (error) {
    throw asBundleError(error, archive.length);
  }
  return files;
}

function kindOf({ type, path }: ImportEntry): "file" | "directory" {
  if (type === "file" || type === "directory") return type;
  const kind = { symlink: "a symbolic link", link: "a hard link", other: "a device or the like" };
  throw new BundleError("BUNDLE_UNSAFE", `${shown(path)} is ${kind[type]}`);
}

async function contentOf({ path, size, content }: ImportEntry): Promise<Uint8Array> {
  const { maxFileBytes } = BUNDLE_LIMITS;
  if (size > maxFileBytes) throw fileTooLarge(path);
  const bytes = await content();
  if (bytes.length > maxFileBytes) throw fileTooLarge(path);
  if (bytes.length === size) return bytes;
  throw new BundleError("BUNDLE_DAMAGED", `${shown(path)} has another size than the archive says`);
}

/** Unpacked bytes of an archive of this size. */
function mostBytes(packed: number): number {
  const { maxBytes, maxRatio, freeBytes } = BUNDLE_LIMITS;
  return Math.min(maxBytes, Math.max(packed * maxRatio, freeBytes));
}

function asBundleError(error: unknown, packed: number): BundleError {
  if (error instanceof BundleError) return error;
  if (error instanceof ImportError) {
    if (error.code === "TOO_LARGE") return tooLarge(packed, error);
    if (error.code === "TOO_MANY_ENTRIES")
      return new BundleError(
        "BUNDLE_TOO_LARGE",
        `The bundle has over ${BUNDLE_LIMITS.maxEntries} files and folders`,
        { cause: error },
      );
  }
  return new BundleError("BUNDLE_DAMAGED", `The bundle can't be unpacked: ${errorMessage(error)}`, {
    cause: error,
  });
}

function tooLarge(packed: number, cause?: unknown): BundleError {
  const { maxBytes, maxRatio, maxFileBytes } = BUNDLE_LIMITS;
  const message =
    mostBytes(packed) < maxBytes
      ? `The bundle is over ${maxRatio} times the size of its archive`
      : `The bundle is over ${maxBytes} bytes, or a file of it over ${maxFileBytes}`;
  return new BundleError("BUNDLE_TOO_LARGE", message, { cause });
}

function fileTooLarge(path: string): BundleError {
  const message = `${shown(path)} is over ${BUNDLE_LIMITS.maxFileBytes} bytes`;
  return new BundleError("BUNDLE_TOO_LARGE", message);
}
