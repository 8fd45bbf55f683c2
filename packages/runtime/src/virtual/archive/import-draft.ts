import type { FileSystem } from "../../ports/file-system.ts";
import { ImportError } from "./import-error.ts";
import { type ImportEntry, type ImportFilesLimits, tooLarge } from "./import-source.ts";
import { leadsOut } from "./link-targets.ts";
import { createWriting } from "./writing.ts";

type Kind = "file" | "directory" | "symlink";

/** The directory that an import is written to until it is whole. */
export class ImportDraft {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #limits: ImportFilesLimits;
  readonly #taken = new Map<string, Kind>();
  /** Targets of links, by path. */
  readonly #targets = new Map<string, string>();
  readonly #writing = createWriting();
  /** Number of files. */
  files = 0;
  /** Total size of the files. */
  bytes = 0;
  readonly skipped: { path: string; reason: string }[] = [];

  constructor(fs: FileSystem, path: string, limits: ImportFilesLimits) {
    this.#fs = fs;
    this.#path = path;
    this.#limits = limits;
  }

  /** Adds an entry at a path that `safePath` has approved. */
  async take(entry: ImportEntry, path: string): Promise<void> {
    if (entry.type === "directory") return this.#makeDirectory(path);
    if (entry.type === "other") {
      this.skip(path, "It is neither a file nor a folder nor a link.");
      return;
    }
    await this.#makeDirectory(parentOf(path));
    if (entry.type === "symlink") {
      this.#claim(path, "symlink");
      this.#targets.set(path, await entry.target());
      return;
    }
    await this.#takeFile(entry, path);
  }

  skip(path: string, reason: string): void {
    this.skipped.push({ path, reason });
  }

  /** Makes the links, at the end, so that nothing is written through one. */
  async writeLinks(): Promise<void> {
    for (const [path, target] of this.#targets) {
      if (leadsOut(path, this.#targets)) {
        this.skip(path, `It is a link out of the imported files, to ${target}.`);
      } else {
        await this.#writing.add(0, () => this.#fs.symlink(target, this.#at(path)));
      }
    }
    await this.#writing.all();
  }

  /** Resolves when nothing is being written any more. */
  settled(): Promise<void> {
    return this.#writing.ended();
  }

  async #takeFile(entry: ImportEntry, path: string): Promise<void> {
    const { maxFileBytes, maxBytes } = this.#limits;
    // An archive may have a file twice: the last one counts.
    const isSecond = this.#taken.has(path);
    if (isSecond) await this.#writing.all();
    this.#claim(path, "file");
    const { size, content } = entry.type === "link" ? await this.#linked(entry, path) : entry;
    if (size > maxFileBytes) throw tooLarge(maxFileBytes, path);
    if (!isSecond) this.files += 1;
    this.bytes += size;
    if (this.bytes > maxBytes) throw tooLarge(maxBytes);
    const passed = entry.isPassing ? await content() : undefined;
    await this.#writing.add(size, async () => {
      const bytes = passed ?? (await content());
      if (bytes.length > size) throw tooLarge(size, path);
      await writeFile(this.#fs, this.#at(path), bytes, entry);
    });
  }

  async #linked(
    entry: ImportEntry,
    path: string,
  ): Promise<{ size: number; content: () => Promise<Uint8Array> }> {
    const target = safePath(await entry.target(), this.#limits);
    if (this.#taken.get(target) !== "file") {
      const message = `${path}: is a link to ${target}, which did not come before`;
      throw new ImportError("UNSAFE_NAME", message);
    }
    await this.#writing.all();
    const bytes = await this.#fs.readFile(this.#at(target));
    return { size: bytes.length, content: async () => bytes };
  }

  async #makeDirectory(path: string): Promise<void> {
    if (path === "" || this.#taken.get(path) === "directory") return;
    await this.#makeDirectory(parentOf(path));
    this.#claim(path, "directory");
    await this.#fs.mkdir(this.#at(path), { recursive: true });
  }

  /** Claims a path; only a repeated file or directory may claim it again. */
  #claim(path: string, kind: Kind): void {
    const before = this.#taken.get(path);
    if (before !== undefined && (before !== kind || kind === "symlink")) {
      throw new ImportError("UNSAFE_NAME", `${path}: stands for a ${before} and a ${kind}`);
    }
    this.#taken.set(path, kind);
  }

  #at(path: string): string {
    return `${this.#path}/${path}`;
  }
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

/** The path below the top. @throws {ImportError} When it is not below */
export function safePath(path: string, { maxDepth }: ImportFilesLimits): string {
  const names = path.split("/");
  if (path.startsWith("/") || path.includes("\0") || names.includes("..")) {
    throw new ImportError("UNSAFE_NAME", `${JSON.stringify(path)}: leads out of the folder`, {
      hint: "The archive may be malicious. Unpack it elsewhere and inspect it first.",
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
