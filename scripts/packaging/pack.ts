// Packs the packages as they are published: by pnpm, which puts versions and the published `exports` into the manifest.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./bundle-entry.ts";
import { folderOf, type PackageName, type ProgramName } from "./entries.ts";

/** Names the folder of what the steps of a run of the tests share, such as the tarballs: each package is packed once. */
export const RUN_FOLDER = "ROBOTA_RUN_FOLDER";

/** Resolves to the path of the tarball: the only one in `folder`, or one that this run of the tests has packed before. */
export function pack(name: PackageName | ProgramName, folder: string): string {
  const kept = process.env[RUN_FOLDER];
  if (kept === undefined) return packInto(folder, name);
  const place = join(kept, "tarballs", name);
  mkdirSync(place, { recursive: true });
  const [tarball] = readdirSync(place);
  return tarball === undefined ? packInto(place, name) : join(place, tarball);
}

function packInto(folder: string, name: PackageName | ProgramName): string {
  const { config }: { config: { pnpm: string } } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const args = ["--yes", config.pnpm, "pack", "--pack-destination", folder];
  run("npx", args, folderOf(name));
  const [tarball] = readdirSync(folder);
  if (tarball === undefined) throw new Error(`${name}: nothing was packed`);
  return join(folder, tarball);
}

/**
 * Installs a packed package into the folder `project`. Its dependencies are the ones installed here, except for this
 * project's own packages, which are packed, too; what it needs for its development is not there.
 */
export function installPacked(name: PackageName, tarball: string, project: string): void {
  const folder = join(project, "node_modules/@robota", name);
  mkdirSync(folder, { recursive: true });
  extract(tarball, folder);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const needed = { ...manifest.dependencies, ...manifest.peerDependencies };
  linkDependencies(folderOf(name), folder, Object.keys(needed));
}

/** Unpacks a tarball into a folder. */
export function extract(tarball: string, folder: string): void {
  run("tar", ["--extract", "--file", tarball, "--strip-components=1"], folder);
}

/** Links the packages `names`, by default all, that the package in `from` has installed into `to`. */
export function linkDependencies(from: string, to: string, names?: readonly string[]): void {
  const target = join(to, "node_modules");
  mkdirSync(target, { recursive: true });
  for (const name of names ?? readdirSync(join(from, "node_modules"))) {
    if (name.startsWith(".") || name.startsWith("@robota")) continue;
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(join(from, "node_modules", name), join(target, name));
  }
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
}
