import { encodeText, type FileStat, type FileSystem } from "@robota/runtime/ports";
import type { OpenDescription } from "../run/descriptors.ts";
import { descriptorOf } from "../run/redirections.ts";
import type { Process } from "../run/process.ts";

const STAT: FileStat = { type: "file", size: 0, mtimeMs: 0, mode: 0o600 };

/** The files with the descriptors of a process below `/dev/fd`. */
export function withDescriptors(files: FileSystem, process: Process): FileSystem {
  const write = async (
    path: string,
    data: Uint8Array | string,
    otherwise: () => Promise<void>,
  ): Promise<void> => {
    const file = descriptorOf(process, path);
    if (!file?.canWrite) return otherwise();
    await file.write(typeof data === "string" ? encodeText(data) : data.slice());
  };
  // Bytes of a pipe are gone once they are read; a program may read them again by its name.
  const read = new Map<OpenDescription, Promise<Uint8Array>>();
  return {
    ...files,
    async readFile(path) {
      const file = descriptorOf(process, path);
      if (!file?.canRead) return files.readFile(path);
      const known = read.get(file) ?? file.readAll();
      read.set(file, known);
      return (await known).slice();
    },
    writeFile: (path, data) => write(path, data, () => files.writeFile(path, data)),
    appendFile: (path, data) => write(path, data, () => files.appendFile(path, data)),
    stat: async (path) => (descriptorOf(process, path) ? STAT : files.stat(path)),
    lstat: async (path) => (descriptorOf(process, path) ? STAT : files.lstat(path)),
    realpath: async (path) => (descriptorOf(process, path) ? path : files.realpath(path)),
  };
}
