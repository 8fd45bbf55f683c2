import type { ReadTargets } from "./read-only/read-only-commands.ts";
import { normalizePath, resolvePath } from "../ports/path.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { PatternKind, ToolAccess } from "../tools/tool.ts";
import { declared } from "./rules/tool-facts.ts";
import { rawPath } from "./paths/real-paths.ts";
import { directoryChanges } from "./command-lines/shell-files.ts";
import { possibleCommands, type PossibleCommands } from "./command-lines/shell-reader.ts";
import { type PlainCommand, plainCommands } from "./command-lines/shell-words.ts";

export interface PermissionContext {
  /** Base of relative paths; `/` by default. */
  cwd?: string | undefined;
  /** Working directory of a shell line, if it differs from `cwd`. */
  directory?: string | undefined;
  /** The tool's declared access; the built-in tool's of its name when omitted. */
  access?: ToolAccess | undefined;
  /** The argument that rules for the tool are matched against, as its `Tool.patternArgument` says. */
  patternArgument?: string | undefined;
  /** The kind of that argument, as in `Tool.patternKind`. */
  patternKind?: PatternKind | undefined;
  /**
   * The directories of the workspace, absolute. With them, protected names, outside files and secret files need
   * approval, whatever the lists and the mode say; without them, only lists and mode count.
   */
  roots?: readonly string[] | undefined;
  /**
   * Directories of the workspace that are reached through links: as they are named, and where they really are. Rules count
   * for both.
   */
  aliases?: readonly (readonly [named: string, real: string])[] | undefined;
  /** Further directories readable without approval, such as that of kept outputs. */
  readableRoots?: readonly string[] | undefined;
  /** The home directory that `~` stands for. */
  home?: string | undefined;
  /**
   * With `roots`: commands it proves read-only run on the workspace without approval, in `default` and `acceptEdits`.
   * Given as `isReadOnly`, whose tables load when a session first needs them.
   */
  isReadOnly?:
    | ((words: readonly string[], hasGlob: boolean) => ReadTargets | undefined)
    | undefined;
  /**
   * True when the shell starts native programs. Git then needs approval in a repository whose settings may start some.
   */
  startsPrograms?: boolean | undefined;
  /**
   * With `startsPrograms`: the programs Git may start because of the settings of a directory's repository, as a
   * sentence; `undefined` when there are none. Without it nothing is known, so Git needs approval everywhere.
   */
  repositoryRuns?(directory: string): string | undefined;
  /** With `roots`: the conversation contains network content, so calls that reach out again need approval. */
  untrusted?: boolean | undefined;
  /** All absolute paths that a path leads to, as from `resolvePaths`; `undefined` when unknown. */
  realPaths?(path: string): readonly string[] | undefined;
}

/** A call in the form that rules match. */
export interface PermissionCall {
  tool: string;
  /** Base of its relative paths. */
  cwd: string;
  context: PermissionContext;
  args: ToolArgs;
  /** The tool's access, and the kind of its argument. */
  access?: ToolAccess | undefined;
  patternKind?: PatternKind | undefined;
  /** The name of the argument that patterns are matched against; absent when the tool has none. */
  patternArgument?: string | undefined;
  /** The argument as text. */
  value?: string | undefined;
  /** The commands that a shell line may run, parsed once for all rules. */
  possible(): PossibleCommands;
  /** The commands of a shell line, if every part of it is understood. */
  plain(): PlainCommand[] | undefined;
  /** The directories that a shell line may work in. `undefined`: any. */
  directories(): readonly string[] | undefined;
}

export function describeCall(
  tool: string,
  args: ToolArgs,
  context: PermissionContext = {},
): PermissionCall {
  const facts = declared({ ...context, name: tool });
  const { patternArgument } = facts;
  const value =
    patternArgument !== undefined && Object.hasOwn(args, patternArgument)
      ? args[patternArgument]
      : undefined;
  const isText = ["string", "number", "boolean"].includes(typeof value);
  const line = isText ? String(value) : "";
  const cwd = context.directory ?? context.cwd ?? "/";
  const possible = once(() => possibleCommands(line));
  return {
    tool,
    cwd,
    context,
    args,
    ...facts,
    value: isText ? line : undefined,
    possible,
    plain: once(() => plainCommands(line)),
    directories: once(() => directoriesOf(possible(), cwd, context.home)),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Maximum number of directories to track. */
const MAX_DIRECTORIES = 24;

function directoriesOf(
  { commands, isComplete }: PossibleCommands,
  cwd: string,
  home: string | undefined,
): readonly string[] | undefined {
  const { targets, isKnown } = directoryChanges(commands);
  if (!isComplete || !isKnown) return undefined;
  const found = new Set([cwd]);
  for (let round = 0; round < targets.length; round++) {
    for (const base of Array.from(found)) {
      for (const target of targets) {
        const path = withHome(target, home);
        if (path === undefined) return undefined;
        found.add(resolvePath(base, path));
        if (found.size > MAX_DIRECTORIES) return undefined;
      }
    }
  }
  return [...found];
}

function withHome(path: string, home: string | undefined): string | undefined {
  if (!path.startsWith("~")) return path;
  if (home === undefined || !/^~(?:\/|$)/.test(path)) return undefined;
  return `${home}${path.slice(1)}`;
}

/** Every absolute path that a tool's argument may lead to; `undefined` when unknown. */
export function formsOf(
  path: string,
  { cwd, context }: Pick<PermissionCall, "cwd" | "context">,
): readonly string[] | undefined {
  const raw = rawPath(cwd, path);
  return context.realPaths ? context.realPaths(raw) : [normalizePath(raw)];
}

/** The same for a word of a shell line, from each directory the line may work in. */
export function shellForms(word: string, call: PermissionCall): readonly string[] | undefined {
  const path = withHome(word, call.context.home);
  const directories = path?.startsWith("/") ? ["/"] : call.directories();
  if (path === undefined || !directories || /[$`]/.test(path)) return undefined;
  const forms: string[] = [];
  for (const cwd of directories) {
    const found = formsOf(path, { cwd, context: call.context });
    if (!found) return undefined;
    forms.push(...found);
  }
  return forms;
}
