import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { bringing, type PersonalHost } from "../../ports/brought-files.ts";
import { basename, dirname, isWithin, normalizePath } from "../../ports/path.ts";
import { ImportError } from "./import-error.ts";
import { ImportDraft, safePath } from "./import-draft.ts";
import { type ImportFilesLimits, type ImportSource, tooMany } from "./import-source.ts";

const LEASE = "imports";

const defaults: ImportFilesLimits = {
  maxEntries: 50_000,
  maxBytes: 1_000_000_000,
  maxFileBytes: 256_000_000,
  maxDepth: 100,
};

export type ImportPlace =
  /** A directory that receives the source's top level, under free names. */
  | { into: string; as?: undefined }
  /**
   * A free path or an empty directory that becomes the imported tree. A single directory at the top becomes it itself.
   */
  | { as: string; into?: undefined };

export type ImportFilesOptions = ImportPlace & {
  limits?: Partial<ImportFilesLimits> | undefined;
  /** Reports whether an entry, and all below it, is left out, by its path in the source. */
  leavesOut?: ((path: string) => boolean) | undefined;
  /** Called from time to time with the progress. */
  onProgress?: ((progress: { entries: number; bytes: number }) => void) | undefined;
  /** Staging path of the import, which must be renamable to its place. Default `/tmp/.import`. */
  draft?: string | undefined;
  signal?: AbortSignal | undefined;
};

export interface ImportResult {
  /** Created directories and files at the top. */
  paths: string[];
  files: number;
  /** Total of all files. */
  bytes: number;
  /** Skipped entries, each with the reason for a person. */
  skipped: { path: string; reason: string }[];
}

/**
 * Imports files, all or nothing: they are written to a staging path and renamed when complete. The next import clears
 * away one interrupted by a crash; imports of a workspace run one at a time.
 *
 * Sources are not trusted. An unsafe or duplicate name aborts the import; so does exceeding a limit, measured on
 * unpacked bytes. Devices and links that lead out of the tree are skipped and reported. On a personal home, imported
 * settings are marked as brought and wait for trust: pass the platform itself as the host.
 * @throws {ImportError} and nothing is there, unless it is `LEFT_OVER`
 * @throws {FileSystemError} `ENOSPC` and others, and nothing is there
 * @throws {DOMException} `AbortError`, and nothing is there
 */
export async function importFiles(
  host: PersonalHost,
  source: ImportSource,
  options: ImportFilesOptions,
): Promise<ImportResult> {
  const { fs, storage } = host;
  const { draft = "/tmp/.import", signal } = options;
  const place = options.as ?? options.into;
  await using _lease = await storage.acquire(LEASE, { signal });
  const clear = (): Promise<void> => fs.remove(draft, { recursive: true, force: true });
  await clear();
  try {
    await fs.mkdir(draft, { recursive: true });
    const result = await write(fs, draft, source, options);
    signal?.throwIfAborted();
    const paths = await bringing(host, place, () => moveToPlace(fs, draft, source, options));
    return { ...result, paths };
  } catch (error) {
    await clear().catch((cause: unknown) => {
      const message = `The import failed (${errorMessage(error)}), and its partial result could not be removed`;
      const hint = `It is in ${draft}: remove that when the workspace can be written again.`;
      throw new ImportError("LEFT_OVER", message, { cause, hint });
    });
    throw error;
  }
}

/** Writes the source's entries, and returns the outcome. */
async function write(
  fs: FileSystem,
  path: string,
  source: ImportSource,
  options: ImportFilesOptions,
): Promise<Omit<ImportResult, "paths">> {
  const { signal, onProgress = () => {} } = options;
  const limits = { ...defaults, ...options.limits };
  const draft = new ImportDraft(fs, path, limits);
  const left = new Set<string>();
  /** The first directory on the way to a path, or the path itself, that is not wanted. */
  const leftOut = (entry: string): string | undefined => {
    const names = entry.split("/");
    return names
      .map((_, at) => names.slice(0, at + 1).join("/"))
      .find((above) => options.leavesOut?.(above));
  };
  let entries = 0;
  try {
    const leavesOut = (entry: string): boolean => leftOut(entry) !== undefined;
    for await (const entry of source.entries({ limits, leavesOut })) {
      signal?.throwIfAborted();
      const safe = safePath(entry.path, limits);
      if (safe === "") continue;
      const unwanted = leftOut(safe);
      if (unwanted !== undefined) {
        left.add(unwanted);
        continue;
      }
      if (++entries > limits.maxEntries) throw tooMany(limits.maxEntries);
      await draft.take(entry, safe);
      onProgress({ entries, bytes: draft.bytes });
    }
  } finally {
    await draft.settled();
  }
  for (const unwanted of left) draft.skip(unwanted, "It was excluded.");
  await draft.writeLinks();
  const { files, bytes, skipped } = draft;
  return { files, bytes, skipped };
}

/** Renames the staged content to its place at once, and returns the paths. */
async function moveToPlace(
  fs: FileSystem,
  draft: string,
  { name }: ImportSource,
  options: ImportFilesOptions,
): Promise<string[]> {
  const tops = await fs.readdir(draft);
  const [first] = tops;
  const only = tops.length === 1 ? first : undefined;
  if (options.as !== undefined) {
    const path = normalizePath(options.as);
    if (isWithin(draft, path)) throw new FileSystemError("EINVAL", path);
    await fs.mkdir(dirname(path), { recursive: true });
    await fs.rename(only?.type === "directory" ? `${draft}/${only.name}` : draft, path);
    await fs.remove(draft, { recursive: true, force: true });
    return [path];
  }
  const into = normalizePath(options.into);
  await fs.mkdir(into, { recursive: true });
  const used = new Set((await fs.readdir(into)).map((entry) => entry.name));
  const moves =
    name !== undefined && tops.length > 1
      ? [[draft, freePath(into, name, used)] as const]
      : tops.map((top) => [`${draft}/${top.name}`, freePath(into, top.name, used)] as const);
  // All are requested before the first is done: a file system with group commit makes them one step.
  await Promise.all(moves.map(([from, to]) => fs.rename(from, to)));
  await fs.remove(draft, { recursive: true, force: true });
  return moves.map(([, to]) => to);
}

/** `notes.txt`, else `notes-2.txt` and so on. */
function freePath(directory: string, name: string, used: Set<string>): string {
  const plain = basename(normalizePath(`/${name}`)) || "import";
  const [, stem = plain, suffix = ""] = /^(.+?)((?:\.[A-Za-z0-9]{1,8}){0,2})$/.exec(plain) ?? [];
  let free = plain;
  for (let number = 2; used.has(free); number++) free = `${stem}-${number}${suffix}`;
  used.add(free);
  return normalizePath(`${directory}/${free}`);
}
