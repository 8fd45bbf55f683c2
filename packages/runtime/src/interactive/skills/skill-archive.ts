import { FileSystemError, ValidationError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { importFiles } from "../../virtual/archive/import-files.ts";
import { archiveSource } from "../../virtual/archive/import-source.ts";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { walkTree } from "../../virtual/tree-walk.ts";

/** Limits of an unpacked skill, in files, bytes and names in a path. */
const LIMITS = { maxEntries: 500, maxBytes: 16_000_000, maxFileBytes: 4_000_000, maxDepth: 16 };
const TOP = "/skill";

/** The unpacked folder of a skill, in memory. */
export interface SkillArchive {
  /** The bytes of its `SKILL.md`. */
  file: Uint8Array;
  files: FileSystem;
  directory: string;
  /** The other files, relative to the folder. */
  fileNames: string[];
}

/** Recognizes a zip, a gzip and a tar by their first bytes. */
export function isArchive(bytes: Uint8Array): boolean {
  const starts = (...magic: number[]): boolean => magic.every((byte, at) => bytes[at] === byte);
  const tar = [0x75, 0x73, 0x74, 0x61, 0x72];
  return (
    starts(0x50, 0x4b) || starts(0x1f, 0x8b) || tar.every((byte, at) => bytes[257 + at] === byte)
  );
}

/**
 * Unpacks the archive of a skill's folder, whose name does not matter.
 * @throws {ImportError} for a hostile, damaged or too large archive @throws {ValidationError} without a `SKILL.md` at its top
 */
export async function openArchive(bytes: Uint8Array, name: string): Promise<SkillArchive> {
  const files = new MemoryFileSystem();
  const source = archiveSource(new Blob([bytes.slice()]), name);
  await importFiles({ fs: files, storage: new MemoryStorage() }, source, {
    as: TOP,
    limits: LIMITS,
  });
  const fileNames: string[] = [];
  for await (const { name: found, stat } of walkTree(files, TOP, TOP))
    if (stat.type === "file") fileNames.push(found.slice(TOP.length + 1));
  const file = await readSkillFile(files);
  const others = fileNames.filter((found) => found !== "SKILL.md");
  return { file, files, directory: TOP, fileNames: others };
}

async function readSkillFile(files: FileSystem): Promise<Uint8Array> {
  try {
    return await files.readFile(`${TOP}/SKILL.md`);
  } catch (cause) {
    if (!(cause instanceof FileSystemError)) throw cause;
    throw new ValidationError("The archive has no SKILL.md at its top", {
      cause,
      hint: "Pack one skill: its SKILL.md and the files beside it, or their folder.",
    });
  }
}
