import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";

/**
 * `fs` with a quota of `maxBytes` written in total, regardless of removals and overwrites. Writes beyond it fail with
 * `ENOSPC`, after calling `onFull`.
 */
export function withQuota<Files extends FileSystem>(
  fs: Files,
  maxBytes: number,
  onFull: () => void,
): Files {
  let left = maxBytes;
  const write =
    (method: "writeFile" | "appendFile") =>
    async (...args: Parameters<FileSystem["writeFile"]>): Promise<void> => {
      const [path, data] = args;
      left -= data.length;
      if (left >= 0) return fs[method](...args);
      onFull();
      throw new FileSystemError("ENOSPC", path, { hint: "Write less in one command." });
    };
  const writing: Partial<FileSystem> = {
    writeFile: write("writeFile"),
    appendFile: write("appendFile"),
  };
  return new Proxy(fs, {
    get(target, name) {
      if (Object.hasOwn(writing, name)) return Reflect.get(writing, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
