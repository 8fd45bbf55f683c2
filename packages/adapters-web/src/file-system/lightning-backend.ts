import { FileSystemError } from "@robota/runtime";
import type { FileOperation } from "./operation.ts";
import type { Inode, Tree } from "./tree.ts";
import type { SharedFileSystem } from "./shared-file-system.ts";

/** The raw form of LightningFS's `Stats`. */
interface LightningStat {
  type: "file" | "dir" | "symlink";
  mode: number;
  size: number;
  ino: number;
  mtimeMs: number;
}

/** The documented interface of LightningFS's `backend` option, as far as its front calls it for us. */
export interface LightningBackend {
  readFile(path: string, options: { encoding?: string }): Promise<Uint8Array | string>;
  writeFile(path: string, data: Uint8Array | string, options: { mode?: number }): Promise<void>;
  unlink(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  mkdir(path: string, options: { mode?: number; recursive?: boolean }): Promise<void>;
  rmdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  stat(path: string): Promise<LightningStat>;
  lstat(path: string): Promise<LightningStat>;
  readlink(path: string): Promise<string>;
  symlink(target: string, path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  chown(path: string): Promise<void>;
  utimes(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
  lutimes(path: string): Promise<void>;
  cp(from: string): Promise<void>;
  du(path: string): Promise<number>;
  backFile(path: string): Promise<void>;
  saveSuperblock(): void;
  flush(): Promise<void>;
}

/** The backend that LightningFS calls for `shared`. Its front has normalised paths and arguments before it calls. */
export function lightningBackend(shared: SharedFileSystem): LightningBackend {
  const change = (operation: FileOperation): Promise<void> => shared.change(operation);
  const look = <T>(path: string, follow: boolean, take: (inode: Inode) => T): Promise<T> =>
    shared.read(path, (tree) => take(tree.resolve(path, { follow })));

  return {
    async readFile(path, { encoding }) {
      const bytes = await shared.readFile(path);
      return encoding === undefined ? bytes : decode(bytes, encoding, path);
    },
    writeFile: (path, data, { mode }) =>
      change({ type: "write", path, data: ownBytes(data), mode }),
    unlink: (path) =>
      change({ type: "remove", path, recursive: false, force: false, only: "file" }),
    rmdir: (path) =>
      change({ type: "remove", path, recursive: false, force: false, only: "directory" }),
    mkdir: (path, { mode, recursive = false }) => change({ type: "mkdir", path, recursive, mode }),
    readdir: (path) =>
      shared.read(path, (tree) => Array.from(tree.list(path), (inode) => inode.name)),
    rename: (from, to) => change({ type: "rename", from, to }),
    stat: (path) => look(path, true, lightningStat),
    lstat: (path) => look(path, false, lightningStat),
    readlink: (path) => look(path, false, (inode) => linkTarget(inode, path)),
    symlink: (target, path) => change({ type: "symlink", target, path }),
    chmod: (path, mode) => change({ type: "chmod", path, mode }),
    utimes: (path, _atimeMs, mtimeMs) => change({ type: "utimes", path, mtimeMs }),
    du: (path) =>
      shared.read(path, (tree) => totalSize(tree, tree.resolve(path, { follow: true }))),
    // A workspace has one user, and copies are made by reading and writing.
    chown: (path) => refuse(path),
    lutimes: (path) => refuse(path),
    cp: (path) => refuse(path),
    backFile: (path) => refuse(path),
    // Each operation stores its own part of the tree, so there is nothing to save afterwards.
    saveSuperblock() {},
    async flush() {},
  };
}

function linkTarget(inode: Inode, path: string): string {
  if (inode.type !== "symlink") throw new FileSystemError("EINVAL", path);
  return inode.target;
}

/** Size in bytes. */
export function sizeOf(inode: Inode): number {
  switch (inode.type) {
    case "file":
      return inode.size;
    case "directory":
      return 0;
    case "symlink":
      return new TextEncoder().encode(inode.target).length;
  }
}

/** An unshared copy with its own buffer. */
export function ownBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
}

function lightningStat(inode: Inode): LightningStat {
  const { ino, mode, mtimeMs } = inode;
  const type = inode.type === "directory" ? "dir" : inode.type;
  return { type, ino, mode, mtimeMs, size: sizeOf(inode) };
}

function totalSize(tree: Tree, inode: Inode): number {
  if (inode.type !== "directory") return sizeOf(inode);
  let total = 0;
  for (const child of tree.children(inode)) total += totalSize(tree, child);
  return total;
}

function decode(bytes: Uint8Array, encoding: string, path: string): string {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new FileSystemError("EINVAL", path, { cause, hint: `Unknown encoding ${encoding}.` });
  }
}

async function refuse(path: string): Promise<never> {
  throw new FileSystemError("EPERM", path, { hint: "Files in a browser workspace can't do this." });
}
