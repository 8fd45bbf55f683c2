import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { bringing, type PersonalHost } from "../../ports/brought-files.ts";
import { basename, dirname, isWithin, normalizePath } from "../../ports/path.ts";
import { ImportError } from "./import-error.ts";
import {
  type ImportEntry,
  type ImportFilesLimits,
  type ImportSource,
  tooLarge,
  tooMany,
} from "./import-source.ts";
import { leadsOut } from "./link-targets.ts";

const LEASE = "imports";
/** Written at once: many small files go into one transaction, and a few large ones do not fill the memory. */
const MAX_WRITING = 256;
const MAX_WRITING_BYTES = 16_000_000;

const defaults: ImportFilesLimits = {
  maxEntries: 50_000,
  maxBytes: 1_000_000_000,
  maxFileBytes: 256_000_000,
  maxDepth: 100,
};

export type ImportPlace =
  /** A directory that gets what the source has at its top, under names that are free there. */
  | { into: string; as?: undefined }
  /** A path that is free, or an empty directory, and becomes the imported tree. A single directory at the top becomes it itself. */
  | { as: string; into?: undefined };

export type ImportFilesOptions = ImportPlace & {
  limits?: Partial<ImportFilesLimits>;
  /** Whether an entry, and all below it, is to be left out, by its path in the source. */
  leavesOut?: (path: string) => boolean;
  /** Called now and then with what is written so far. */
  onProgress?: (progress: { entries: number; bytes: number }) => void;
  /** Where the import lies until it is whole: a path of its own that can be renamed to its place. Default `/tmp/.import`. */
  draft?: string;
  signal?: AbortSignal;
};

export interface ImportResult {
  /** What was made: directories and files at the top. */
  paths: string[];
  files: number;
  /** Of all files together. */
  bytes: number;
  /** What was not taken, each with the reason for a person. */
  skipped: { path: string; reason: string }[];
}

/**
 * Brings files in from outside, all or nothing: they are written beside and moved to their place when all are there. An
 * import that the death of the tab cut short is cleared away by the next one; one at a time runs on a workspace.
 *
 * Sources are not trusted. A name that leads outside, or that stands for two things, ends the import; so does what goes
 * over the limits, by what is really unpacked. Links that lead out of the tree and devices are left out and told. On a host
 * whose home is its person's own, settings that come into it are remembered as brought and wait for trust: give the platform
 * itself as the host.
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
  await using _lease = await storage.acquire(LEASE, signal ? { signal } : {});
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
      const message = `The import failed (${errorMessage(error)}), and what it had written could not be removed`;
      const hint = `It is in ${draft}: remove that when the workspace can be written again.`;
      throw new ImportError("LEFT_OVER", message, { cause, hint });
    });
    throw error;
  }
}

async function write(
  fs: FileSystem,
  draft: string,
  source: ImportSource,
  options: ImportFilesOptions,
): Promise<Omit<ImportResult, "paths">> {
  const { signal, onProgress = () => {} } = options;
  const limits = { ...defaults, ...options.limits };
  const result: Omit<ImportResult, "paths"> = { files: 0, bytes: 0, skipped: [] };
  const taken = new Map<string, Kind>();
  const targets = new Map<string, string>();
  const left = new Set<string>();
  /** The first directory on the way to `path`, or itself, that is not wanted. */
  const leftOut = (path: string): string | undefined => {
    const names = path.split("/");
    return names
      .map((_, at) => names.slice(0, at + 1).join("/"))
      .find((above) => options.leavesOut?.(above));
  };
  const writing = createWriting();
  let entries = 0;

  const directory = async (path: string): Promise<void> => {
    if (path === "" || taken.get(path) === "directory") return;
    await directory(parentOf(path));
    claim(taken, path, "directory");
    await fs.mkdir(`${draft}/${path}`, { recursive: true });
  };
  const take = async (entry: ImportEntry, path: string): Promise<void> => {
    if (entry.type === "directory") return directory(path);
    if (entry.type === "other") {
      result.skipped.push({ path, reason: "It is neither a file nor a folder nor a link." });
      return;
    }
    await directory(parentOf(path));
    if (entry.type === "symlink") {
      claim(taken, path, "symlink");
      targets.set(path, await entry.target());
      return;
    }
    // An archive may have a file twice: the last one counts.
    const isSecond = taken.has(path);
    if (isSecond) await writing.all();
    claim(taken, path, "file");
    const { size, content } = entry.type === "link" ? await linked(entry, path) : entry;
    if (size > limits.maxFileBytes) throw tooLarge(limits.maxFileBytes, path);
    if (!isSecond) result.files += 1;
    result.bytes += size;
    if (result.bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
    const passed = entry.isPassing ? await content() : undefined;
    await writing.add(size, async () => {
      const bytes = passed ?? (await content());
      if (bytes.length > size) throw tooLarge(size, path);
      await writeFile(fs, `${draft}/${path}`, bytes, entry);
    });
  };
  const linked = async (entry: ImportEntry, path: string) => {
    const target = safePath(await entry.target(), limits);
    if (taken.get(target) !== "file") {
      const message = `${path}: is a link to ${target}, which did not come before`;
      throw new ImportError("UNSAFE_NAME", message);
    }
    await writing.all();
    const bytes = await fs.readFile(`${draft}/${target}`);
    return { size: bytes.length, content: async () => bytes };
  };

  const leavesOut = (path: string): boolean => leftOut(path) !== undefined;
  try {
    for await (const entry of source.entries({ limits, leavesOut })) {
      signal?.throwIfAborted();
      const path = safePath(entry.path, limits);
      if (path === "") continue;
      const unwanted = leftOut(path);
      if (unwanted !== undefined) {
        left.add(unwanted);
        continue;
      }
      if (++entries > limits.maxEntries) throw tooMany(limits.maxEntries);
      await take(entry, path);
      onProgress({ entries, bytes: result.bytes });
    }
  } finally {
    await writing.ended();
  }
  for (const path of left) result.skipped.push({ path, reason: "It was to be left out." });
  // Last, so that nothing is written through one.
  for (const [path, target] of targets) {
    if (leadsOut(path, targets)) {
      result.skipped.push({
        path,
        reason: `It is a link out of the imported files, to ${target}.`,
      });
    } else {
      await writing.add(0, () => fs.symlink(target, `${draft}/${path}`));
    }
  }
  await writing.all();
  return result;
}

