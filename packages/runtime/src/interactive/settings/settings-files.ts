import { ConfigurationError, errorMessage } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { basename } from "../../ports/path.ts";
import { SERVER_FILE } from "../mcp/server-file.ts";
import { pathsOfProject, pathsOfUser } from "./paths.ts";
import { readProjectFile } from "./read-file-within.ts";
import type { SettingsPlaces } from "./places.ts";
import type { SettingsScope } from "./settings.ts";

/** Bytes, far more than a person writes. */
const MAX_FILE = 4_000_000;

/** An existing settings file and its content. */
export interface SettingsFile {
  /** Its path as people write it. */
  name: string;
  scope: Exclude<SettingsScope, "invocation">;
  /** True for another program's file, which may contain unrelated settings. */
  isForeign: boolean;
  bytes: Uint8Array;
}

/**
 * The settings files of a workspace and its person, in order of precedence.
 * @throws {ConfigurationError} for an existing but unreadable file, so that no setting is lost unnoticed
 */
export async function readSettingsFiles(
  fs: FileSystem,
  { cwd, home, isOwn }: SettingsPlaces,
): Promise<SettingsFile[]> {
  const project = pathsOfProject(cwd);
  const claude = (directory: string): string => `${trimmed(directory)}/.claude/settings.json`;
  const atHome = (path: string, name: string) => ({
    path,
    name,
    scope: isOwn(path) ? ("user" as const) : ("project" as const),
    isAtHome: true,
  });
  const files = [
    { path: project.settingsLocal, name: ".robota/settings.local.json", scope: "project" as const },
    { path: project.settings, name: ".robota/settings.json", scope: "project" as const },
    { path: claude(cwd), name: ".claude/settings.json", scope: "project" as const },
    { path: `${trimmed(cwd)}/${SERVER_FILE}`, name: SERVER_FILE, scope: "project" as const },
    atHome(pathsOfUser(home).settings, "~/.robota/settings.json"),
    atHome(claude(home), "~/.claude/settings.json"),
  ];
  // A workspace that is the home itself is read once.
  const homeFiles = new Set(files.filter((file) => "isAtHome" in file).map(({ path }) => path));
  const found = await Promise.all(
    files
      .filter((file) => "isAtHome" in file || !homeFiles.has(file.path))
      .map(async ({ path, name, scope }) => {
        const bytes = await bytesAt(fs, path, name, {
          // A person's own links may lead anywhere.
          cwd: scope === "user" ? "/" : name.startsWith("~") ? home : cwd,
          home,
        });
        return bytes
          ? [{ name, scope, isForeign: name === SERVER_FILE || name.includes(".claude/"), bytes }]
          : [];
      }),
  );
  return found.flat();
}

async function bytesAt(
  fs: FileSystem,
  path: string,
  name: string,
  within: { cwd: string; home: string },
): Promise<Uint8Array | undefined> {
  const read = await readProjectFile(fs, path, within, MAX_FILE);
  if (!read) return undefined;
  if (!("problem" in read)) return read.bytes;
  const { problem, cause } = read;
  throw unreadable(name, cause === undefined ? `it ${problem}` : errorMessage(cause), cause);
}
export function unreadable(name: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`${name} can't be read: ${why}`, {
    hint: `Correct or remove ${basename(name)}. Sessions do not start without knowing its rules.`,
    cause,
  });
}

function trimmed(directory: string): string {
  return directory === "/" ? "" : directory.replace(/\/+$/, "");
}
