import * as engine from "#isomorphic-git";
import {
  encodeText,
  decodeText,
  concatBytes,
  type FileStat,
  type FileSystem,
  dirname,
  normalizePath,
} from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { fatal, notHere } from "../failure.ts";
import { compareText, formatIndex, type IndexEntry, parseIndex, toHex } from "./index-file.ts";
import { nodeFiles } from "./node-files.ts";
import type { GitOptions } from "../options.ts";

/** A repository in use by one command. */
export interface Repository {
  /** The files of the working tree. */
  readonly fs: FileSystem;
  /** The reasons why some of these files of the working tree can't be written. */
  readonly refusals: (paths: readonly string[]) => Promise<readonly string[]>;
  /** The same files for `gitdir`, where rules let only `git` write. */
  readonly gitFs: FileSystem;
  /** The directory of the working tree, and its `.git`. */
  readonly dir: string;
  readonly gitdir: string;
  /** The current directory relative to `dir`: empty or ending in `/`. */
  readonly prefix: string;
  /** Common arguments of isomorphic-git calls. */
  readonly at: {
    fs: engine.PromiseFsClient;
    dir: string;
    gitdir: string;
    cache: Record<string, unknown>;
  };
  readonly context: ShellCommandContext;
  readonly options: GitOptions;
  /** Values of `-c name=value`, which take precedence over the files. */
  readonly overrides: ReadonlyMap<string, string>;
  /** The boundary commits of a shallow clone, read at first use. */
  readonly shallow: { commits?: Promise<ReadonlySet<string>> };
}

export interface Surroundings {
  context: ShellCommandContext;
  options: GitOptions;
  cwd: string;
  overrides: ReadonlyMap<string, string>;
}

/** Finds the repository of `cwd`. @throws {GitFailure} Outside of any repository */
export async function findRepository(surroundings: Surroundings): Promise<Repository> {
  const { context } = surroundings;
  const cwd = await context.fs.realpath(surroundings.cwd).catch(() => surroundings.cwd);
  for (let dir = cwd; ; dir = dirname(dir)) {
    const stat = await statOf(context.fs, join(dir, ".git"));
    if (stat?.type === "directory" && (await statOf(context.fs, join(dir, ".git/HEAD"))))
      return repositoryAt(surroundings, dir, cwd);
    if (stat?.type === "file")
      throw notHere("a linked worktree or submodule", "work in the main repository");
    if (dir === "/") break;
  }
  throw fatal("not a git repository (or any of the parent directories): .git");
}

export function repositoryAt(
  { context, options, overrides }: Surroundings,
  dir: string,
  cwd: string = dir,
  cloned?: string,
): Repository {
  const below = cwd === dir ? "" : cwd.slice(dir === "/" ? 1 : dir.length + 1);
  const gitdir = join(dir, ".git");
  const gitFs = context.gitFiles ?? context.fs;
  const tree = context.gitWorktree;
  return {
    fs: tree?.files(cloned) ?? context.fs,
    refusals: async (paths) => (await tree?.refusals(paths, cloned)) ?? [],
    gitFs,
    dir,
    gitdir,
    prefix: below === "" ? "" : `${below}/`,
    at: { fs: nodeFiles(gitFs), dir, gitdir, cache: {} },
    context,
    options,
    overrides,
    shallow: {},
  };
}

export function join(directory: string, path: string): string {
  return normalizePath(`${directory}/${path}`);
}

/** The stat of the entry itself; `undefined` when there is none. */
export async function statOf(fs: FileSystem, path: string): Promise<FileStat | undefined> {
  return fs.lstat(path).catch(() => undefined);
}

export async function readText(fs: FileSystem, path: string): Promise<string | undefined> {
  return fs.readFile(path).then(decodeText, () => undefined);
}

/** A value of `-c`, or of the repository's or user's configuration. */
export async function configured(repo: Repository, name: string): Promise<string | undefined> {
  const override = repo.overrides.get(name.toLowerCase());
  if (override !== undefined) return override;
  const own = configText(await engine.getConfig({ ...repo.at, path: name }));
  if (own !== undefined) return own;
  const home = repo.context.env["HOME"];
  return home === undefined ? undefined : globalValue(repo.fs, home, name);
}

async function globalValue(
  fs: FileSystem,
  home: string,
  name: string,
): Promise<string | undefined> {
  if (!(await statOf(fs, join(home, ".gitconfig")))) return undefined;
  return configText(await engine.getConfig({ ...(await globalConfig(fs, home)), path: name }));
}

