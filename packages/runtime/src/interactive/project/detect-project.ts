import { defined } from "../../defined.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, resolvePath } from "../../ports/path.ts";
import { isThere } from "../settings/read-file-within.ts";
import type { Ecosystem } from "./ecosystem.ts";
import { ECOSYSTEMS } from "./ecosystems.ts";
import { type ProjectFiles, projectFiles, readBounds } from "./project-files.ts";
import type { ProjectInfo } from "./project-info.ts";

/** Milliseconds; a detection takes a few. */
const MAX_TIME = 5_000;
/** Paths deeper than this are made to be long. */
const MAX_DIRECTORIES = 64;

export interface DetectProjectOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Detects the project in `cwd`, or in the nearest directory above with a manifest, up to the root of the repository.
 * Reads a few files, each of at most 1 MB, and runs nothing. A manifest that can't be used is reported under `problems`,
 * and so is a detection that was given up after five seconds.
 * @param cwd absolute
 * @throws {DOMException} the abort reason of `signal`, and nothing else
 */
export async function detectProject(
  fs: FileSystem,
  cwd: string,
  { signal }: DetectProjectOptions = {},
): Promise<ProjectInfo> {
  const timeout = AbortSignal.timeout(MAX_TIME);
  const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const directory = resolvePath("/", cwd);
  try {
    return await Promise.race([detect(fs, directory, until), rejection(until)]);
  } catch (error) {
    signal?.throwIfAborted();
    if (!timeout.aborted) throw error;
    return { ...nothing(directory), problems: [{ file: directory, message: "takes too long" }] };
  }
}

async function detect(fs: FileSystem, cwd: string, signal: AbortSignal): Promise<ProjectInfo> {
  const paths = await projectPaths(fs, cwd);
  const bounds = readBounds(paths.at(-1) ?? cwd, signal);
  const directories = await Promise.all(paths.map((path) => projectFiles(fs, path, bounds)));
  const at = directories.findIndex(hasManifest);
  const files = directories[at];
  if (!files) return nothing(cwd);
  const outer = directories.slice(at + 1);
  const [main, ...others] = await describeAll(files, outer);
  if (!main) return { ...nothing(cwd), problems: bounds.problems };
  const outermost = outer.findLast(hasManifest);
  const [root] = outermost ? await describeAll(outermost, []) : [];
  return {
    directory: files.directory,
    ...main,
    also: others.map(({ type, language, packageManager }) =>
      defined({ type, language, packageManager }),
    ),
    ...defined({
      monorepo:
        outermost && root
          ? defined({
              directory: outermost.directory,
              type: root.type,
              packageManager: root.packageManager,
            })
          : undefined,
    }),
    problems: bounds.problems,
  };
}

type Described = Omit<ProjectInfo, "directory" | "also" | "monorepo" | "problems">;

/** The projects of a directory, in the order of the ecosystems. */
async function describeAll(
  files: ProjectFiles,
  outer: readonly ProjectFiles[],
): Promise<Described[]> {
  const all: Described[] = [];
  for (const ecosystem of ECOSYSTEMS) {
    const manifest = manifestIn(files, ecosystem);
    if (manifest === undefined || (ecosystem.isFallback && all.length > 0)) continue;
    const kind = await ecosystem.load();
    const facts = await kind.describe(files, outer);
    if (facts) all.push({ type: ecosystem.type, manifest, ...facts });
  }
  return all;
}

function hasManifest(files: ProjectFiles): boolean {
  return ECOSYSTEMS.some((ecosystem) => manifestIn(files, ecosystem) !== undefined);
}

function manifestIn(files: ProjectFiles, { manifests }: Ecosystem): string | undefined {
  for (const pattern of manifests) {
    const name = files.find(pattern);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The working directory and those above, up to the root of the repository; alone where there is none. */
async function projectPaths(fs: FileSystem, cwd: string): Promise<string[]> {
  const paths: string[] = [];
  for (let at = cwd; paths.length < MAX_DIRECTORIES; at = dirname(at)) {
    paths.push(at);
    if (await isThere(fs, resolvePath(at, ".git"))) return paths;
    if (at === "/") break;
  }
  return [cwd];
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function nothing(directory: string): ProjectInfo {
  return {
    directory,
    type: "unknown",
    language: "unknown",
    commands: {},
    frameworks: [],
    also: [],
    problems: [],
  };
}
