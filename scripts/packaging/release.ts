import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf, packages, programs } from "./entries.ts";

export interface ReleasedManifest {
  name: string;
  version: string;
}

/** The manifests of all published packages, by their paths. */
export function manifestsOf(root: string): Map<string, ReleasedManifest> {
  return new Map(
    [...packages, ...programs].map((name) => {
      const path = join(folderOf(name, root), "package.json");
      return [path, JSON.parse(readFileSync(path, "utf8")) as ReleasedManifest];
    }),
  );
}

/** @throws {Error} unless this is the version of all packages, with an entry in the changelog */
export function requireReleasable(
  version: string,
  manifests: ReadonlyMap<string, ReleasedManifest>,
  changelog: string,
): void {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    throw new Error(`Name a version such as v0.2.0 instead of ${JSON.stringify(version)}`);
  const others = [...manifests.values()].filter((manifest) => manifest.version !== version);
  if (others.length > 0)
    throw new Error(
      `${others.map((manifest) => `${manifest.name} is ${manifest.version}`).join(", ")}: run scripts/packaging/set-version.ts ${version}`,
    );
  if (!changelog.includes(`\n## ${version}\n`))
    throw new Error(`CHANGELOG.md has no entry “## ${version}”: say what changed`);
}

/** Writes a version into every manifest. */
export function setVersion(version: string, root: string): void {
  for (const path of manifestsOf(root).keys()) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`));
  }
}
