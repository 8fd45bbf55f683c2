import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, relativePath, resolvePath } from "../../ports/path.ts";
import type { SettingsPlaces } from "../settings/places.ts";
import { isThere } from "../settings/read-file-within.ts";
import type { INSTRUCTION_FILES } from "./instruction-names.ts";
import { readText } from "./read-text.ts";

type Kind = (typeof INSTRUCTION_FILES)[number];

/** The files of one directory, in order: a person's own notes on a project come last. */
const FILES: readonly (readonly [kind: Kind, name: string])[] = [
  ["AGENTS.md", "AGENTS.md"],
  ["CLAUDE.md", "CLAUDE.md"],
  ["CLAUDE.md", ".claude/CLAUDE.md"],
  ["CLAUDE.md", "CLAUDE.local.md"],
];
/** A person's files for all projects. */
const PERSONAL_FILES: readonly (readonly [kind: Kind, name: string])[] = [
  ["AGENTS.md", ".robota/AGENTS.md"],
  ["CLAUDE.md", ".claude/CLAUDE.md"],
];
/** Paths deeper than this are made to be long. */
const MAX_DIRECTORIES = 64;

export interface InstructionFile {
  kind: Kind;
  /** Absolute. */
  path: string;
  /** Path as people in the working directory write it: relative when it lies in there. */
  name: string;
  /** Owner: files in a person's own directory are the person's. */
  scope: "project" | "user";
  /** Empty when it can't be used. */
  text: string;
  problem?: string;
  /** Name of the file with the `@` that imports it. */
  importedBy?: string;
  /** Directory that the file, and everything it imports, must not lead out of; left out for a person's own. */
  root?: string;
}

/**
 * Reads the instructions for a working directory, the outermost first: a person's own for all projects, then the files
 * from the root of the repository down to the working directory. Without a repository, from the person's home, or from
 * the root where the working directory is not in it: nothing above a home is the project's, and no file of another user
 * counts. Files that they import follow them.
 */
export async function readInstructions(
  fs: FileSystem,
  places: SettingsPlaces,
): Promise<InstructionFile[]> {
  const { cwd, isOwn } = places;
  const home = resolvePath("/", places.home);
  const { directories, repository } = await projectDirectories(fs, cwd, home);
  const personal = PERSONAL_FILES.map(([kind, name]): Place => {
    const path = resolvePath(home, name);
    const isPersonal = isOwn(path);
    return {
      kind,
      path,
      name: `~/${name}`,
      ...(isPersonal ? { scope: "user" } : { scope: "project", root: home }),
    };
  });
  const known = new Set(personal.map(({ path }) => path));
  const ofProject = directories.flatMap((directory) =>
    FILES.map(([kind, name]): Place => {
      const path = resolvePath(directory, name);
      const scope = home === cwd && isOwn(path) ? "user" : "project";
      // Without a repository, a directory's siblings are not known to be the project's.
      return { kind, path, name: relativePath(cwd, path), scope, root: repository ?? directory };
    }).filter(({ path }) => !known.has(path)),
  );
  const owner = directories.length > 1 ? await ownerOf(fs, cwd) : undefined;
  const read = await Promise.all(
    [...personal, ...ofProject].map((place) => readPlace(fs, place, owner)),
  );
  const files = read.flat();
  if (!files.some(({ text }) => text.includes("@"))) return files;
  const { withImports } = await import("./with-imports.ts");
  return withImports(fs, files, { ...places, home, project: repository ?? cwd });
}

type Place = Omit<InstructionFile, "text">;

async function readPlace(
  fs: FileSystem,
  place: Place,
  owner: number | undefined,
): Promise<InstructionFile[]> {
  const read = await readText(fs, place.path, { root: place.root, owner });
  if (!read || (read.text.trim() === "" && read.problem === undefined)) return [];
  return [{ ...place, ...read }];
}

/** The directories whose files count, the outermost first, and the root of the repository, if there is one. */
async function projectDirectories(
  fs: FileSystem,
  cwd: string,
  home: string,
): Promise<{ directories: string[]; repository?: string }> {
  const directories: string[] = [];
  for (let at = cwd; directories.length < MAX_DIRECTORIES; at = dirname(at)) {
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

async function ownerOf(fs: FileSystem, path: string): Promise<number | undefined> {
  try {
    return (await fs.stat(path)).uid;
  } catch {
    return undefined;
  }
}