/** Converts a value back to text, since isomorphic-git parses booleans and numbers. */
export function configText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || typeof value === "number" ? String(value) : undefined;
}

/** Presents `~/.gitconfig` at the path where isomorphic-git looks for a repository's `config`. */
export async function globalConfig(fs: FileSystem, home: string) {
  const client = nodeFiles(fs);
  const renamed: FileSystem = { ...fs };
  const place = join(home, ".gitconfig");
  renamed.readFile = () => fs.readFile(place);
  renamed.writeFile = (_path, data) => fs.writeFile(place, data);
  const own = nodeFiles(renamed);
  return { fs: { promises: { ...client.promises, ...own.promises } }, gitdir: join(home, ".git") };
}

export type Index = Map<string, IndexEntry>;

/** Entries by path; those of a conflict by path, a NUL and their stage. */
export async function readIndex(repo: Repository): Promise<Index> {
  const bytes = await repo.fs.readFile(`${repo.gitdir}/index`).catch(() => undefined);
  const index: Index = new Map();
  for (const entry of bytes ? parseIndex(bytes) : []) index.set(indexKey(entry), entry);
  return index;
}

export function indexKey({ path, stage }: Pick<IndexEntry, "path" | "stage">): string {
  return stage === 0 ? path : `${path}\0${stage}`;
}

export async function writeIndex(repo: Repository, index: Index): Promise<void> {
  await repo.gitFs.writeFile(`${repo.gitdir}/index`, await formatIndex([...index.values()]));
}

/** Removes a path's entry and the sides of its conflict. */
export function dropFromIndex(index: Index, path: string): void {
  for (const stage of [0, 1, 2, 3]) index.delete(indexKey({ path, stage }));
}

/** The content of a path in a commit or the index. */
export interface Blob {
  oid: string;
  mode: number;
}
export type TreeFiles = Map<string, Blob>;

/** The files of a tree, by path, in git's order. */
export async function flattenTree(repo: Repository, oid: string | undefined): Promise<TreeFiles> {
  const files: TreeFiles = new Map();
  if (oid === undefined) return files;
  const visit = async (tree: string, before: string): Promise<void> => {
    const { tree: entries } = await engine.readTree({ ...repo.at, oid: tree });
    for (const { path, oid: entry, mode, type } of entries) {
      if (type === "tree") await visit(entry, `${before}${path}/`);
      else files.set(before + path, { oid: entry, mode: Number.parseInt(mode, 8) });
    }
  };
  await visit(oid, "");
  return new Map([...files].sort(([one], [other]) => compareText(one, other)));
}

export function indexTree(index: Index): TreeFiles {
  const files: TreeFiles = new Map();
  for (const entry of index.values())
    if (entry.stage === 0 && !entry.intentToAdd) files.set(entry.path, entry);
  return files;
}

/** Writes the trees of `files` and returns the root's id. */
export async function writeTree(repo: Repository, files: TreeFiles): Promise<string> {
  interface Node {
    files: Map<string, Blob>;
    directories: Map<string, Node>;
  }
  const root: Node = { files: new Map(), directories: new Map() };
  for (const [path, blob] of files) {
    const names = path.split("/");
    const name = names.pop() ?? path;
    let node = root;
    for (const directory of names) {
      let below = node.directories.get(directory);
      if (!below)
        node.directories.set(directory, (below = { files: new Map(), directories: new Map() }));
      node = below;
    }
    node.files.set(name, blob);
  }
  const store = async (node: Node): Promise<string> => {
    const tree: engine.TreeEntry[] = [];
    for (const [path, { oid, mode }] of node.files) {
      const type = mode === 0o160000 ? "commit" : "blob";
      tree.push({ path, oid, mode: mode.toString(8).padStart(6, "0"), type });
    }
    for (const [path, below] of node.directories)
      tree.push({ path, oid: await store(below), mode: "040000", type: "tree" });
    return engine.writeTree({ ...repo.at, tree });
  };
  return store(root);
}

export async function blobOf(repo: Repository, oid: string): Promise<Uint8Array> {
  return (await engine.readBlob({ ...repo.at, oid })).blob;
}

/** The id that git gives to a file with these bytes. */
export async function hashBlob(bytes: Uint8Array): Promise<string> {
  const object = concatBytes([encodeText(`blob ${bytes.length}\0`), bytes]);
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-1", object.slice())));
}
