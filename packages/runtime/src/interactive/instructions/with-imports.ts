import { isGitData, isSecretName } from "../../permissions/paths/file-names.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, isWithin, relativePath, resolvePath } from "../../ports/path.ts";
import { importsIn } from "./imports-in.ts";
import type { InstructionFile } from "./read-instructions.ts";
import { readText } from "./read-text.ts";

/** Files between an instruction file and the last one that it brings, as Claude Code documents it. */
const MAX_DEPTH = 5;
/** Imported files altogether. */
const MAX_IMPORTS = 50;
/** Characters of a path in a warning. */
const MAX_SHOWN = 120;

export interface ImportPlaces {
  cwd: string;
  home: string;
  /** The repository's root, or the working directory. */
  project: string;
  isOwn: (path: string) => boolean;
}

interface ImportState extends ImportPlaces {
  fs: FileSystem;
  /** Canonical paths of the files that are there already. */
  known: Set<string>;
  count: number;
}

/**
 * The files with the files that they import behind them (`@path`, relative to the importing file). A file comes once,
 * where it is imported first. An import that is refused follows as a problem of the file that wanted it.
 */
export async function withImports(
  fs: FileSystem,
  files: readonly InstructionFile[],
  places: ImportPlaces,
): Promise<InstructionFile[]> {
  const state: ImportState = { ...places, fs, known: new Set(), count: 0 };
  const reals = await Promise.all(
    files.map(async (file) => {
      const real = file.problem === undefined ? await realPath(fs, file.path) : file.path;
      state.known.add(real);
      return real;
    }),
  );
  const all: InstructionFile[] = [];
  for (const [index, file] of files.entries())
    all.push(file, ...(await importedBy(file, [reals[index] ?? file.path], state)));
  return all;
}

/** The imports of a file, depth first. `chain` has the canonical paths from the instruction file down to this one. */
async function importedBy(
  file: InstructionFile,
  chain: readonly string[],
  state: ImportState,
): Promise<InstructionFile[]> {
  const all: InstructionFile[] = [];
  for (const path of importsIn(file.text)) all.push(...(await importOne(file, path, chain, state)));
  return all;
}

async function importOne(
  file: InstructionFile,
  written: string,
  chain: readonly string[],
  state: ImportState,
): Promise<InstructionFile[]> {
  const { kind, name: importer, scope } = file;
  const refuse = (why: string): InstructionFile[] => [
    {
      ...file,
      text: "",
      problem: `does not import @${shown(written)}: ${why}`,
      importedBy: importer,
    },
  ];
  const target = targetOf(file, written, state);
  if ("problem" in target) return refuse(target.problem);
  const { path, root } = target;
  const read = await readText(state.fs, path, { root });
  if (!read) return isPath(written) ? refuse("there is no such file") : [];
  const { real = path, text, problem } = read;
  if (problem !== undefined) return refuse(`it ${problem}`);
  if (chain.includes(real)) return refuse("it imports itself");
  if (state.known.has(real)) return [];
  if (chain.length > MAX_DEPTH) return refuse(`imports go ${MAX_DEPTH} files deep at most`);
  if (state.count >= MAX_IMPORTS) return refuse(`${MAX_IMPORTS} files are imported already`);
  if ([path, real].some((one) => isSecretName(one) || isGitData(one)))
    return refuse("such files may contain secrets");
  state.known.add(real);
  state.count += 1;
  // A person's own file may import a project's, which then waits for trust as any other of it.
  const isPersonal = scope === "user" && state.isOwn(path) && !isOfProject(real, state);
  const imported: InstructionFile = {
    kind,
    path,
    name: nameOf(path, state),
    scope: isPersonal ? "user" : "project",
    text,
    importedBy: importer,
    root,
  };
  return [imported, ...(await importedBy(imported, [...chain, real], state))];
}

/** The path of an import, and the directory that it must not lead out of. */
function targetOf(
  file: InstructionFile,
  written: string,
  { home }: ImportPlaces,
): { path: string; root: string } | { problem: string } {
  const isOfHome = written === "~" || written.startsWith("~/");
  if (isOfHome && file.scope !== "user")
    return { problem: "only a person's own file may import from their home" };
  const root = file.scope === "user" ? home : (file.root ?? dirname(file.path));
  const path = isOfHome
    ? resolvePath(home, written.slice(2) || ".")
    : resolvePath(dirname(file.path), written);
  if (!isWithin(root, path))
    return { problem: `it leads out of ${file.scope === "user" ? "the home" : "the project"}` };
  return { path, root };
}

/** Everything at home is the person's where the home itself is the workspace. */
function isOfProject(real: string, { project, home }: ImportPlaces): boolean {
  return project !== home && !isWithin(project, home) && isWithin(project, real);
}

function nameOf(path: string, { cwd, home }: ImportPlaces): string {
  if (isWithin(cwd, path) || !isWithin(home, path)) return relativePath(cwd, path);
  return `~/${relativePath(home, path)}`;
}

/** True for a text that is certainly meant as a path; `@types/node` and `@someone` may be words. */
function isPath(written: string): boolean {
  return /^(?:\.{0,2}\/|~\/)|\.(?:md|mdx|markdown|txt)$/i.test(written);
}

function shown(written: string): string {
  const text = visibleText(written, { singleLine: true });
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

async function realPath(fs: FileSystem, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch {
    return path;
  }
}
