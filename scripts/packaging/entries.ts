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
] as const;

export type PackageName = (typeof packages)[number];

/** The specifiers of the modules that a package's `exports` offers. */
export function entriesOf(name: PackageName): string[] {
  const manifest: { name: string; exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(root, "packages", name, "package.json"), "utf8"),
  );
  return Object.keys(manifest.exports)
    .filter((path) => !path.endsWith(".wasm"))
    .map((path) => manifest.name + path.slice(1));
}
