import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bundle-entry.ts";

export const packages = [
  "runtime",
  "shell",
  "adapters-node",
  "adapters-web",
  "adapters-edge",
  "react",
  "storage-postgres",
  "storage-redis",
  "files-s3",
] as const;

export type PackageName = (typeof packages)[number];

/** Packages that are run or served, with nothing to import. */
export const programs = ["create", "playground"] as const;

export type ProgramName = (typeof programs)[number];

/** The folder of a package in `repository`, this one by default. */
export function folderOf(name: PackageName | ProgramName, repository = root): string {
  return join(repository, name === "playground" ? "apps" : "packages", name);
}

/** The specifiers of the modules that a package's `exports` offers. */
export function entriesOf(name: PackageName): string[] {
  const manifest: { name: string; exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(folderOf(name), "package.json"), "utf8"),
  );
  return Object.keys(manifest.exports)
    .filter((path) => !path.endsWith(".wasm"))
    .map((path) => manifest.name + path.slice(1));
}
