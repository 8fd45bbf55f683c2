import { ConfigurationError, errorMessage, FileSystemError } from "../../errors.ts";
import { findJsonProblem } from "../../messages/strict-json.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { basename } from "../../ports/path.ts";
import { projectPaths, userPaths } from "./paths.ts";
import { isObject, type SettingsObject } from "./setting-fields.ts";
import type { SettingsScope } from "./settings.ts";

const LARGEST_FILE = 1_000_000;
/** Names that reach what every object shares. */
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** What one place says. */
export interface SettingsLayer {
  /** `invocation`, or the file's path as people write it. */
  name: string;
  scope: SettingsScope;
  /** Whether it is another program's file, which holds more than is meant for this one. */
  isForeign: boolean;
  values: SettingsObject;
}

/**
 * The layers that there are, the one that counts most first.
 * @throws {ConfigurationError} for a file that is there and can't be read, so that no setting is lost unnoticed
 */
export async function readLayers(
  fs: FileSystem,
  { cwd, home, settings }: { cwd: string; home: string; settings?: object | undefined },
): Promise<SettingsLayer[]> {
  const project = projectPaths(cwd);
  const files = [
    { path: project.settingsLocal, name: ".robota/settings.local.json", scope: "project" as const },
    { path: project.settings, name: ".robota/settings.json", scope: "project" as const },
    {
      path: `${trimmed(cwd)}/.claude/settings.json`,
      name: ".claude/settings.json",
      scope: "project" as const,
    },
    { path: userPaths(home).settings, name: "~/.robota/settings.json", scope: "user" as const },
    {
      path: `${trimmed(home)}/.claude/settings.json`,
      name: "~/.claude/settings.json",
      scope: "user" as const,
    },
  ];
  // In a person's own directory, the project's files are the person's.
  const userFiles = new Set(files.filter(({ scope }) => scope === "user").map(({ path }) => path));
  const found = await Promise.all(
    files
      .filter(({ path, scope }) => scope === "user" || !userFiles.has(path))
      .map(async ({ path, name, scope }) => {
        const values = await readSettingsFile(fs, path, name);
        const isForeign = name.includes(".claude/");
        return values ? [{ name, scope, isForeign, values }] : [];
      }),
  );
  const own = settings
    ? [
        {
          name: "invocation",
          scope: "invocation" as const,
          isForeign: false,
          values: ownCopy(settings, "invocation"),
        },
      ]
    : [];
  return [...own, ...found.flat()];
}

async function readSettingsFile(
  fs: FileSystem,
  path: string,
  name: string,
): Promise<SettingsObject | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(path);
  } catch (cause) {
    const isMissing = cause instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(cause.code);
    if (isMissing) return undefined;
    throw broken(name, errorMessage(cause), cause);
  }
  if (bytes.length > LARGEST_FILE) throw broken(name, "it is larger than a megabyte");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw broken(name, "it is no UTF-8 text", cause);
  }
  const problem = findJsonProblem(text);
  if (problem) {
    const line = text.slice(0, problem.offset).split("\n").length;
    throw broken(name, `line ${line}: ${problem.problem}`);
  }
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw broken(name, "it is no object");
  return ownCopy(value, name);
}

function broken(name: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`${name} can't be read: ${why}`, {
    hint: `Correct or remove ${basename(name)}. Nothing is done without knowing what it allows and forbids.`,
    cause,
  });
}

/** A copy that nobody changes later and that shares nothing with other objects. Functions stay: hooks can be some. */
function ownCopy(value: object, layer: string): SettingsObject {
  const copy = (inner: unknown, depth: number): unknown => {
    if (depth > 64) throw broken(layer, "it has more than 64 levels");
    if (Array.isArray(inner)) return inner.map((item: unknown) => copy(item, depth + 1));
    if (typeof inner !== "object" || inner === null) return inner;
    return copyObject(inner, depth + 1);
  };
  const copyObject = (object: object, depth: number): SettingsObject => {
    const entries = Object.entries(object).filter(([, inner]) => inner !== undefined);
    const reserved = entries.find(([key]) => RESERVED.has(key));
    if (reserved) throw broken(layer, `${reserved[0]} is no name for a setting`);
    return Object.fromEntries(entries.map(([key, inner]) => [key, copy(inner, depth)]));
  };
  return copyObject(value, 0);
}

function trimmed(directory: string): string {
  return directory === "/" ? "" : directory.replace(/\/+$/, "");
}
