import { type BigIntStats, constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { FileSystemError } from "@robota/runtime";
import { isWithin, type OpenFile } from "@robota/runtime/ports";
import { locate, type Location } from "./locate.ts";
import { pathOfHandle } from "./canonical-handle.ts";

// Without O_NONBLOCK, opening a pipe that nobody writes to would hold a thread for ever.
export const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file that is replaced so often in a row is replaced all the time. */
const MAX_ATTEMPTS = 20;

/**
 * Opens the regular file that `path` leads to below `root`, and then asks where that is. Linux tells it of the open file
 * itself; elsewhere, and where Linux has no name for it any more, the file that is open has to be the one that is found
 * there, so that whoever swaps something on the way for a link meanwhile gains nothing. Another one is found, too, when the
 * file was replaced, as every program does that writes whole files: so it is opened anew, and asked again.
 * @throws {FileSystemError} `EBUSY` when it is another one each time, and what `locate` and `open` throw
 */
export async function openFile(root: string, path: string): Promise<OpenFile> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const file = await openOnce(root, path);
    if (file) return file;
  }
  throw new FileSystemError("EBUSY", path, {
    hint: "Something changes on its path all the time: try again when that has ended.",
  });
}

/** `undefined` when the file that is open is not the one that is found. */
async function openOnce(root: string, path: string): Promise<OpenFile | undefined> {
  const handle = await open(
    root === "/" ? path : (await locate(root, path, "follow")).onDisk,
    READ,
  );
  try {
    const stats = await handle.stat({ bigint: true });
    requireRegular(path, stats);
    const where = (await knownPath(root, handle)) ?? (await foundPath(root, path, stats));
    if (where === undefined) {
      await handle.close();
      return undefined;
    }
    return {
      path: where,
      size: Number(stats.size),
      read: (offset, length) => readPiece(handle, path, offset, length),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** As the system knows it. */
async function knownPath(root: string, { fd }: FileHandle): Promise<string | undefined> {
  const onDisk = pathOfHandle(fd);
  if (root === "/" || onDisk === undefined) return onDisk;
  const realRoot = await realpath(root);
  if (!isWithin(realRoot, onDisk)) return undefined;
  return posix.resolve("/", posix.relative(realRoot, onDisk));
}

/** Where the path leads now, when that is to the open file. */
async function foundPath(
  root: string,
  path: string,
  stats: BigIntStats,
): Promise<string | undefined> {
  const found = await resolve(root, path);
  return isSame(await lstat(found.onDisk, { bigint: true }), stats) ? found.path : undefined;
}

/** Where the machine's own `/` is the root, one call of the system does what else takes one for each segment. */
async function resolve(root: string, path: string): Promise<Location> {
  if (root !== "/") return locate(root, path, "follow");
  const real = await realpath(path);
  return { path: real, onDisk: real };
}

export function requireRegular(path: string, stats: Stats | BigIntStats): void {
  if (stats.isDirectory()) throw new FileSystemError("EISDIR", path);
  if (!stats.isFile()) {
    const hint = "Devices, pipes and sockets are left to the shell.";
    throw new FileSystemError("EINVAL", path, { hint });
  }
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** The system may hand out less than was asked for; the port only does at the end. */
async function readPiece(
  handle: FileHandle,
  path: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const piece = new Uint8Array(length);
  let filled = 0;
  try {
    while (filled < length) {
      const { bytesRead } = await handle.read(piece, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
  } catch (cause) {
    throw new FileSystemError("EIO", path, { cause });
  }
  return piece.subarray(0, filled);
}
