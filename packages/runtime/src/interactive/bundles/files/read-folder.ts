import { FileSystemError } from "../../../errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { BundleError } from "../bundle-error.ts";
import type { BundleFiles } from "../bundle-files.ts";
import { BUNDLE_LIMITS, safePath, shown, TakenPaths } from "./safe-path.ts";

/** Folders beside a bundle's content, in a working copy of its repository. */
const LEFT_OUT = new Set([".git", "node_modules"]);

/**
 * Reads a folder as a bundle, under the rules for archives: no links, and no more than `BUNDLE_LIMITS`.
 * @param options.leavesOut names of folders at the top that are not read; by default `.git` and `node_modules`
 * @throws {BundleError} `BUNDLE_UNSAFE`, `BUNDLE_TOO_LARGE`, `BUNDLE_NOT_FOUND`
 */
export async function readFolder(
  fs: FileSystem,
  directory: string,
  { leavesOut = LEFT_OUT }: { leavesOut?: ReadonlySet<string> } = {},
): Promise<BundleFiles> {
  const files = new Map<string, Uint8Array>();
  const taken = new TakenPaths();
  let left: number = BUNDLE_LIMITS.maxBytes;
  const read = async (below: readonly string[]): Promise<void> => {
    for (const { name, type } of await fs.readdir([directory, ...below].join("/"))) {
      if (below.length === 0 && type === "directory" && leavesOut.has(name)) continue;
      const names = safePath([...below, name].join("/"));
      const path = names.join("/");
      if (type === "symlink")
        throw new BundleError("BUNDLE_UNSAFE", `${shown(path)} is a symbolic link`);
      taken.take(names, type);
      if (type === "directory") await read(names);
      else {
        const { size } = await fs.lstat(`${directory}/${path}`);
        left -= size;
        if (size > BUNDLE_LIMITS.maxFileBytes || left < 0)
          throw new BundleError("BUNDLE_TOO_LARGE", `With ${shown(path)} the bundle is too large`);
        files.set(path, await readRegular(fs, directory, path));
      }
    }
  };
  try {
    await read([]);
  } catch (error) {
    const isMissing = error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code);
    if (!isMissing) throw error;
    throw new BundleError("BUNDLE_NOT_FOUND", `There is no folder ${directory}`, { cause: error });
  }
  return files;
}

/** A pipe or a device is listed as a file; whoever reads it may get other bytes each time. */
async function readRegular(fs: FileSystem, directory: string, path: string): Promise<Uint8Array> {
  try {
    return await fs.readFile(`${directory}/${path}`);
  } catch (cause) {
    if (!(cause instanceof FileSystemError) || cause.code !== "EINVAL") throw cause;
    throw new BundleError("BUNDLE_UNSAFE", `${shown(path)} is no regular file`, { cause });
  }
}
