import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";
import { pathsOfProject, pathsOfUser } from "../settings/paths.ts";
import type { FileHashes } from "./bundle-files.ts";
import type { BundleScope } from "./permission-diff.ts";

/** An installed bundle, as the registry has it. */
export interface RegistryEntry {
  version: string;
  /** False for a bundle that no session uses. */
  enabled: boolean;
  /** Its source, in the form in which sources are written. */
  source: string;
  /** The pinned SHA-256 of its source. */
  pin?: string;
  /** Name of the marketplace that it was installed from. */
  marketplace?: string;
  /** Date and time in ISO 8601. */
  installedAt: string;
  /** One SHA-256 for all of its files. */
  digest: string;
}

/** The installed bundles of a scope, by name. */
export type Registry = ReadonlyMap<string, RegistryEntry>;

/** The directory of a scope's bundles. */
export function bundlesDirectory(
  scope: BundleScope,
  { cwd, home }: { cwd: string } & Pick<Platform, "home">,
): string {
  return scope === "user" ? pathsOfUser(home).plugins : pathsOfProject(cwd).plugins;
}

/** The file that lists the bundles in a directory. */
export function registryFile(directory: string): string {
  return `${directory}/registry.json`;
}

/** The directory of one version's files: another content has another one. */
export function bundlePlace(directory: string, name: string, digest: string): string {
  return `${directory}/${name}/${digest.slice(0, 16)}`;
}

/** The bytes of a registry, if there is one. */
export async function registryBytes(
  fs: FileSystem,
  directory: string,
): Promise<Uint8Array | undefined> {
  try {
    return await fs.readFile(registryFile(directory));
  } catch (error) {
    if (error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code))
      return undefined;
    throw error;
  }
}

/** The file with the SHA-256 of each file of a version, beside its directory. */
export function lockFile(place: string): string {
  return `${place}.lock.json`;
}

export async function writeLock(fs: FileSystem, place: string, files: FileHashes): Promise<void> {
  await fs.writeFile(lockFile(place), `${JSON.stringify({ version: 1, files }, null, 2)}\n`);
}

/** Replaces the registry as a whole: the one step by which a change of the bundles takes place. */
export async function writeRegistry(
  fs: FileSystem,
  directory: string,
  plugins: Registry,
): Promise<void> {
  const sorted = [...plugins].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const value = { version: 1, plugins: Object.fromEntries(sorted) };
  await fs.mkdir(directory, { recursive: true });
  await fs.writeFile(registryFile(directory), `${JSON.stringify(value, null, 2)}\n`);
}
