import { sha256 } from "../../digest.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import type { FileSystemChange } from "../../virtual/overlay/changes.ts";
import { withQuota } from "../../virtual/overlay/quota.ts";
import { OverlayFileSystem } from "../../virtual/overlay-file-system.ts";
import { entryPath, unlessMissing, writtenPath } from "../files/versions.ts";

/** Bytes that one agent may write in its copy, which is in memory. */
const MAX_WRITTEN_BYTES = 64 * 1024 * 1024;
const ABSENT = "absent";

/** A change of a copy, and whether the original is still as it was when the copy began to differ. */
export interface IsolatedChange extends FileSystemChange {
  /** The original's version now. */
  present: string;
  hasConflict: boolean;
}

/** A copy of files for one agent: its changes stay in memory, and it knows the versions that it replaced. */
export class IsolatedFiles {
  readonly fs: FileSystem;
  readonly #base: FileSystem;
  readonly #overlay: OverlayFileSystem;
  /** Versions of the original when their paths were first changed here. */
  readonly #before = new Map<string, string>();

  constructor(base: FileSystem, now: () => number) {
    this.#base = base;
    this.#overlay = new OverlayFileSystem(base, { now });
    const bounded = withQuota(this.#overlay, MAX_WRITTEN_BYTES, () => undefined);
    this.fs = remembering(bounded, {
      target: async (path) => this.#remember(await writtenPath(this.#overlay, path)),
      entry: async (path) => this.#rememberTree(await entryPath(this.#overlay, path)),
    });
  }

  /** The changes in the copy against the original, sorted by path. */
  async changes(): Promise<IsolatedChange[]> {
    const changes: IsolatedChange[] = [];
    for (const change of await this.#overlay.changes()) {
      const { path } = change;
      const before = this.#before.get(path) ?? ABSENT;
      const present = await versionOf(this.#base, path);
      const own = await versionOf(this.#overlay, path);
      // The original has changed alone, or in the same way.
      if (own === before || own === present) continue;
      changes.push({ ...change, present, hasConflict: present !== before });
    }
    return changes;
  }

  async #remember(path: string): Promise<void> {
    if (!this.#before.has(path)) this.#before.set(path, await versionOf(this.#base, path));
  }

  async #rememberTree(path: string): Promise<void> {
    await this.#remember(path);
    if (this.#before.get(path) !== "directory") return;
    const entries = (await unlessMissing(this.#base.readdir(path))) ?? [];
    for (const { name } of entries) await this.#rememberTree(resolvePath(path, name));
  }
}

/** A version as one text: equal texts are equal contents. */
export async function versionOf(fs: FileSystem, path: string): Promise<string> {
  const stat = await unlessMissing(fs.lstat(path));
  if (!stat) return ABSENT;
  if (stat.type === "directory") return "directory";
  if (stat.type === "symlink") return `link ${await fs.readlink(path)}`;
  return `file ${stat.mode} ${await sha256(await fs.readFile(path))}`;
}

type Remember = (path: string) => Promise<void>;

/** `fs`, with changes announced before they are made: to a path's target, or to the entry itself. */
function remembering(
  fs: FileSystem,
  { target, entry }: { target: Remember; entry: Remember },
): FileSystem {
  const changing: Pick<
    FileSystem,
    "writeFile" | "appendFile" | "chmod" | "utimes" | "mkdir" | "remove" | "rename" | "symlink"
  > = {
    writeFile: (path, ...rest) => target(path).then(() => fs.writeFile(path, ...rest)),
    appendFile: (path, ...rest) => target(path).then(() => fs.appendFile(path, ...rest)),
    chmod: (path, ...rest) => target(path).then(() => fs.chmod(path, ...rest)),
    utimes: (path, ...rest) => target(path).then(() => fs.utimes(path, ...rest)),
    mkdir: (path, ...rest) => entry(path).then(() => fs.mkdir(path, ...rest)),
    remove: (path, ...rest) => entry(path).then(() => fs.remove(path, ...rest)),
    symlink: (to, path, ...rest) => entry(path).then(() => fs.symlink(to, path, ...rest)),
    rename: (from, to, ...rest) =>
      entry(from)
        .then(() => entry(to))
        .then(() => fs.rename(from, to, ...rest)),
  };
  return new Proxy(fs, {
    get(files, name): unknown {
      if (Object.hasOwn(changing, name)) return Reflect.get(changing, name);
      const value: unknown = Reflect.get(files, name);
      return typeof value === "function" ? value.bind(files) : value;
    },
  });
}
