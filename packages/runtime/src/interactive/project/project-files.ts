import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { isWithin } from "../../ports/path.ts";
import type { ProjectProblem } from "./project-info.ts";

/** Bytes of a manifest; the ones that people write are a hundredth of it. */
const MAX_BYTES = 1_000_000;
/** Files to read altogether, over all directories. */
const MAX_READS = 40;
/** Names of a directory that are looked at. */
const MAX_NAMES = 20_000;

/** The bounds of one detection, shared by its directories. */
export interface ReadBounds {
  /** Links out of this directory are not followed. */
  root: string;
  /** Aborts when time is up. */
  signal: AbortSignal;
  reads: number;
  problems: ProjectProblem[];
}

/** The files directly in a directory, read within bounds. */
export interface ProjectFiles {
  readonly directory: string;
  has: (name: string) => boolean;
  /** The first name that fits. */
  find: (pattern: RegExp) => string | undefined;
  /** The file's text; empty when there is none or it can't be used, which is reported. */
  text: (name: string) => Promise<string>;
  /** The own fields of a JSON object; empty when there is none or it can't be used, which is reported. */
  json: (name: string) => Promise<ReadonlyMap<string, unknown>>;
}

/** Bounds with nothing read yet. */
export function readBounds(root: string, signal: AbortSignal): ReadBounds {
  return { root, signal, reads: 0, problems: [] };
}

/** The files of a directory; none where it can't be listed. */
export async function projectFiles(
  fs: FileSystem,
  directory: string,
  bounds: ReadBounds,
): Promise<ProjectFiles> {
  const names = await namesIn(fs, directory, bounds);
  const known = new Set(names);
  const texts = new Map<string, Promise<string>>();
  const objects = new Map<string, Promise<ReadonlyMap<string, unknown>>>();
  const pathOf = (name: string): string =>
    directory === "/" ? `/${name}` : `${directory}/${name}`;
  const text = (name: string): Promise<string> => {
    if (!known.has(name)) return Promise.resolve("");
    const reading = texts.get(name) ?? readBounded(fs, pathOf(name), bounds);
    texts.set(name, reading);
    return reading;
  };
  return {
    directory,
    has: (name) => known.has(name),
    find: (pattern) => names.find((name) => pattern.test(name)),
    text,
    json: (name) => {
      const reading =
        objects.get(name) ??
        text(name).then((content) => fieldsOf(parsed(content, pathOf(name), bounds)));
      objects.set(name, reading);
      return reading;
    },
  };
}

/** The own fields of an object, whatever their names; none for any other value. */
export function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return new Map(isRecord ? Object.entries(value) : []);
}

async function namesIn(
  fs: FileSystem,
  directory: string,
  { signal }: ReadBounds,
): Promise<readonly string[]> {
  try {
    signal.throwIfAborted();
    const entries = await fs.readdir(directory);
    return entries.slice(0, MAX_NAMES).map(({ name }) => name);
  } catch (error) {
    if (error instanceof FileSystemError) return [];
    throw error;
  }
}

async function readBounded(fs: FileSystem, path: string, bounds: ReadBounds): Promise<string> {
  const refuse = (message: string): string => {
    bounds.problems.push({ file: path, message });
    return "";
  };
  bounds.signal.throwIfAborted();
  if (bounds.reads >= MAX_READS) return "";
  bounds.reads += 1;
  try {
    const real = await fs.realpath(path);
    if (!isWithin(await fs.realpath(bounds.root), real)) return refuse("leads out of the project");
    const { type, size } = await fs.stat(real);
    if (type !== "file") return "";
    if (size > MAX_BYTES) return refuse("is too large");
    const bytes = await fs.readFile(real, { noFollow: true });
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof FileSystemError) return refuse("can't be read");
    throw error;
  }
}

function parsed(text: string, path: string, { problems }: ReadBounds): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    if (path.endsWith(".json")) problems.push({ file: path, message: "is not valid JSON" });
    return undefined;
  }
}
