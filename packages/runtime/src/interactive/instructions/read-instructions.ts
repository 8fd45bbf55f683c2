import { errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, isWithin, relativePath, resolvePath } from "../../ports/path.ts";
import type { SettingsPlaces } from "../settings/places.ts";

/** Names that agents of any vendor read, and that of Claude Code. */
export const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md"] as const;

/** Limit as for agent files: more than anybody writes, and a tenth of a window. */
const MAX_FILE = 100_000;

export interface InstructionFile {
  kind: (typeof INSTRUCTION_FILES)[number];
  /** Absolute. */
  path: string;
  /** Path as people in the working directory write it, such as `../AGENTS.md`. */
  name: string;
  /** Owner: files in a person's own directory are the person's. */
  scope: "project" | "user";
  /** Empty when it can't be used. */
  text: string;
  problem?: string;
}

/**
 * Reads a project's instructions: `AGENTS.md` and `CLAUDE.md` from the root of its repository down to the working
 * directory, the outermost first. Without a repository, from the person's home, or from the root where the working
 * directory is not in it: nothing above a home is the project's.
 */
export async function readInstructions(
  fs: FileSystem,
  { cwd, home, isOwn }: SettingsPlaces,
): Promise<InstructionFile[]> {
  const { directories, repository } = await projectDirectories(fs, cwd, resolvePath("/", home));
  const isHome = resolvePath("/", home) === cwd;
  const found = await Promise.all(
    directories.flatMap((directory) =>
      INSTRUCTION_FILES.map(async (kind): Promise<InstructionFile[]> => {
        const path = resolvePath(directory, kind);
        const scope = isHome && isOwn(path) ? "user" : "project";
        // Without a repository, a directory's siblings are not known to be the project's.
        const read = await readIfThere(fs, path, repository ?? directory);
        if (!read || (read.text.trim() === "" && read.problem === undefined)) return [];
        return [{ kind, path, name: relativePath(cwd, path), scope, ...read }];
      }),
    ),
  );
  return found.flat();
}

/** The directories whose files count, the outermost first, and the root of the repository, if there is one. */
async function projectDirectories(
  fs: FileSystem,
  cwd: string,
  home: string,
): Promise<{ directories: string[]; repository?: string }> {
  const directories: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    directories.unshift(at);
    if (at === home || at === "/") break;
  }
  const isRoot = await Promise.all(
    directories.map((directory) => isThere(fs, resolvePath(directory, ".git"))),
  );
  const nearest = isRoot.lastIndexOf(true);
  const repository = directories[nearest];
  if (repository === undefined) return { directories };
  return { directories: directories.slice(nearest), repository };
}

/** A link out of the project would show the model files that it may not read. */
async function readIfThere(
  fs: FileSystem,
  path: string,
  root: string,
): Promise<Pick<InstructionFile, "text" | "problem"> | undefined> {
  try {
    const { type } = await fs.lstat(path);
    if (type === "symlink") {
      const [target, within] = await Promise.all([fs.realpath(path), fs.realpath(root)]);
      if (!isWithin(within, target)) return { text: "", problem: "leads out of the project" };
    }
    const stat = await fs.stat(path);
    if (stat.type !== "file") return undefined;
    if (stat.size > MAX_FILE) return { text: "", problem: "is too large" };
    return { text: new TextDecoder().decode(await fs.readFile(path)).trim() };
  } catch (error) {
    if (isMissing(error)) return undefined;
    return { text: "", problem: `can't be read: ${errorMessage(error)}` };
  }
}

async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch {
    return false;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code);
}
