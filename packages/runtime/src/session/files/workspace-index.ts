import { FileSystemError } from "../../errors.ts";
import type { FileStat, FileSystem } from "../../ports/file-system.ts";
import { basename } from "../../ports/path.ts";
import { createPacer } from "../../tools/files/pacer.ts";
import { walkFiles } from "../../tools/files/walk.ts";
import type { UncoveredFiles } from "./checkpoints.ts";
import type { FileBefore, PastVersion, NotCovered } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";
import { keepContents, observe, type ObservedFile, unlessMissing } from "./versions.ts";

/** Larger files of a workspace are named and not kept. Bytes. */
const MAX_FILE = 2 ** 20;
/** Larger workspaces are not tracked: scanning them around each command would be noticeable. */
const MAX_FILES = 10_000;
const MAX_BYTES = 64 * 2 ** 20;
/** Maximum number of named excluded paths. */
const MAX_NAMED = 20;
const LEFT_OUT =
  "Git ignores it, or a package manager filled it: changes by commands there are not tracked.";
/** Package managers can reinstall it; ignored by git or not, it is excluded. */
const INSTALLED = "node_modules";

/** A file as last scanned, with cheap evidence of being unchanged. */
interface Seen {
  version: PastVersion;
  mark: string;
}

/**
 * An index of a workspace by content, for finding unannounced changes by native programs. Excludes files ignored by
 * git, and installed packages; those are named.
 */
export class WorkspaceIndex {
  readonly #fs: FileSystem;
  readonly #payloads: Payloads;
  readonly #root: () => string;
  #seen = new Map<string, Seen>();
  #bytes = 0;
  #isTooLarge = false;
  /** Paths that were found but excluded. */
  readonly #leftOut = new Set<string>();

  constructor(fs: FileSystem, payloads: Payloads, root: () => string) {
    this.#fs = fs;
    this.#payloads = payloads;
    this.#root = root;
  }

  /** True when the workspace is too large to track. */
  get isTooLarge(): boolean {
    return this.#isTooLarge;
  }

  /** Places where changes would not be found. */
  get uncovered(): UncoveredFiles[] {
    const named = [...this.#leftOut].slice(0, MAX_NAMED);
    const more = this.#leftOut.size - named.length;
    const files = named.map((path) => ({ path, reason: LEFT_OUT }));
    if (more > 0)
      files.push({ path: this.#root(), reason: `${LEFT_OUT} So it is with more paths.` });
    return files;
  }

  /**
   * Scans everything, stores new content, and resolves to the previous versions of files changed since the last scan.
   */
  async refresh(signal: AbortSignal): Promise<FileBefore[]> {
    if (this.#isTooLarge) return [];
    const stats = await this.#list(signal);
    if (!stats) {
      this.#isTooLarge = true;
      this.#seen.clear();
      return [];
    }
    const before: FileBefore[] = [];
    for (const [path, { version }] of this.#seen) {
      if (!stats.has(path)) before.push({ path, before: version });
    }
    const changed: { path: string; stat: FileStat }[] = [];
    for (const [path, stat] of stats) {
      const seen = this.#seen.get(path);
      if (seen?.mark === markOf(stat)) continue;
      before.push({ path, before: seen?.version ?? null });
      changed.push({ path, stat });
    }
    const kept = await keepContents(this.#payloads, await this.#observe(changed));
    for (const { path } of before) this.#seen.delete(path);
    for (const [index, { path, before: version }] of kept.entries()) {
      const stat = changed[index]?.stat;
      if (version && stat) this.#seen.set(path, { version, mark: markOf(stat) });
    }
    return before;
  }

  async #list(signal: AbortSignal): Promise<Map<string, FileStat> | undefined> {
    const stats = new Map<string, FileStat>();
    try {
      // Records use canonical paths, whatever symlink the workspace was opened by.
      const root = await this.#fs.realpath(this.#root());
      const walk = walkFiles(this.#fs, root, {
        cwd: root,
        pace: createPacer(signal),
        enters: (directory) => basename(directory) !== INSTALLED,
        onLeftOut: (path) => {
          if (this.#leftOut.size <= MAX_NAMED) this.#leftOut.add(path);
        },
      });
      for await (const { path } of walk) {
        if (stats.size >= MAX_FILES) return undefined;
        const stat = await unlessMissing(this.#fs.lstat(path));
        if (stat) stats.set(path, stat);
      }
    } catch (error) {
      // Without a workspace, there is nothing to track.
      if (!(error instanceof FileSystemError)) throw error;
    }
    return stats;
  }

  #observe(changed: readonly { path: string; stat: FileStat }[]): Promise<ObservedFile[]> {
    return Promise.all(
      changed.map(async ({ path, stat }): Promise<ObservedFile> => {
        if (stat.type !== "file") return observe(this.#fs, path);
        if (stat.size > MAX_FILE) return uncovered(path, "too-large");
        this.#bytes += stat.size;
        return this.#bytes > MAX_BYTES ? uncovered(path, "too-many") : observe(this.#fs, path);
      }),
    );
  }
}

function markOf({ type, size, mtimeMs, mode }: FileStat): string {
  return `${type} ${size} ${mtimeMs} ${mode}`;
}

function uncovered(path: string, notCovered: NotCovered): ObservedFile {
  return { path, before: { type: "file", notCovered } };
}
