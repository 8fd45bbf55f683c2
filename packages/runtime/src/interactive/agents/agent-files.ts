import { errorMessage } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import type { SettingsPlaces } from "../settings/places.ts";
import { pathsOfProject, pathsOfUser } from "../settings/paths.ts";
import { isMissing, readProjectFile } from "../settings/read-file-within.ts";
import type { AgentDefinition } from "./agent-definition.ts";

const MAX_FILES = 200;
const MAX_FILE = 100_000;

export interface AgentFile {
  /** Path as people write it, such as `.robota/agents/reviewer.md`. */
  name: string;
  scope: "project" | "user";
  /** The unparsed text. */
  text: string;
  /** Absent when it can't be used. */
  definition?: AgentDefinition;
  problem?: string;
}

/**
 * Agent files of a project and its person: `.robota/agents`, `.claude/agents` and `~/.robota/agents`, in order of
 * precedence. An unusable file is included with its problem.
 */
export async function readAgentFiles(
  fs: FileSystem,
  { cwd, home, isOwn }: SettingsPlaces,
): Promise<AgentFile[]> {
  const user = pathsOfUser(home).agents;
  const places = [
    { path: pathsOfProject(cwd).agents, name: ".robota/agents" },
    { path: resolvePath(cwd, ".claude/agents"), name: ".claude/agents" },
    { path: user, name: "~/.robota/agents" },
  ];
  const found = await Promise.all(
    places
      .filter(({ path, name }) => path !== user || name.startsWith("~"))
      .map(async ({ path, name }) => {
        const files = (await namesIn(fs, path)).slice(0, MAX_FILES);
        return Promise.all(
          files.map((file) => {
            const place = `${path}/${file}`;
            const scope = path === user && isOwn(place) ? "user" : "project";
            return readAgentFile(fs, place, `${name}/${file}`, scope, {
              // A person's own links may lead anywhere.
              cwd: scope === "user" ? "/" : path === user ? home : cwd,
              home,
            });
          }),
        );
      }),
  );
  return found.flat();
}

async function namesIn(fs: FileSystem, directory: string): Promise<string[]> {
  try {
    const entries = await fs.readdir(directory);
    return entries.map(({ name }) => name).filter((name) => name.endsWith(".md"));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readAgentFile(
  fs: FileSystem,
  path: string,
  name: string,
  scope: AgentFile["scope"],
  within: { cwd: string; home: string },
): Promise<AgentFile> {
  try {
    const read = (await readProjectFile(fs, path, within, MAX_FILE)) ?? { problem: "is missing" };
    if ("problem" in read) return { name, scope, text: "", problem: read.problem };
    const text = new TextDecoder().decode(read.bytes);
    const file = name.slice(name.lastIndexOf("/") + 1, -".md".length);
    const { parseAgentFile } = await import("./parse-agent-file.ts");
    return { name, scope, text, ...(await parseAgentFile(text, file)) };
  } catch (error) {
    return { name, scope, text: "", problem: `can't be read: ${errorMessage(error)}` };
  }
}