async function writeFile(
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
  { mode = 0o644, mtimeMs = Number.NaN }: ImportEntry,
): Promise<void> {
  await fs.writeFile(path, bytes);
  await Promise.all([
    mode === 0o644 ? undefined : fs.chmod(path, mode),
    Number.isFinite(mtimeMs) ? fs.utimes(path, mtimeMs) : undefined,
  ]);
}

type Kind = "file" | "directory" | "symlink";

/** Everything but a file has a place of its own. */
function claim(taken: Map<string, Kind>, path: string, kind: Kind): void {
  const before = taken.get(path);
  if (before !== undefined && (before !== kind || kind === "symlink")) {
    throw new ImportError("UNSAFE_NAME", `${path}: stands for a ${before} and a ${kind}`);
  }
  taken.set(path, kind);
}

/** The path below the top. @throws {ImportError} When it is not below */
function safePath(path: string, { maxDepth }: ImportFilesLimits): string {
  const names = path.split("/");
  if (path.startsWith("/") || path.includes("\0") || names.includes("..")) {
    throw new ImportError("UNSAFE_NAME", `${JSON.stringify(path)}: leads out of the folder`, {
      hint: "Whoever made this archive may mean harm. Unpack it elsewhere and look at it first.",
    });
  }
  const kept = names.filter((name) => name !== "" && name !== ".");
  if (kept.length > maxDepth) {
    throw new ImportError(
      "UNSAFE_NAME",
      `${kept.slice(0, 3).join("/")}/…: is over ${maxDepth} folders deep`,
    );
  }
  return kept.join("/");
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Several writes at once, as far as the memory allows. The first that fails is told by whatever is called next. */
function createWriting() {
  const running = new Set<Promise<void>>();
  let bytes = 0;
  let failure: { error: unknown } | undefined;
  const check = (): void => {
    if (failure) throw failure.error;
  };
  return {
    async add(size: number, write: () => Promise<void>): Promise<void> {
      while (running.size >= MAX_WRITING || (bytes > 0 && bytes + size > MAX_WRITING_BYTES)) {
        await Promise.race(running);
      }
      check();
      bytes += size;
      const run: Promise<void> = write()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          bytes -= size;
          running.delete(run);
        });
      running.add(run);
    },
    async all(): Promise<void> {
      await this.ended();
      check();
    },
    async ended(): Promise<void> {
      await Promise.all(running);
    },
  };
}

/** Moves what is in the draft to where it belongs, at once, and returns where it is. */
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
  // All are asked for before the first is done: a file system that commits in groups makes them one step.
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
