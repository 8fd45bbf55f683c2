import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { isWithin } from "../../ports/path.ts";

/** Bytes of a file; as for agent files. */
const MAX_FILE = 100_000;
/** The machine's administrator, whose files are as good as one's own. */
const ROOT_USER = 0;

export interface ReadText {
  /** Canonical path. */
  real?: string;
  text: string;
  problem?: string;
}

/**
 * Reads a text file; `undefined` when there is none. A link out of `root` is refused, since it would show the model
 * files that it may not read. Files of users other than `owner` and the administrator are ignored: anybody can write to
 * `/tmp`.
 */
export async function readText(
  fs: FileSystem,
  path: string,
  { root, owner }: { root?: string | undefined; owner?: number | undefined } = {},
): Promise<ReadText | undefined> {
  try {
    const real = await fs.realpath(path);
    if (root !== undefined && !isWithin(await fs.realpath(root), real))
      return { text: "", problem: "leads out of the project" };
    const { type, size, uid } = await fs.stat(real);
    if (type !== "file") return undefined;
    if (owner !== undefined && uid !== undefined && uid !== owner && uid !== ROOT_USER)
      return { text: "", problem: "belongs to another user" };
    // Pipes and devices have no size, and may do anything when they are opened.
    if (size === 0) return { real, text: "" };
    if (size > MAX_FILE) return { text: "", problem: "is too large" };
    const bytes = await fs.readFile(real, { noFollow: true });
    if (bytes.includes(0)) return { text: "", problem: "is not a text" };
    return { real, text: new TextDecoder().decode(bytes).trim() };
  } catch (error) {
    if (isMissing(error)) return undefined;
    // The message of a file system has the path in it, which may be a stranger's text.
    const why = error instanceof FileSystemError ? error.code : errorMessage(error);
    return { text: "", problem: `can't be read: ${why}` };
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code);
}
