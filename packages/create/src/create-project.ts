import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";

/** The templates, with what each is. */
export const TEMPLATES = {
  node: "a conversation at the terminal",
  browser: "a page, with files in IndexedDB and a shell (Vite)",
  react: "a chat with approvals (React, Vite)",
  worker: "an HTTP API with a Durable Object for each session (Cloudflare Workers)",
} as const;

export type Template = keyof typeof TEMPLATES;

/** Wrong arguments; the message says what to do instead. */
export class CreateUsageError extends Error {
  override readonly name = "CreateUsageError" as const;
}

export interface CreatedProject {
  /** Number of files. */
  files: number;
  /** Command lines that start it. */
  next: string[];
}

/** The package's folder, above `src` and `dist`. */
const home = join(import.meta.dirname, "..");

export function isTemplate(name: string): name is Template {
  return Object.hasOwn(TEMPLATES, name);
}

/**
 * Copies a template into a folder, which is created when it is missing.
 * @throws {CreateUsageError} when the folder has anything in it; nothing is written then
 */
export async function createProject(folder: string, template: Template): Promise<CreatedProject> {
  const target = resolve(folder);
  await requireEmpty(target, folder);
  await mkdir(target, { recursive: true });
  await cp(join(home, "templates", template), target, { recursive: true, errorOnExist: true });
  // npm never packs a file of this name.
  await rename(join(target, "_gitignore"), join(target, ".gitignore"));
  await nameProject(target);
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const place = relative(process.cwd(), target);
  return {
    files: entries.filter((entry) => entry.isFile()).length,
    next: [...(place === "" ? [] : [`cd ${quoted(place)}`]), "npm install", "npm start"],
  };
}

/** A path as a word of a command line. */
function quoted(path: string): string {
  if (/^[\w./:@+,=-]+$/.test(path)) return path;
  // In a shell other than that of Windows some characters mean something in double quotes, too.
  return process.platform === "win32" || !/["$`\\!]/.test(path)
    ? `"${path}"`
    : `'${path.replaceAll("'", "'\\''")}'`;
}

async function requireEmpty(target: string, folder: string): Promise<void> {
  const present = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new CreateUsageError(`${folder} is no folder. Give another name.`, { cause: error });
  });
  if (present.length === 0) return;
  throw new CreateUsageError(
    `${folder} is not empty (${present.slice(0, 3).join(", ")}). Give the name of a new folder.`,
  );
}

/** Gives the manifest the folder's name, and the packages the version of this one. */
async function nameProject(target: string): Promise<void> {
  const path = join(target, "package.json");
  const { version }: { version: string } = await readJson(join(home, "package.json"));
  const manifest: { dependencies: Record<string, string> } = await readJson(path);
  for (const name of Object.keys(manifest.dependencies))
    if (name.startsWith("@robota/")) manifest.dependencies[name] = `^${version}`;
  const named = { name: packageName(basename(target)), ...manifest };
  await writeFile(path, `${JSON.stringify(named, undefined, 2)}\n`);
}

/** A name that npm accepts, from any folder's. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name === "" ? "agent" : name;
}

async function readJson<Value>(path: string): Promise<Value> {
  return JSON.parse(await readFile(path, "utf8")) as Value;
}
