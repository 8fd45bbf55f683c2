import { errorMessage, isWithin, relativePath } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { explain } from "../arguments.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";
import { expandBraces } from "./glob-braces.ts";
import {
  type IgnoreFile,
  type IgnoreRules,
  isIgnored,
  parseIgnoreFile,
  rulesAbove,
  withRulesOf,
} from "./ignore-file.ts";
import type { Request } from "./rg-options.ts";
import { typesOf } from "./rg-types.ts";

/** A file to search. */
export interface FoundFile {
  /** The name as it is printed. */
  readonly name: string;
  /** True for a file named by the words, which is searched whatever it is. */
  readonly isNamed: boolean;
}

interface Walk {
  readonly context: ShellCommandContext;
  readonly showsHidden: boolean;
  readonly obeysIgnores: boolean;
  readonly isFollowing: boolean;
  readonly deepest: number;
  /** Verdict of `-g` on a path: `true` selects it, `false` leaves it out. */
  readonly select: (path: string, isDirectory: boolean) => boolean | undefined;
  readonly isOfType: (name: string) => boolean;
  readonly onError: (message: string) => void;
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
  readonly parent: Ancestor | undefined;
}

/** The files below paths in the order of their names. Ignore files count with or without a repository. */
export async function* filesOf(
  request: Request,
  context: ShellCommandContext,
  onError: (message: string) => void,
): AsyncGenerator<FoundFile> {
  const { options, freedom } = request;
  const { fs, cwd, resolve } = context;
  const walk: Walk = {
    context,
    showsHidden: options.has(".") || freedom > 1,
    obeysIgnores: !options.has("no-ignore") && freedom === 0,
    isFollowing: options.has("L"),
    deepest: Number(options.get("d") ?? Number.POSITIVE_INFINITY),
    select: selection(request, cwd),
    isOfType: typeTest(request),
    onError,
  };
  for (const root of request.paths.length > 0 ? request.paths : [""]) {
    const path = resolve(root === "" ? "." : root);
    try {
      const { type } = await fs.stat(path);
      if (type !== "directory") {
        yield { name: root, isNamed: true };
        continue;
      }
      const rules = walk.obeysIgnores ? await rulesAbove(fs, path, cwd) : undefined;
      const place = { name: root, path, depth: 0, rules, parent: undefined };
      for await (const name of filesBelow(walk, place)) yield { name, isNamed: false };
    } catch (error) {
      onError(`${root}: ${explain(error)}`);
    }
  }
}

async function* filesBelow(walk: Walk, place: Place): AsyncGenerator<string> {
  const { context, isFollowing } = walk;
  const { fs, pace } = context;
  if (place.depth >= walk.deepest) return;
  let parent: Ancestor | undefined;
  if (isFollowing) {
    const { entered, loop } = await enterDirectory(fs, place, place.parent);
    if (loop) {
      walk.onError(`File system loop found: ${place.name} points to an ancestor ${loop.name}`);
      return;
    }
    parent = entered;
  }
  const rules = walk.obeysIgnores ? await withRulesOf(fs, place.path, place.rules) : undefined;
  const entries = (await fs.readdir(place.path)).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  );
  for (const entry of entries) {
    const turn = pace();
    if (turn) await turn;
    const path = `${place.path === "/" ? "" : place.path}/${entry.name}`;
    const start = place.name === "" || place.name.endsWith("/") ? place.name : `${place.name}/`;
    const name = start + entry.name;
    const type =
      entry.type === "symlink" && isFollowing
        ? (await fs.stat(path).catch(() => undefined))?.type
        : entry.type;
    if (type === "symlink" || type === undefined) continue;
    const isDirectory = type === "directory";
    if (!isWanted(walk, { path, isDirectory, rules, name: entry.name })) continue;
    if (!isDirectory) yield name;
    else {
      const below = { name, path, depth: place.depth + 1, rules, parent };
      try {
        yield* filesBelow(walk, below);
      } catch (error) {
        walk.onError(`${name}: ${errorMessage(error)}`);
      }
    }
  }
}

interface Candidate {
  readonly name: string;
  readonly path: string;
  readonly isDirectory: boolean;
  readonly rules: IgnoreRules | undefined;
}

function isWanted(walk: Walk, { name, path, isDirectory, rules }: Candidate): boolean {
  const verdict = walk.select(path, isDirectory);
  if (verdict === false) return false;
  if (verdict === undefined) {
    if (!walk.showsHidden && name.startsWith(".")) return false;
    if (isIgnored(rules, path, isDirectory)) return false;
  }
  return isDirectory || walk.isOfType(name);
}

/** The verdict of `-g` and `--iglob`: the last glob that matches decides, and one that selects leaves others out. */
function selection({ given, options }: Request, cwd: string): Walk["select"] {
  const globs = given.filter(([name]) => name === "g" || name === "iglob");
  if (globs.length === 0) return () => undefined;
  const folds = (name: string): boolean => name === "iglob" || options.has("glob-case-insensitive");
  const tests = globs.map(([name, glob]) => ({
    isCaseIgnored: folds(name),
    test: globTest(folds(name) ? glob.toLowerCase() : glob),
  }));
  const isNarrowing = globs.some(([, glob]) => !glob.startsWith("!"));
  return (path, isDirectory) => {
    const relative = isWithin(cwd, path) ? relativePath(cwd, path) : path.slice(1);
    for (const { isCaseIgnored, test } of tests.toReversed()) {
      const verdict = test(isCaseIgnored ? relative.toLowerCase() : relative, isDirectory);
      if (verdict !== undefined) return verdict;
    }
    return isNarrowing && !isDirectory ? false : undefined;
  };
}

/** A glob as a line of an ignore file, of which each alternative in braces is one. */
function globTest(glob: string): IgnoreFile {
  const sign = glob.startsWith("!") ? "!" : "";
  return parseIgnoreFile(
    expandBraces(glob.slice(sign.length))
      .map((line) => sign + line)
      .join("\n"),
  );
}

function typeTest({ given }: Request): Walk["isOfType"] {
  const testsOf = (option: string): ((name: string) => boolean) | undefined => {
    const globs = given.filter(([name]) => name === option).flatMap(([, type]) => typesOf(type));
    if (globs.length === 0) return undefined;
    const file = parseIgnoreFile(globs.join("\n"));
    return (name) => file(name, false) === true;
  };
  const [isOne, isOther] = [testsOf("t"), testsOf("T")];
  return (name) => (isOne?.(name) ?? true) && !(isOther?.(name) ?? false);
}
