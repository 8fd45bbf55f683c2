import { FileSystemError, StorageError } from "../errors.ts";
import { commandFiles } from "./command-files.ts";
import type { FileSystem } from "./file-system.ts";
import { dirname, isWithin, relativePath, resolvePath } from "./path.ts";
import type { Platform } from "./platform.ts";

/**
 * The parts of a home that act for its person: single files, a directory of files, one of skills' folders, and those of
 * commands.
 */
const FILES = [
  ".robota/settings.json",
  ".robota/AGENTS.md",
  ".claude/settings.json",
  ".claude/CLAUDE.md",
  "AGENTS.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
];
const DIRECTORY = ".robota/agents";
const SKILLS = ".robota/skills";
const COMMANDS = [".robota/commands", ".claude/commands"];
const KEY = "brought-files";
const MAX_TRIES = 100;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A host that may have a person whose files act without being trusted; without a home, it has none. */
export type PersonalHost = Pick<Platform, "fs" | "storage"> &
  Partial<Pick<Platform, "home" | "userSettings">>;

/** The files at a home that act for its person: content by path. */
export type PersonalFiles = ReadonlyMap<string, Uint8Array>;

/**
 * Paths at the home whose content did not come from its person: an import, an archive or a turn of a session brought
 * it. It waits for trust until the file is removed; a file created anew belongs to its creator. Contains every path
 * below a directory that it contains.
 */
export async function broughtFiles(
  host: PersonalHost,
): Promise<{ has: (path: string) => boolean }> {
  const { paths } = await readMarks(host);
  if (paths.length === 0) return { has: () => false };
  const there = await Promise.all(paths.map((path) => isThere(host.fs, path)));
  const gone = paths.filter((_, index) => !there[index]);
  if (gone.length > 0) await changeMarks(host, { remove: gone });
  const left = paths.filter((path) => !gone.includes(path));
  return { has: (path) => left.some((mark) => isWithin(mark, path)) };
}

/**
 * The person's files as they are now, and files that they import (`imported`); none on a host whose person has no files.
 */
export async function personalFiles(
  host: PersonalHost,
  imported: readonly string[] = [],
): Promise<PersonalFiles> {
  const { fs, home, userSettings } = host;
  const found = new Map<string, Uint8Array>();
  if (userSettings !== "home" || home === undefined) return found;
  const directory = resolvePath(home, DIRECTORY);
  const names = (await unlessMissing(fs.readdir(directory))) ?? [];
  const skills = resolvePath(home, SKILLS);
  const folders = (await unlessMissing(fs.readdir(skills))) ?? [];
  const commands = COMMANDS.map(async (name) => {
    const path = resolvePath(home, name);
    const files = (await unlessMissing(commandFiles(fs, path))) ?? [];
    return files.map((file) => resolvePath(path, file));
  });
  const paths = [
    ...FILES.map((name) => resolvePath(home, name)),
    ...(await Promise.all(commands)).flat(),
    ...names.map(({ name }) => resolvePath(directory, name)),
    ...folders.map(({ name }) => resolvePath(skills, `${name}/SKILL.md`)),
    ...imported,
  ];
  const read = await Promise.all(paths.map((path) => unlessMissing(fs.readFile(path))));
  for (const [index, path] of paths.entries()) {
    const bytes = read[index];
    if (bytes) found.set(path, bytes);
  }
  return found;
}

/** Marks everything that has appeared or changed since `before` as not the person's. */
export async function markBrought(
  host: PersonalHost,
  before: PersonalFiles,
  imported: readonly string[] = [],
): Promise<void> {
  const now = await personalFiles(host, imported);
  const add = [...now].flatMap(([path, bytes]) => (isEqual(bytes, before.get(path)) ? [] : [path]));
  if (add.length > 0) await changeMarks(host, { add });
}

/**
 * Runs `bring`, which puts foreign files into `into`, and marks the person's files that it changed. If interrupted,
 * everything it could have changed counts as changed.
 */
export async function bringing<Result>(
  host: PersonalHost,
  into: string,
  bring: () => Promise<Result>,
): Promise<Result> {
  const { home, userSettings } = host;
  if (userSettings !== "home" || home === undefined) return bring();
  const before = await personalFiles(host);
  const add = await reachable(host.fs, home, into);
  const { paths } = await readMarks(host);
  const remove = add.filter((path) => !paths.includes(path));
  if (add.length > 0) await changeMarks(host, { add });
  try {
    return await bring();
  } finally {
    await markBrought(host, before);
    const after = await personalFiles(host);
    const changed = new Set(
      [...after].flatMap(([path, bytes]) => (isEqual(bytes, before.get(path)) ? [] : [path])),
    );
    const unchanged = remove.filter((path) => !changed.has(path));
    if (unchanged.length > 0) await changeMarks(host, { remove: unchanged });
  }
}

/** Places at the home that are below a directory, by where both really are. */
async function reachable(fs: FileSystem, home: string, into: string): Promise<string[]> {
  const root = await realPlace(fs, into);
  const places = [...FILES, DIRECTORY, SKILLS, ...COMMANDS].map((name) => resolvePath(home, name));
  const real = await Promise.all(places.map((place) => realPlace(fs, place)));
  return places.filter((_, index) => isWithin(root, real[index] ?? "/"));
}

/** The canonical form of a path that may not exist yet. */
async function realPlace(fs: FileSystem, path: string): Promise<string> {
  for (let at = resolvePath("/", path); ; at = dirname(at)) {
    const real = await unlessMissing(fs.realpath(at));
    if (real !== undefined) return resolvePath(real, relativePath(at, path));
    if (at === "/") return path;
  }
}

interface Marks {
  paths: readonly string[];
  version: string | null;
}

async function readMarks({ storage }: PersonalHost): Promise<Marks> {
  const version = (await storage.version(KEY)) ?? null;
  if (version === null) return { paths: [], version };
  return { paths: pathsIn(await storage.get(KEY)), version };
}

/** Unreadable marks could be about anything. */
function pathsIn(bytes: Uint8Array | undefined): readonly string[] {
  if (!bytes) return [];
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    const isMarks = typeof value === "object" && value !== null && "paths" in value;
    if (isMarks && Array.isArray(value.paths)) return value.paths.map(String);
  } catch {
    // A value that is not a list counts as unreadable.
  }
  return ["/"];
}

/** Other sessions may write at the same time. */
async function changeMarks(
  host: PersonalHost,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { paths, version } = await readMarks(host);
    const next = [...new Set([...paths.filter((path) => !remove.includes(path)), ...add])];
    const bytes = encoder.encode(JSON.stringify({ v: 1, paths: next }));
    try {
      await host.storage.set(KEY, bytes, { ifMatch: version });
      return;
    } catch (error) {
      const isOvertaken = error instanceof StorageError && error.code === "CONFLICT";
      if (!isOvertaken || tries === MAX_TRIES) throw error;
    }
  }
}

async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  return (await unlessMissing(fs.lstat(path))) !== undefined;
}

/** An unreadable file has no effect. */
async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}

function isEqual(bytes: Uint8Array, other: Uint8Array | undefined): boolean {
  return other?.length === bytes.length && bytes.every((byte, at) => byte === other[at]);
}
