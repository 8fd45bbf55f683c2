import { basename } from "../../ports/path.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { encodeText } from "../../bytes.ts";
import { walkTree } from "../tree-walk.ts";
import { type NewZipEntry, zipParts } from "./zip-format.ts";

export interface ExportZipOptions {
  /** Reports whether a path, and all below it, is left out. Relative to the directory. */
  leavesOut?: ((path: string) => boolean) | undefined;
  /** Called after each entry. */
  onProgress?: ((progress: { entries: number; bytes: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A directory as a zip: one directory of its own name at the top, symlinks as symlinks, with modes and times (to two
 * seconds). Files are read one at a time, on demand, so the total size does not matter.
 *
 * Beyond 65,534 entries or 4 GiB it is a zip64 archive. The stream fails with errors of the file system, and with an
 * `AbortError`.
 */
export function exportZip(
  fs: FileSystem,
  directory: string,
  options: ExportZipOptions = {},
): ReadableStream<Uint8Array> {
  const parts = zipParts(zipEntries(fs, directory, options));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
        }
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* zipEntries(
  fs: FileSystem,
  directory: string,
  { leavesOut = () => false, onProgress, signal }: ExportZipOptions,
): AsyncGenerator<NewZipEntry> {
  const top = basename(directory) || "files";
  const isSkipped = (name: string): boolean =>
    name !== top && leavesOut(name.slice(top.length + 1));
  const progress = { entries: 0, bytes: 0 };
  for await (const { name, path, stat } of walkTree(fs, top, directory, isSkipped)) {
    signal?.throwIfAborted();
    const { mode, mtimeMs } = stat;
    const isDirectory = stat.type === "directory";
    const isSymlink = stat.type === "symlink";
    let bytes = new Uint8Array();
    if (isSymlink) bytes = new Uint8Array(encodeText(await fs.readlink(path)));
    else if (!isDirectory) bytes = new Uint8Array(await fs.readFile(path));
    yield { name: isDirectory ? `${name}/` : name, mode, mtimeMs, isSymlink, bytes };
    progress.entries += 1;
    progress.bytes += bytes.length;
    onProgress?.({ ...progress });
  }
}
