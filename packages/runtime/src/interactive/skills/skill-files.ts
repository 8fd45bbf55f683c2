import { errorMessage } from "../../errors.ts";
import { commandFiles } from "../../ports/command-files.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import { pathsOfProject, pathsOfUser } from "../settings/paths.ts";
import type { SettingsPlaces } from "../settings/places.ts";
import { isMissing } from "../settings/read-file-within.ts";
import type { SkillFileCache } from "./skill-file-cache.ts";
import type { SkillFile } from "./skill.ts";

/** Per directory, as for agents. */
const MAX_FILES = 200;
const SKILL_FILE = "SKILL.md";

/** A directory of skills. */
export interface SkillPlace {
  /** Absolute. */
  path: string;
  /** As people write it. */
  name: string;
  kind: "skills" | "commands";
}

/** In order of precedence. */
function placesOf({ cwd, home }: Pick<SettingsPlaces, "cwd" | "home">): SkillPlace[] {
  const project = pathsOfProject(cwd);
  const user = pathsOfUser(home);
  const inProject: SkillPlace[] = [
    { path: project.skills, name: ".robota/skills", kind: "skills" },
    { path: `${project.directory}/commands`, name: ".robota/commands", kind: "commands" },
    { path: resolvePath(cwd, ".claude/skills"), name: ".claude/skills", kind: "skills" },
    { path: resolvePath(cwd, ".claude/commands"), name: ".claude/commands", kind: "commands" },
  ];
  const atHome: SkillPlace[] = [
    { path: user.skills, name: "~/.robota/skills", kind: "skills" },
    { path: `${user.directory}/commands`, name: "~/.robota/commands", kind: "commands" },
    { path: resolvePath(home, ".claude/commands"), name: "~/.claude/commands", kind: "commands" },
  ];
  return [
    // A workspace that is the home itself is read once.
    ...inProject.filter(({ path }) => !atHome.some((own) => own.path === path)),
    ...atHome,
    { path: resolvePath(cwd, ".agents/skills"), name: ".agents/skills", kind: "skills" },
  ];
}

/**
 * Skills of a project and its person, in order of precedence: `.robota/skills`, the files of `.robota/commands`,
 * `.claude/skills`, the files of `.claude/commands`, `~/.robota/skills`, the files of `~/.robota/commands` and
 * `~/.claude/commands`, and `.agents/skills`. Unusable ones are included with their problem.
 * @param cache what former calls have read
 */
export async function readSkillFiles(
  fs: FileSystem,
  { cwd, home, isOwn }: SettingsPlaces,
  cache?: SkillFileCache,
): Promise<SkillFile[]> {
  const found = await Promise.all(
    placesOf({ cwd, home }).map(async (place) => {
      const { names, left } = await entriesIn(fs, place);
      if (names.length === 0) return left;
      const { readSkillFile } = await import("./read-skill-file.ts");
      const files = names.map(async (entry): Promise<SkillFile | SkillFile[]> => {
        const path = resolvePath(place.path, entry.file);
        const isAtHome = place.name.startsWith("~");
        const isUser = isAtHome && isOwn(path);
        const scope = isUser ? "user" : "project";
        // A person's own links may lead anywhere.
        const root = isUser ? "/" : isAtHome ? home : cwd;
        const read = () => readSkillFile(fs, { place, entry, scope, root });
        return (await (cache ? cache.get(fs, path, { scope, read }) : read())) ?? [];
      });
      return [...(await Promise.all(files)).flat(), ...left];
    }),
  );
  return found.flat();
}

/** A skill's file in its place. */
export interface SkillEntry {
  /** The name of the folder, or of the command. */
  name: string;
  /** Path of its file, relative to its place. */
  file: string;
}

async function entriesIn(
  fs: FileSystem,
  { path, name: place, kind }: SkillPlace,
): Promise<{ names: SkillEntry[]; left: SkillFile[] }> {
  let all: readonly SkillEntry[] = [];
  try {
    all = kind === "commands" ? await commandEntries(fs, path) : await folderEntries(fs, path);
  } catch (error) {
    const problem = `can't be read: ${errorMessage(error)}`;
    if (!isMissing(error)) return { names: [], left: [unusable(place, problem)] };
  }
  const names = all.slice(0, MAX_FILES);
  const more = all.length - names.length;
  if (more === 0) return { names, left: [] };
  const problem = `has ${more} entries more than the ${MAX_FILES} that are read`;
  return { names, left: [unusable(place, problem)] };
}

async function folderEntries(fs: FileSystem, path: string): Promise<SkillEntry[]> {
  return (await fs.readdir(path)).flatMap(({ name, type }) =>
    type === "file" ? [] : [{ name, file: `${name}/${SKILL_FILE}` }],
  );
}

/** A folder is a namespace: `frontend/fix.md` is `frontend:fix`. */
async function commandEntries(fs: FileSystem, path: string): Promise<SkillEntry[]> {
  return (await commandFiles(fs, path)).map((file) => ({
    name: file.slice(0, -".md".length).replaceAll("/", ":"),
    file,
  }));
}

function unusable(name: string, problem: string): SkillFile {
  return { name, scope: "project", text: "", problem };
}
