import { defined } from "../../defined.ts";
import { errorMessage } from "../../errors.ts";
import { decodeText } from "../../bytes.ts";
import { isGzip } from "./compression.ts";
import { ImportError } from "./import-error.ts";
import { readTar } from "./tar-format.ts";
import { readZip } from "./zip-format.ts";

/** One entry to import. */
export interface ImportEntry {
  /** Relative and `/`-separated, as the source gives it: the importer checks it. */
  path: string;
  /** `link` is a hard link to an earlier entry; `other` is a device or the like. */
  type: "file" | "directory" | "symlink" | "link" | "other";
  /** Size in bytes, as declared by the source. */
  size: number;
  /** Permission bits. */
  mode?: number;
  /** Milliseconds since the epoch. */
  mtimeMs?: number;
  /** Content of a file, whole. */
  content: () => Promise<Uint8Array>;
  /** True when the content must be read before the next entry, because the source is a stream. */
  isPassing?: boolean;
  /** Target of a symlink or link. */
  target: () => Promise<string>;
}

export interface ImportFilesLimits {
  /** Limit for files, directories and links together. Default 50,000. */
  maxEntries: number;
  /** Limit for the unpacked total. Default 1,000,000,000. */
  maxBytes: number;
  /** Limit for one file, which is held in memory while it is written. Default 256,000,000. */
  maxFileBytes: number;
  /** Names in a path. Default 100. */
  maxDepth: number;
}

export interface ImportRequest {
  limits: ImportFilesLimits;
  /** Reports whether an entry is excluded, by its own path or by that of a directory above it. */
  leavesOut: (path: string) => boolean;
}

/** Files from anywhere: an archive, a folder of the person's machine, another file system. */
export interface ImportSource {
  /** The directory that several entries at the top are put into; without it they lie side by side. */
  readonly name: string | undefined;
  /** Yields the entries. It may skip everything below an excluded directory, but yields that directory. */
  entries: (request: ImportRequest) => AsyncIterable<ImportEntry>;
}

/**
 * A zip or a tar (plain or gzipped), recognised by its first bytes. A tar is streamed; of a zip, one member at a time
 * is in memory.
 */
export function archiveSource(archive: Blob, fileName: string): ImportSource {
  const name = fileName.replace(/^.*[\\/]/, "").replace(/(?:\.tar)?\.[A-Za-z0-9]{1,4}$/, "");
  return {
    name: /^\.*$/.test(name) ? "archive" : name,
    async *entries(request) {
      try {
        for await (const entry of await openArchive(archive, request)) {
          yield {
            ...entry,
            content: () => entry.content().catch(rethrowDamage),
            target: () => entry.target().catch(rethrowDamage),
          };
        }
      } catch (error) {
        rethrowDamage(error);
      }
    },
  };
}

async function openArchive(
  archive: Blob,
  { limits, leavesOut }: ImportRequest,
): Promise<AsyncIterable<ImportEntry>> {
  const head = new Uint8Array(await archive.slice(0, 6).arrayBuffer());
  if (startsWith(head, "PK")) return zipEntries(archive, limits, leavesOut);
  const other = knownKinds.find(([start]) => startsWith(head, start));
  if (other) throw new ImportError("NOT_AN_ARCHIVE", `This is a ${other[1]}`, readable);
  const plain = isGzip(head)
    ? archive.stream().pipeThrough(new DecompressionStream("gzip"))
    : archive.stream();
  return tarEntries(counted(plain, limits), limits);
}

/** Converts the format readers' errors about damaged archives. */
function rethrowDamage(error: unknown): never {
  if (error instanceof ImportError) throw error;
  throw new ImportError("DAMAGED", `The archive can't be read: ${errorMessage(error)}`, {
    cause: error,
    ...readable,
  });
}

const readable = { hint: "A .zip, .tar or .tar.gz can be read." };
const knownKinds: readonly (readonly [start: string, kind: string])[] = [
  ["7z\u00bc\u00af", "7z archive"],
  ["Rar!", "rar archive"],
  ["BZh", "file packed with bzip2"],
  ["\u00fd7zXZ", "file packed with xz"],
  ["\u0028\u00b5\u002f\u00fd", "file packed with zstd"],
];

function startsWith(bytes: Uint8Array, letters: string): boolean {
  return Array.from(letters).every((letter, at) => bytes[at] === letter.charCodeAt(0));
}

async function* zipEntries(
  archive: Blob,
  limits: ImportFilesLimits,
  leavesOut: ImportRequest["leavesOut"],
): AsyncGenerator<ImportEntry> {
  const members = await readZip(archive);
  // The central directory declares everything: an oversized archive is rejected before writing.
  const wanted = members.filter(({ name }) => !leavesOut(name));
  if (wanted.length > limits.maxEntries) throw tooMany(limits.maxEntries);
  const size = wanted.reduce((sum, member) => sum + member.size, 0);
  if (size > limits.maxBytes) throw tooLarge(limits.maxBytes);
  for (const member of members) {
    const { name, mode, mtimeMs, isSymlink } = member;
    const type = name.endsWith("/") ? "directory" : isSymlink ? "symlink" : "file";
    const target = async (): Promise<string> => {
      if (member.size > MAX_TARGET) throw new Error(`${name}: is not a link`);
      return decodeText(await member.content());
    };
    yield {
      path: name,
      type,
      size: member.size,
      mode: mode & 0o777,
      mtimeMs,
      content: () => member.content(),
      target,
    };
  }
}

const MAX_TARGET = 4096;

async function* tarEntries(
  chunks: AsyncIterable<Uint8Array>,
  limits: ImportFilesLimits,
): AsyncGenerator<ImportEntry> {
  let count = 0;
  for await (const { name, type, size, mode, mtimeMs, target, content } of readTar(chunks)) {
    // Checked before unpacking content only to skip it.
    if (size > limits.maxFileBytes) throw tooLarge(limits.maxFileBytes, name);
    if (++count > limits.maxEntries) throw tooMany(limits.maxEntries);
    const facts = defined({ mode: mode >= 0 ? mode & 0o777 : undefined, mtimeMs });
    yield {
      path: name,
      type,
      size,
      ...facts,
      content,
      isPassing: true,
      target: async () => target,
    };
  }
}

/** Includes the headers of a tar, which are few bytes for each entry. */
async function* counted(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, maxEntries }: ImportFilesLimits,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let left = maxBytes + maxEntries * 1024;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      left -= part.value.length;
      if (left < 0) throw tooLarge(maxBytes);
      yield part.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function tooLarge(limit: number, name?: string): ImportError {
  const what = name === undefined ? "The files are" : `${name} is`;
  return new ImportError("TOO_LARGE", `${what} larger than ${limit} bytes`, {
    hint: "Import a part of it, or raise the limit.",
  });
}

export function tooMany(limit: number): ImportError {
  return new ImportError("TOO_MANY_ENTRIES", `There are more than ${limit} files and folders`, {
    hint: "Exclude generated files such as node_modules, or raise the limit.",
  });
}
