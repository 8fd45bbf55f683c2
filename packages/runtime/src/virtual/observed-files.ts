import { defined } from "../defined.ts";
import { FileSystemError } from "../errors.ts";
import type { FileSystem } from "../ports/file-system.ts";

const MAX_LOOKS = 5_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A reader's observations of the files. */
export interface Observation {
  /** False when there were too many observations to remember; nothing can be said later. */
  readonly isComplete: boolean;
  /** Reports whether a repeated read would observe the same. */
  isCurrent(): Promise<boolean>;
}

export interface ObservedFiles {
  /** `fs`, and every look at it is remembered until `end`. */
  readonly fs: FileSystem;
  end(): Observation;
}

type Look = () => Promise<string>;

/** Records fingerprints of all answers of `fs`, including failures. */
export function observeFiles(fs: FileSystem): ObservedFiles {
  const looks = new Map<string, { again: Look; seen: Promise<string> | string }>();
  let bytes = 0;
  let isComplete = true;
  let hasEnded = false;

  const look = async <Answer>(
    kind: string,
    path: string,
    ask: () => Promise<Answer>,
    print: (answer: Answer) => Promise<string> | string,
  ): Promise<Answer> => {
    const key = `${kind} ${path}`;
    const isKnown = hasEnded || looks.has(key);
    if (isKnown || looks.size >= MAX_LOOKS) {
      isComplete &&= isKnown;
      return ask();
    }
    const asked = ask();
    const again: Look = () => printed(ask(), print);
    looks.set(key, { again, seen: printed(asked, print) });
    return asked;
  };

  const stat = ({ type, size, mtimeMs, mode }: Awaited<ReturnType<FileSystem["stat"]>>): string =>
    `${type} ${size} ${mtimeMs} ${mode}`;
  const plain = (text: string): string => text;

  return {
    fs: {
      ...defined({ honorsNoFollow: fs.honorsNoFollow && (() => fs.honorsNoFollow?.() ?? false) }),
      readFile: (path, options) =>
        look(
          "readFile",
          path,
          () => fs.readFile(path, options),
          (data) => {
            bytes += hasEnded ? 0 : data.length;
            if (bytes > MAX_BYTES) isComplete = false;
            return isComplete ? digest(data) : "";
          },
        ),
      stat: (path) => look("stat", path, () => fs.stat(path), stat),
      lstat: (path) => look("lstat", path, () => fs.lstat(path), stat),
      readdir: (path, options) =>
        look(
          "readdir",
          path,
          () => fs.readdir(path, options),
          (entries) => JSON.stringify(entries),
        ),
      readlink: (path) => look("readlink", path, () => fs.readlink(path), plain),
      realpath: (path) => look("realpath", path, () => fs.realpath(path), plain),
      writeFile: (path, data, options) => fs.writeFile(path, data, options),
      appendFile: (path, data, options) => fs.appendFile(path, data, options),
      mkdir: (path, options) => fs.mkdir(path, options),
      remove: (path, options) => fs.remove(path, options),
      rename: (from, to, options) => fs.rename(from, to, options),
      symlink: (target, path, options) => fs.symlink(target, path, options),
      chmod: (path, mode, options) => fs.chmod(path, mode, options),
      utimes: (path, mtimeMs, options) => fs.utimes(path, mtimeMs, options),
    },
    end() {
      hasEnded = true;
      return {
        isComplete,
        async isCurrent() {
          if (!isComplete) return false;
          for (const { again, seen } of looks.values()) {
            if ((await again()) !== (await seen)) return false;
          }
          return true;
        },
      };
    },
  };
}

/** A fingerprint of an answer. One that is an error has its code for one. */
async function printed<Answer>(
  asked: Promise<Answer>,
  print: (answer: Answer) => Promise<string> | string,
): Promise<string> {
  try {
    return await print(await asked);
  } catch (error) {
    if (error instanceof FileSystemError) return `error ${error.code}`;
    throw error;
  }
}

async function digest(data: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", data.slice());
  return new Uint8Array(hash).join(",");
}
