import { FileSystemError } from "../../errors.ts";
import type { DirectoryEntry, FileStat, FileSystem, PathOptions } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import type { Storage } from "../../ports/storage.ts";
import { OverlayFileSystem } from "../../virtual/overlay-file-system.ts";
import { prefixesOf } from "../../virtual/path-walk.ts";
import { BaseChanges, readForkBase } from "./fork-base.ts";
import type { FileBefore } from "./past-version.ts";
import { Payloads } from "./payloads.ts";
import { restoreFiles } from "./restore.ts";
import { entryPath, unlessMissing, writtenPath } from "./versions.ts";
import { overlayKey } from "../store/storage-keys.ts";
import { notRecorded } from "../log/storage-failures.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LINE_FEED = 10;

/** One path's new version: a line of JSON, followed by the bytes of a file. */
export interface Patch {
  path: string;
  type: "file" | "directory" | "symlink" | "none";
  mode?: number;
  mtimeMs?: number;
  target?: string;
}

/**
 * A session's own files: a copy-on-write view of `base` whose changes are stored, each durable before it is visible.
 * Unchanged paths show the base as it was before the original session changed it, and with changes by others.
 */
export class DurableOverlay implements FileSystem {
  readonly honorsNoFollow = (): boolean => true;
  readonly #storage: Storage;
  readonly #log: string;
  /** The original session's changes of the base. */
  readonly #baseChanges: BaseChanges | undefined;
  /** Changes that the original session has announced but, as far as known, not made yet. By path. */
  readonly #announced = new Map<string, FileBefore>();
  /** Paths owned by this view, and the deleted ones among them. */
  readonly #own = new Set<string>();
  readonly #removed = new Set<string>();
  #overlay: OverlayFileSystem;
  #changing: Promise<unknown> = Promise.resolve();
  /** A look at the base's changes that has not begun. */
  #nextCheck: Promise<boolean> | undefined;

  private constructor(base: FileSystem, storage: Storage, log: string, baseChanges?: BaseChanges) {
    this.#overlay = new OverlayFileSystem(base);
    this.#storage = storage;
    this.#log = log;
    this.#baseChanges = baseChanges;
  }

  /** Loads the view with all earlier changes. */
  static async load(
    base: FileSystem,
    storage: Storage,
    sessionId: string,
  ): Promise<DurableOverlay> {
    const log = overlayKey(sessionId);
    const forkBase = await readForkBase(storage, sessionId);
    const loaded = new DurableOverlay(
      base,
      storage,
      log,
      forkBase && new BaseChanges(storage, forkBase),
    );
    for await (const { value } of storage.read(log)) await loaded.#apply(loaded.#overlay, value);
    return loaded;
  }

