import { concatBytes, type FileSystem } from "@robota/runtime/ports";
import { OpenDescription } from "./descriptors.ts";

const MAX_BUFFERED = 65_536;

/** Files with the writes of open descriptors: a write waits until someone could notice that it is missing. */
export interface OpenFiles {
  /** The same files; every call sees what was written before. */
  readonly fs: FileSystem;
  openToRead(path: string): Promise<OpenDescription>;
  openToWrite(path: string, mode: "truncate" | "append" | "update"): Promise<OpenDescription>;
  flush(): Promise<void>;
}

interface Buffered {
  readonly path: string;
  chunks: Uint8Array[];
  size: number;
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
  const dirty = new Set<Buffered>();
  const flush = async (): Promise<void> => {
    const waiting = Array.from(dirty);
    for (const buffered of waiting) {
      dirty.delete(buffered);
      const bytes = concatBytes(buffered.chunks);
      buffered.chunks = [];
      buffered.size = 0;
      await files.appendFile(buffered.path, bytes);
    }
  };
  const write = (buffered: Buffered, bytes: Uint8Array): Promise<void> | undefined => {
    buffered.chunks.push(bytes);
    buffered.size += bytes.length;
    // Appends keep their order over descriptors: another file's bytes go first.
    dirty.delete(buffered);
    dirty.add(buffered);
    return buffered.size > MAX_BUFFERED ? flush() : undefined;
  };
  return {
    fs: flushing(files, dirty, flush),
    flush,
    async openToRead(path) {
      await flush();
      const bytes = await files.readFile(path);
      let isRead = false;
      return new OpenDescription({
        isComplete: true,
        async read() {
          if (isRead) return undefined;
          isRead = true;
          return bytes;
        },
      });
    },
    async openToWrite(path, mode) {
      await flush();
      if (mode === "truncate") await files.writeFile(path, new Uint8Array());
      else await files.appendFile(path, new Uint8Array());
      const isDevice = path.startsWith("/dev/");
      const buffered: Buffered = { path, chunks: [], size: 0 };
      let left = mode === "update" ? await files.readFile(path) : undefined;
      return new OpenDescription({
        write(bytes) {
          if (!isDevice) count(bytes.length);
          return write(buffered, bytes);
        },
        ...(mode === "update"
          ? {
              async read() {
                const chunk = left;
                left = undefined;
                return chunk;
              },
            }
          : {}),
        close: () => (dirty.has(buffered) ? flush() : undefined),
      });
    },
  };
}

function flushing(
  files: FileSystem,
  dirty: ReadonlySet<unknown>,
  flush: () => Promise<void>,
): FileSystem {
  const wrapped: Partial<Record<(typeof METHODS)[number], unknown>> = {};
  for (const method of METHODS) {
    const call = files[method].bind(files) as (...args: unknown[]) => Promise<unknown>;
    wrapped[method] = (...args: unknown[]): Promise<unknown> =>
      dirty.size === 0 ? call(...args) : flush().then(() => call(...args));
  }
  // Each method has the type of the one that it wraps.
  return wrapped as unknown as FileSystem;
}
