import { pathsOfProject, pathsOfUser } from "../settings/paths.ts";
import type { BundlePlatform, BundleRecord } from "./bundle-records.ts";
import { registryBytes } from "./registry.ts";

/** The installed bundles of a workspace and its person, usable or not. */
export type FoundBundles = readonly BundleRecord[];

/** Most sessions have none, and then skip loading the code for them. */
export async function findBundles(platform: BundlePlatform, cwd: string): Promise<FoundBundles> {
  const { fs, home } = platform;
  const directories = [pathsOfProject(cwd).plugins, pathsOfUser(home).plugins];
  const registries = await Promise.all(
    // One that can't be read is reported by those who read it.
    directories.map((one) => registryBytes(fs, one).catch(() => "unreadable")),
  );
  if (registries.every((found) => found === undefined)) return [];
  const { readBundles } = await import("./bundle-records.ts");
  return readBundles(platform, { cwd });
}

/** Reports whether two searches found the same content in the same state. */
export function isSameBundles(some: FoundBundles, others: FoundBundles): boolean {
  const stateOf = ({ name, text, problem, isEnabled }: BundleRecord): string =>
    JSON.stringify([name, text, problem, isEnabled]);
  return (
    some.length === others.length &&
    some.every((record, at) => {
      const other = others[at];
      return other !== undefined && stateOf(record) === stateOf(other);
    })
  );
}