  /**
   * Preserves the present version of these files, whatever happens in the base. Directories have nothing to preserve.
   */
  async pin(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await this.#change(async (next) => {
        const stat = await unlessMissing(next.stat(path));
        if (stat?.type === "directory") return [];
        const bytes = stat && (await unlessMissing(next.readFile(path)));
        if (bytes) await next.writeFile(path, bytes);
        return [path];
      });
    }
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> | undefined {
    const found = this.#overlay.readMany(paths, maxBytes);
    if (!found || !this.#baseChanges) return found;
    return this.#look(async (files) => (await files.readMany(paths, maxBytes)) ?? []);
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return this.#look((files) => files.readFile(path, options));
  }

  stat(path: string): Promise<FileStat> {
    return this.#look((files) => files.stat(path));
  }

  lstat(path: string): Promise<FileStat> {
    return this.#look((files) => files.lstat(path));
  }

  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    return this.#look((files) => files.readdir(path, options));
  }

  readlink(path: string): Promise<string> {
    return this.#look((files) => files.readlink(path));
  }

  realpath(path: string): Promise<string> {
    return this.#look((files) => files.realpath(path));
  }

  writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    // A caller may change its buffer as soon as this returns.
    const content = typeof data === "string" ? data : data.slice();
    return this.#write(path, (next) => next.writeFile(path, content, options));
  }

  appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const content = typeof data === "string" ? data : data.slice();
    return this.#write(path, (next) => next.appendFile(path, content, options));
  }

  chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    return this.#write(path, (next) => next.chmod(path, mode, options));
  }

  utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    return this.#write(path, (next) => next.utimes(path, mtimeMs, options));
  }

  symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    return this.#change(async (next) => {
      await next.symlink(target, path, options);
      return [await entryPath(next, path)];
    });
  }

  async mkdir(path: string, options?: PathOptions & { recursive?: boolean }): Promise<void> {
    let refusal: { error: unknown } | undefined;
    await this.#change(async (next) => {
      const made = await settled(next.mkdir(path, options));
      refusal = made.status === "rejected" ? { error: made.reason } : undefined;
      // Partial success: parents stay when the last one can't be created.
      const deepest = refusal ? await deepestParent(next, path) : path;
      return this.#newDirectories(await writtenPath(next, deepest));
    });
    if (refusal) throw refusal.error;
  }

  remove(
    path: string,
    options?: PathOptions & { recursive?: boolean; force?: boolean },
  ): Promise<void> {
    return this.#change(async (next) => {
      const place = await entryPath(next, path);
      const isThere = (await unlessMissing(next.lstat(place))) !== undefined;
      await next.remove(path, options);
      return isThere ? [place] : [];
    });
  }

  rename(from: string, to: string, options?: PathOptions): Promise<void> {
    return this.#change(async (next) => {
      // Afterwards, a path through the moved entry would lead elsewhere.
      const [source, target] = [await entryPath(next, from), await entryPath(next, to)];
      await next.rename(from, to, options);
      return [source, ...(await pathsIn(next, target))];
    });
  }

  /** The created directory and its newly created parents, the topmost first. */
  async #newDirectories(path: string): Promise<string[]> {
    const made: string[] = [];
    for (let at = path; at !== "/"; at = resolvePath(at, "..")) {
      if (await isThere(this.#overlay, at)) break;
      made.unshift(at);
    }
    return made;
  }

  #write(path: string, apply: (next: OverlayFileSystem) => Promise<void>): Promise<void> {
    return this.#change(async (next) => {
      await apply(next);
      return [await writtenPath(next, path)];
    });
  }

  /**
   * Prepares a change aside, stores its outcome, and only then shows it. One at a time. `apply` resolves to the changed
   * paths.
   */
  #change(apply: (next: OverlayFileSystem) => Promise<string[]>): Promise<void> {
    return this.#inTurn(async () => {
      for (;;) {
        const next = this.#overlay.fork();
        const done = await settled(apply(next));
        // A base that changed meanwhile would have been another starting point.
        if (await this.#keepBase()) continue;
        return this.#store(next, unwrapped(done));
      }
    });
  }

  /** Reads, and retries when the base changed meanwhile: the result may have included the change. */
  async #look<Result>(read: (files: OverlayFileSystem) => Promise<Result>): Promise<Result> {
    for (;;) {
      const found = await settled(read(this.#overlay));
      if (!this.#baseChanges) return unwrapped(found);
      // Waiters for the same turn share one check.
      this.#nextCheck ??= this.#inTurn(() => {
        this.#nextCheck = undefined;
        return this.#keepBase();
      });
      if (!(await this.#nextCheck)) return unwrapped(found);
    }
  }

  /** Preserves the files that the base's session has changed; resolves to whether there were any. */
  async #keepBase(): Promise<boolean> {
    if (!this.#baseChanges) return false;
    for (const file of await this.#baseChanges.next()) {
      // The first of several changes counts.
      if (!this.#announced.has(file.path)) this.#announced.set(file.path, file);
    }
    const files = [...this.#announced.values()].filter(({ path }) => !this.#isOwn(path));
    if (files.length === 0) return false;
    const next = this.#overlay.fork();
    const payloads = new Payloads(this.#storage, this.#baseChanges.sessionId, {
      payloads: undefined,
    });
    const { restored, removed, notRestored } = await restoreFiles(next, files, payloads);
    // Unchanged files stay announced: their recorded change is still to come.
    for (const { path } of notRestored) this.#announced.delete(path);
    const kept = [...removed, ...restored];
    if (kept.length === 0) return false;
    await this.#store(next, kept);
    return true;
  }

  /** True when the base no longer shows through here. */
  #isOwn(path: string): boolean {
    if (this.#own.has(path)) return true;
    for (let at = path; at !== "/"; at = resolvePath(at, ".."))
      if (this.#removed.has(at)) return true;
    return false;
  }

  /**
   * Stores the outcome of a change at these paths, and then shows the stored form: bytes that `next` still reads from
   * the base would change with it.
   */
  async #store(next: OverlayFileSystem, paths: readonly string[]): Promise<void> {
    const patches: Uint8Array[] = [];
    for (const path of paths) patches.push(await patchOf(next, path));
    try {
      await this.#storage.append(this.#log, patches);
    } catch (cause) {
      throw notRecorded(cause, this.#log);
    }
    const kept = this.#overlay.fork();
    // The change is stored, so it is visible from now on, even if the base is unavailable at the moment.
    this.#overlay = next;
    try {
      for (const patch of patches) await this.#apply(kept, patch);
      this.#overlay = kept;
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
    }
  }

  async #apply(overlay: OverlayFileSystem, patch: Uint8Array): Promise<void> {
    const { path, type } = readPatch(patch);
    this.#own.add(path);
    this.#announced.delete(path);
    if (type === "none") this.#removed.add(path);
    await clearWay(overlay, path);
    await applyPatch(overlay, patch);
    if (type === "none") await hide(overlay, path);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }
}

async function settled<Result>(work: Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

function unwrapped<Result>(result: PromiseSettledResult<Result>): Result {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

async function deepestParent(fs: FileSystem, path: string): Promise<string> {
  let at = resolvePath(path, "..");
  while (at !== "/" && !(await isThere(fs, at))) at = resolvePath(at, "..");
  return at;
}

function isThere(fs: FileSystem, path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    () => false,
  );
}

/** `path` and everything below it, directories before their entries. */
async function pathsIn(fs: FileSystem, path: string): Promise<string[]> {
  const found = [path];
  for (const at of found) {
    if ((await fs.lstat(at)).type !== "directory") continue;
    for (const { name } of await fs.readdir(at)) found.push(resolvePath(at, name));
  }
  return found;
}

/** Hides entries by which the base has replaced a directory above `path`. */
async function clearWay(overlay: OverlayFileSystem, path: string): Promise<void> {
  const parent = resolvePath(path, "..");
  const isCanonicalPath = (await unlessMissing(overlay.realpath(parent))) === parent;
  if (isCanonicalPath && (await overlay.stat(parent)).type === "directory") return;
  for (const at of prefixesOf(parent)) {
    const stat = await unlessMissing(overlay.lstat(at));
    if (stat?.type === "directory") continue;
    if (stat) await overlay.remove(at);
    return;
  }
}

/** Marks a path as deleted, whatever the base gets there. */
async function hide(overlay: OverlayFileSystem, path: string): Promise<void> {
  const parent = await unlessMissing(overlay.stat(resolvePath(path, "..")));
  if (parent?.type !== "directory") return;
  // An overlay remembers the deletion only of an existing entry.
  await overlay.writeFile(path, "");
  await overlay.remove(path);
}

async function patchOf(fs: FileSystem, path: string): Promise<Uint8Array> {
  const stat = await unlessMissing(fs.lstat(path));
  if (!stat) return encodePatch({ path, type: "none" });
  const { type, mode, mtimeMs } = stat;
  if (type === "symlink") return encodePatch({ path, type, target: await fs.readlink(path) });
  const patch: Patch = { path, type, mode, mtimeMs };
  return type === "file" ? encodePatch(patch, await fs.readFile(path)) : encodePatch(patch);
}

/** Encodes an entry of an overlay's log. */
export function encodePatch(patch: Patch, bytes: Uint8Array = new Uint8Array()): Uint8Array {
  const head = encoder.encode(`${JSON.stringify(patch)}\n`);
  const encoded = new Uint8Array(head.length + bytes.length);
  encoded.set(head);
  encoded.set(bytes, head.length);
  return encoded;
}

/** Decodes the path and version of an overlay log entry. */
export function readPatch(encoded: Uint8Array): Patch {
  return JSON.parse(decoder.decode(encoded.subarray(0, encoded.indexOf(LINE_FEED)))) as Patch;
}

/** Applies an overlay log entry to a path. */
export async function applyPatch(fs: FileSystem, encoded: Uint8Array): Promise<void> {
  const end = encoded.indexOf(LINE_FEED);
  const { path, type, mode = 0o644, mtimeMs, target = "" } = readPatch(encoded);
  const now = await unlessMissing(fs.lstat(path));
  const isReplaced = now && (now.type !== type || type === "symlink");
  if (isReplaced) await fs.remove(path, { recursive: true });
  if (type === "none") return;
  await fs.mkdir(resolvePath(path, ".."), { recursive: true });
  if (type === "symlink") return fs.symlink(target, path);
  if (type === "directory") await fs.mkdir(path, { recursive: true });
  else await fs.writeFile(path, encoded.slice(end + 1));
  await fs.chmod(path, mode);
  if (mtimeMs !== undefined) await fs.utimes(path, mtimeMs);
}
