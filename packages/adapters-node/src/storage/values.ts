import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsync,
  futimesSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { StorageError } from "@robota/runtime";
import { LONG_BYTES, statIfThere, writeAll } from "../files/at-once.ts";
import { removeIfThere } from "../files/durable.ts";
import { errnoOf } from "../files/file-error.ts";
import { syncNames } from "./directories.ts";
import type { Marks } from "./marks.ts";
import { exclusively } from "./mutex.ts";
import { directoryOf, segmentOfDirectory, segmentOfFile } from "./names.ts";

const sync = promisify(fsync);
const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

/** The bytes in `file`; `undefined` when it is not there. */
export async function readValue(file: string): Promise<Uint8Array | undefined> {
  try {
    const stats = statIfThere(file);
    if (!stats) return undefined;
    const { buffer, byteOffset, byteLength } =
      stats.size > LONG_BYTES ? await readFile(file) : readFileSync(file);
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The version of the value in `file`; `undefined` when there is none. */
export async function versionOf(file: string): Promise<string | undefined> {
  const stats = await exactStats(file);
  return stats && toVersion(stats);
}

/**
 * Replaces the value in `file` and resolves to its new version.
 * @throws {StorageError} `CONFLICT` when the version is not `ifMatch` (`null`: when there is a value)
 */
export async function writeValue(
  file: string,
  value: Uint8Array,
  ifMatch: string | null | undefined,
  marks: Marks,
): Promise<string> {
  return exclusively(`${file}~lock`, marks, async () => {
    const replaced = statSync(file, { bigint: true, throwIfNoEntry: false });
    const current = replaced ? toVersion(replaced) : null;
    if (ifMatch !== undefined && ifMatch !== current) {
      throw new StorageError("CONFLICT", `${file} is not the version that was to be replaced`, {
        hint: "Read the value and its version again, and apply the change to those.",
      });
    }
    return replaceValue(file, value, replaced);
  });
}

/** Deletes the value in `file`; silent when there is none. */
export async function deleteValue(file: string, marks: Marks): Promise<void> {
  if (!(await exactStats(file))) return;
  await exclusively(`${file}~lock`, marks, () => removeIfThere(file));
  await syncNames(dirname(file));
}

/** The keys below `root` that start with `prefix`, sorted. */
export async function listKeys(root: string, prefix: string): Promise<string[]> {
  const parents = prefix.split("/").slice(0, -1);
  const directory = directoryOf(root, parents);
  if (!directory) return [];
  const keys: string[] = [];
  await collectKeys(directory, parents.map((segment) => `${segment}/`).join(""), keys);
  return keys.filter((key) => key.startsWith(prefix)).sort();
}

async function replaceValue(
  file: string,
  value: Uint8Array,
  replaced: BigIntStats | undefined,
): Promise<string> {
  const next = `${file}~new`;
  // A killed writer's leftover is overwritten.
  const fd = openSync(next, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  let version: string;
  try {
    await writeAll(fd, value);
    const time = timeAfter(replaced);
    futimesSync(fd, time, time);
    await sync(fd);
    version = toVersion(fstatSync(fd, { bigint: true }));
  } catch (error) {
    await removeIfThere(next);
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(next, file);
  await syncNames(dirname(file));
  return version;
}

/**
 * The version comes from the file: its inode, which differs from the replaced file's, and its time, which is set later
 * than the replaced file's whatever the clock says. So it changes with each `set`, even by another program.
 */
function toVersion({ ino, mtimeNs }: BigIntStats): string {
  return `${ino.toString(36)}-${mtimeNs.toString(36)}`;
}

/** In seconds, with a random part below the millisecond: after a delete there is no previous time. */
function timeAfter(replaced: BigIntStats | undefined): number {
  const last = replaced ? Number(replaced.mtimeNs / 1_000_000n) : 0;
  return (Math.max(Date.now(), last + 1) + Math.random()) / 1000;
}

async function collectKeys(directory: string, parent: string, keys: string[]): Promise<void> {
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name);
    // A person may have moved a part of the storage elsewhere and left a link.
    const kind = entry.isSymbolicLink() ? await exactStats(path) : entry;
    const child = kind?.isDirectory() ? segmentOfDirectory(entry.name) : undefined;
    const value = kind?.isFile() ? segmentOfFile(entry.name) : undefined;
    if (child !== undefined) await collectKeys(path, `${parent}${child}/`, keys);
    if (value !== undefined) keys.push(parent + value);
  }
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function exactStats(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return errnoOf(error) === "ENOENT";
}
