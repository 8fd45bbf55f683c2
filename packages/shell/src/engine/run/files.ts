import type { FileSystem } from "@robota/runtime/ports";
import { OpenDescription } from "./descriptors.ts";
import { maskedFiles, USUAL_MASK } from "./masked-files.ts";
import { WriteBuffer } from "./write-buffer.ts";

/** Files with the writes of open descriptors. */
export interface OpenFiles {
  /** The same files; every call sees what was written before. */
  readonly fs: FileSystem;
  openToRead(path: string): Promise<OpenDescription>;
  openToWrite(path: string, mode: "truncate" | "append"): Promise<OpenDescription>;
  /** Opens a file for both: it is read and written at one position, from its start on. */
  openToUpdate(path: string): Promise<OpenDescription>;
  flush(): Promise<void>;
  /** The same files for a process with this mask of new files. */
  under(mask: number): OpenFiles;
}

const METHODS = [
  "readFile",
  "writeFile",
  "appendFile",
  "stat",
  "lstat",
  "readdir",
  "mkdir",
  "remove",
  "rename",
  "symlink",
  "readlink",
  "realpath",
  "chmod",
  "utimes",
] as const;

/** @param count Called with the size of what is written to a file. */
export function createOpenFiles(files: FileSystem, count: (bytes: number) => void): OpenFiles {
  const buffer = new WriteBuffer(files);
  const shared = flushing(files, buffer);
  const others = new Map<number, OpenFiles>();
  const under = (mask: number): OpenFiles => {
    if (mask === USUAL_MASK) return usual;
    const known = others.get(mask);
    if (known) return known;
    const masked = { ...openFilesOver(maskedFiles(shared, mask), buffer, count), under };
    others.set(mask, masked);
    return masked;
  };
  const usual: OpenFiles = { ...openFilesOver(shared, buffer, count), under };
  return usual;
}

function openFilesOver(
  files: FileSystem,
  buffer: WriteBuffer,
  count: (bytes: number) => void,
): Omit<OpenFiles, "under"> {
  const openToWrite: OpenFiles["openToWrite"] = async (path, mode) => {
    await buffer.flush();
    if (mode === "truncate") await files.writeFile(path, new Uint8Array());
    else await files.appendFile(path, new Uint8Array());
    const counts = !isDevice(path);
    const writer = buffer.open(path, counts && mode === "truncate" ? 0 : undefined);
    return new OpenDescription({
      ...(counts ? { path } : {}),
      write(bytes) {
        if (counts) count(bytes.length);
        return buffer.write(writer, bytes);
      },
      close: () => buffer.close(writer),
    });
  };
  return {
    fs: files,
    flush: () => buffer.flush(),
    openToWrite,
    async openToRead(path) {
      await buffer.flush();
      const bytes = await files.readFile(path);
      let isRead = false;
      return new OpenDescription({
        ...(isDevice(path) ? {} : { path }),
        isComplete: true,
        async read() {
          if (isRead) return undefined;
          isRead = true;
          return bytes;
        },
      });
    },
    async openToUpdate(path) {
      await buffer.flush();
      await files.appendFile(path, new Uint8Array());
      return openAtPosition(path, buffer, count);
    },
  };
}

function isDevice(path: string): boolean {
  return path.startsWith("/dev/");
}

function openAtPosition(
  path: string,
  buffer: WriteBuffer,
  count: (bytes: number) => void,
): OpenDescription {
  const counts = !isDevice(path);
  const writer = buffer.open(path, counts ? 0 : undefined);
  writer.isPlaced = true;
  let read = 0;
  return new OpenDescription({
    ...(counts ? { path } : {}),
    async read() {
      await buffer.flush();
      const content = await buffer.contentOf(path);
      const rest = content?.subarray(writer.position ?? read) ?? new Uint8Array();
      read += rest.length;
      if (writer.position !== undefined) writer.position += rest.length;
      return rest.length === 0 ? undefined : rest;
    },
    moveBack(bytes) {
      if (writer.position !== undefined) writer.position -= bytes;
    },
    write(bytes) {
      if (counts) count(bytes.length);
      return buffer.write(writer, bytes);
    },
    close: () => buffer.close(writer),
  });
}

function flushing(files: FileSystem, buffer: WriteBuffer): FileSystem {
  const wrapped: Partial<Record<(typeof METHODS)[number], unknown>> = {};
  for (const method of METHODS) {
    const call = files[method].bind(files) as (...args: unknown[]) => Promise<unknown>;
    wrapped[method] = (...args: unknown[]): Promise<unknown> =>
      buffer.isEmpty ? call(...args) : buffer.flush().then(() => call(...args));
  }
  // Each method has the type of the one that it wraps.
  return wrapped as unknown as FileSystem;
}
