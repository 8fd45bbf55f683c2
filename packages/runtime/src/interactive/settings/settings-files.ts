import { ConfigurationError, errorMessage, FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { basename } from "../../ports/path.ts";
import { projectPaths, userPaths } from "./paths.ts";
import type { SettingsScope } from "./settings.ts";

/** A file of settings that is there, as it stands. */
export interface SettingsFile {
  /** Its path as people write it. */
  name: string;
  scope: Exclude<SettingsScope, "invocation">;
  /** Whether it is another program's file, which holds more than is meant for this one. */
  isForeign: boolean;
  bytes: Uint8Array;
}

/**
 * The files of a workspace and its person, the one that counts most first.
 * @throws {ConfigurationError} for a file that is there and can't be read, so that no setting is lost unnoticed
 */
export async function readSettingsFiles(
  fs: FileSystem,
  { cwd, home }: { cwd: string; home: string },
): Promise<SettingsFile[]> {
  const project = projectPaths(cwd);
  const claude = (directory: string): string => `${trimmed(directory)}/.claude/settings.json`;
  const files = [
    { path: project.settingsLocal, name: ".robota/settings.local.json", scope: "project" as const },
    { path: project.settings, name: ".robota/settings.json", scope: "project" as const },
    { path: claude(cwd), name: ".claude/settings.json", scope: "project" as const },
    { path: userPaths(home).settings, name: "~/.robota/settings.json", scope: "user" as const },
    { path: claude(home), name: "~/.claude/settings.json", scope: "user" as const },
  ];
  // In a person's own directory, the project's files are the person's.
  const userFiles = new Set(files.filter(({ scope }) => scope === "user").map(({ path }) => path));
  const found = await Promise.all(
    files
      .filter(({ path, scope }) => scope === "user" || !userFiles.has(path))
      .map(async ({ path, name, scope }) => {
        const bytes = await bytesAt(fs, path, name);
        return bytes ? [{ name, scope, isForeign: name.includes(".claude/"), bytes }] : [];
      }),
  );
  return found.flat();
}

async function bytesAt(
  fs: FileSystem,
  path: string,
  name: string,
): Promise<Uint8Array | undefined> {
  try {
    return await fs.readFile(path);
  } catch (cause) {
    const isMissing = cause instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(cause.code);
    if (isMissing) return undefined;
    throw unreadable(name, errorMessage(cause), cause);
  }
}

export function unreadable(name: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`${name} can't be read: ${why}`, {
    hint: `Correct or remove ${basename(name)}. Nothing is done without knowing what it allows and forbids.`,
    cause,
  });
}

function trimmed(directory: string): string {
  return directory === "/" ? "" : directory.replace(/\/+$/, "");
}
