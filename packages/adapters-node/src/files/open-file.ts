import { type BigIntStats, constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { FileSystemError } from "@robota/runtime";
import { isWithin, type OpenFile } from "@robota/runtime/ports";
import { locate, type Location } from "./locate.ts";
import { pathOfHandle } from "./canonical-handle.ts";

// Without O_NONBLOCK, opening a pipe without a writer would block a thread forever.
export const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file replaced this often in a row is replaced continuously. */
const MAX_ATTEMPTS = 20;

/**
 * Opens the regular file that `path` leads to below `root`, and then determines its canonical path. On Linux the handle
 * tells; elsewhere, and where Linux has no name for it any more, the open file must be the one found by the path, so
 * that swapping part of the path for a link gains nothing. They also differ after an atomic replacement by another
 * program, so the file is then reopened.
 * @throws {FileSystemError} `EBUSY` when it differs each time, and errors of `locate` and `open`
 */
export async function openFile(root: string, path: string): Promise<OpenFile> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const file = await openOnce(root, path);
    if (file) return file;
  }
  throw new FileSystemError("EBUSY", path, {
    hint: "Its path keeps changing: try again later.",
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

/** The path known to the system. */
async function knownPath(root: string, { fd }: FileHandle): Promise<string | undefined> {
  const onDisk = pathOfHandle(fd);
  if (root === "/" || onDisk === undefined) return onDisk;
  const realRoot = await realpath(root);
  if (!isWithin(realRoot, onDisk)) return undefined;
  return posix.resolve("/", posix.relative(realRoot, onDisk));
}

/** The path's present target, if it is the open file. */
async function foundPath(
  root: string,
  path: string,
  stats: BigIntStats,
): Promise<string | undefined> {
  const found = await resolve(root, path);
  return isSame(await lstat(found.onDisk, { bigint: true }), stats) ? found.path : undefined;
}

/** With the machine's own `/` as the root, one system call replaces one per segment. */
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

/** The system may return fewer bytes than requested; the port does so only at the end. */
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
