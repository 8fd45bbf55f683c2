import { BundleError } from "../bundle-error.ts";

/** Limits for the content of one bundle. */
export const BUNDLE_LIMITS = {
  /** Files and directories together. */
  maxEntries: 2000,
  /** Unpacked bytes, all files together. */
  maxBytes: 64 * 1024 * 1024,
  /** Unpacked bytes of one file. */
  maxFileBytes: 8 * 1024 * 1024,
  /** Unpacked bytes for each byte of the archive, above `freeBytes`. */
  maxRatio: 100,
  /** Unpacked bytes of an archive whose ratio does not matter. */
  freeBytes: 256 * 1024,
  /** Names in a path. */
  maxDepth: 32,
} as const;

const MAX_NAME = 255;
const MAX_PATH = 1024;
/** Separators and stream marks of other systems, wildcards, and invisible characters. */
const FORBIDDEN =
  /[\\:*?"<>|\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFFD]/u;
/** Names that Windows gives to devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/**
 * The names of a path within a bundle.
 * @throws {BundleError} `BUNDLE_UNSAFE` unless every host and every file system takes it for the same path below the
 * bundle's directory
 */
export function safePath(path: string): string[] {
  const names = path
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/$/, "")
    .split("/");
  const problem =
    path.length > MAX_PATH
      ? "is too long"
      : names.length > BUNDLE_LIMITS.maxDepth
        ? `is over ${BUNDLE_LIMITS.maxDepth} folders deep`
        : names.map(problemOf).find((one) => one !== undefined);
  if (problem === undefined) return names;
  throw new BundleError("BUNDLE_UNSAFE", `${shown(path)} ${problem}`);
}

function problemOf(name: string): string | undefined {
  if (name === "") return "is not a path below the bundle";
  if (name === "." || name === "..") return "leads out of the bundle";
  if (name.length > MAX_NAME) return "has too long a name";
  if (FORBIDDEN.test(name)) return "has a character that no name in a bundle may have";
  if (/^\s|[\s.]$/.test(name)) return "has a name that begins or ends in a space or a dot";
  return DEVICE.test(name) ? "has the name of a device" : undefined;
}

/** A path as an error shows it: short, on one line, with nothing invisible. */
export function shown(path: string): string {
  return JSON.stringify(path.length > 80 ? `${path.slice(0, 79)}…` : path).replace(
    /[^\x20-\x7e…]/gu,
    (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The paths of a bundle, as every file system keeps them apart. */
export class TakenPaths {
  readonly #kinds = new Map<string, { path: string; kind: "file" | "directory" }>();

  get size(): number {
    return this.#kinds.size;
  }

  /** @throws {BundleError} `BUNDLE_UNSAFE` for a second file of a name, or names that a file system takes for equal */
  take(names: readonly string[], kind: "file" | "directory"): void {
    for (let depth = 1; depth < names.length; depth += 1)
      this.#claim(names.slice(0, depth).join("/"), "directory");
    this.#claim(names.join("/"), kind);
    if (this.#kinds.size > BUNDLE_LIMITS.maxEntries) {
      const message = `The bundle has over ${BUNDLE_LIMITS.maxEntries} files and folders`;
      throw new BundleError("BUNDLE_TOO_LARGE", message);
    }
  }

  #claim(path: string, kind: "file" | "directory"): void {
    const key = folded(path);
    const before = this.#kinds.get(key);
    if (!before) this.#kinds.set(key, { path, kind });
    else if (before.path !== path) {
      const message = `${shown(path)} and ${shown(before.path)} are one name for some file systems`;
      throw new BundleError("BUNDLE_UNSAFE", message);
    } else if (kind === "file" || before.kind === "file") {
      throw new BundleError("BUNDLE_UNSAFE", `${shown(path)} is in it twice`);
    }
  }
}

/** Letters of any case and of any composition are one. */
function folded(path: string): string {
  return path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
