import { BundleError } from "./bundle-error.ts";
import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";
import { approvalOf, isApproved } from "./approvals.ts";
import type { LoadedBundlePlugin } from "./bundle.ts";
import { BundlePluginLoader } from "./bundle-plugin-loader.ts";
import { grantsOf, grantText } from "./grants.ts";
import type { BundleScope } from "./permission-diff.ts";
import { parseRegistry, readLock } from "./read-registry.ts";
import {
  bundlePlace,
  bundlesDirectory,
  type Registry,
  registryBytes,
  type RegistryEntry,
} from "./registry.ts";

/** An installed bundle as a session finds it, usable or not. */
export interface BundleRecord {
  /** Its place as people write it, such as `.robota/plugins/greeter`. */
  name: string;
  scope: BundleScope;
  /** The text that trust refers to: its contents in words, and the digest of its files. */
  text: string;
  /** Absent when it can't be used. */
  bundle?: LoadedBundlePlugin;
  problem?: string;
  isEnabled: boolean;
}

/** The part of a platform that finds installed bundles. */
export type BundlePlatform = Pick<Platform, "fs" | "storage" | "home" | "now">;

/** The directories of both scopes; a workspace that is the home itself has one. */
function bundleDirectories(cwd: string, home: string): { scope: BundleScope; directory: string }[] {
  const user = bundlesDirectory("user", { cwd, home });
  const project = bundlesDirectory("project", { cwd, home });
  const own = { scope: "user" as const, directory: user };
  return project === user ? [own] : [{ scope: "project", directory: project }, own];
}

/**
 * The installed bundles of a project and a person. One whose files are not those that were installed, or, at the home,
 * one that nobody has approved, is included with the problem.
 */
export async function readBundles(
  platform: BundlePlatform,
  { cwd }: { cwd: string },
): Promise<BundleRecord[]> {
  const found = await Promise.all(
    bundleDirectories(cwd, platform.home).map(async ({ scope, directory }) => {
      const name = scope === "user" ? "~/.robota/plugins" : ".robota/plugins";
      let plugins: Registry;
      try {
        plugins = parseRegistry(await registryBytes(platform.fs, directory), directory);
      } catch (error) {
        const problem = `can't be read: ${errorMessage(error)}`;
        return [{ name, scope, text: "", problem, isEnabled: false }];
      }
      return Promise.all(
        [...plugins].map(([bundle, entry]) =>
          readBundle(platform, {
            scope,
            directory,
            name: bundle,
            label: `${name}/${bundle}`,
            entry,
          }),
        ),
      );
    }),
  );
  return found.flat();
}

async function readBundle(
  platform: BundlePlatform,
  place: {
    scope: BundleScope;
    directory: string;
    name: string;
    label: string;
    entry: RegistryEntry;
  },
): Promise<BundleRecord> {
  const { scope, directory, name, label, entry } = place;
  const { digest, enabled: isEnabled } = entry;
  const record = { name: label, scope, isEnabled };
  try {
    const bundle = await loadInstalled(platform.fs, bundlePlace(directory, name, digest), digest);
    if (bundle.manifest.name !== name)
      throw new BundleError("BUNDLE_CHANGED", `It calls itself ${bundle.manifest.name}`);
    const { version } = bundle.manifest;
    const words = grantsOf(bundle).map(grantText);
    const text = [`${name} ${version} (SHA-256 ${digest})`, ...words].join("\n");
    const approval = await approvalOf(platform.fs, directory, name, digest);
    // A project's own waits for trust in the workspace instead.
    const isIn = scope === "project" || (await isApproved(platform, approval));
    if (isIn) return { ...record, text, bundle };
    return { ...record, text, problem: "is not in force: nobody has approved what it brings" };
  } catch (error) {
    if (!(error instanceof BundleError || error instanceof FileSystemError)) throw error;
    return { ...record, text: "", problem: `is not in force: ${errorMessage(error)}` };
  }
}

async function loadInstalled(
  fs: FileSystem,
  place: string,
  digest: string,
): Promise<LoadedBundlePlugin> {
  const files = await readLock(fs, place, digest);
  return new BundlePluginLoader({ fs }).load(place, { files });
}
