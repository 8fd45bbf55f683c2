import { FileSystemError } from "../../errors.ts";
import type { DirectoryEntry, FileSystem } from "../../ports/file-system.ts";
import { basename, dirname } from "../../ports/path.ts";
import { BundleError } from "./bundle-error.ts";
import type { BundleFiles, FileHashes } from "./bundle-files.ts";
import { bundlePlace, type Registry, writeLock } from "./registry.ts";

const STAGING = ".staging";

/**
 * Writes the files of a version beside those in use: into a staging directory first, then to their place in one step.
 * Nothing uses them before the registry names them.
 */
export async function stageFiles(
  fs: FileSystem,
  directory: string,
  version: { name: string; digest: string; files: BundleFiles; hashes: FileHashes },
): Promise<string> {
  const { name, digest, files, hashes } = version;
  const staging = `${directory}/${STAGING}`;
  const place = bundlePlace(directory, name, digest);
  await fs.remove(staging, { recursive: true, force: true });
  await fs.mkdir(staging, { recursive: true });
  const folders = new Set([...files.keys()].map((path) => dirname(`${staging}/${path}`)));
  for (const folder of [...folders].toSorted()) await fs.mkdir(folder, { recursive: true });
  await Promise.all([...files].map(([path, bytes]) => fs.writeFile(`${staging}/${path}`, bytes)));
  await refuseLinks(fs, dirname(place));
  await fs.mkdir(dirname(place), { recursive: true });
  // An interrupted installation of the same content may have left a part of it.
  await fs.remove(place, { recursive: true, force: true });
  await fs.rename(staging, place);
  await writeLock(fs, place, hashes);
  return place;
}

/** A version's directory, and its lock file. */
const VERSION = /^[0-9a-f]{16}(?:\.lock\.json)?$/;

/**
 * Removes installations without a registry entry: former versions, and remains of interrupted ones. Any other file in
 * the directory stays.
 */
export async function removeUnused(
  fs: FileSystem,
  directory: string,
  registry: Registry,
): Promise<void> {
  await fs.remove(`${directory}/${STAGING}`, { recursive: true, force: true });
  for (const { name, type } of await entriesIn(fs, directory)) {
    if (type !== "directory") continue;
    const folder = `${directory}/${name}`;
    const entry = registry.get(name);
    const used = entry && basename(bundlePlace(directory, name, entry.digest));
    const entries = await entriesIn(fs, folder);
    const unused = entries
      .map((inner) => inner.name)
      .filter((inner) => VERSION.test(inner) && inner.split(".", 1)[0] !== used);
    for (const inner of unused)
      await fs.remove(`${folder}/${inner}`, { recursive: true, force: true });
    if (unused.length > 0 && unused.length === entries.length)
      await fs.remove(folder, { recursive: true, force: true });
  }
}

/**
 * Refuses a directory that is really somewhere else, because of a link in the project.
 * @throws {BundleError} `BUNDLE_UNSAFE`
 */
export async function refuseLinks(fs: FileSystem, path: string): Promise<void> {
  try {
    if ((await fs.lstat(path)).type !== "symlink") return;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return;
    throw error;
  }
  throw new BundleError("BUNDLE_UNSAFE", `${path} is a symbolic link`, {
    hint: "Remove the link: bundles are installed into a directory of its own.",
  });
}

async function entriesIn(fs: FileSystem, directory: string): Promise<DirectoryEntry[]> {
  try {
    return await fs.readdir(directory);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return [];
    throw error;
  }
}
