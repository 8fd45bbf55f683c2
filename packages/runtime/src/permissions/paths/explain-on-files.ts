import { defined } from "../../defined.ts";
import { normalizePath } from "../../ports/path.ts";
import type { ToolArgs } from "../../messages/message.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { PermissionContext } from "../call.ts";
import { explain, type PermissionExplanation } from "../evaluate.ts";
import type { RepositoryFiles } from "../read-only/git/repository-programs.ts";
import type { PermissionLists, PermissionMode } from "../permission.ts";
import { resolvePaths } from "./real-paths.ts";

/** Maximum number of rounds: resolving some paths can bring up others. */
const MAX_ROUNDS = 8;

/** The decision on a call whose paths were resolved, and their targets. */
export interface ExplainedOnFiles extends PermissionExplanation {
  /** Absolute, with links followed, sorted. */
  paths: string[];
}

/**
 * As `explain`, with every path resolved to its real targets. An allow rule must hold for the path and for its target;
 * a deny rule, for either. With `context.startsPrograms`, the repository that Git would work in is examined too, if
 * `fs` can read.
 */
export async function explainOnFiles(
  fs: Pick<FileSystem, "realpath" | "lstat" | "readlink"> &
    Partial<Pick<FileSystem, "stat" | "readFile">>,
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists,
  context: PermissionContext,
): Promise<ExplainedOnFiles> {
  const known = new Map<string, readonly string[] | undefined>();
  const repositories = new Map<string, string | undefined>();
  const files = readsFiles(fs) ? fs : undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const wanted = new Set<string>();
    const wantedRepositories = new Set<string>();
    const explained = explain(tool, args, mode, lists, {
      ...context,
      realPaths: (path) => {
        if (known.has(path)) return known.get(path);
        wanted.add(path);
        return [normalizePath(path)];
      },
      ...defined({
        repositoryRuns:
          files &&
          ((directory: string) => {
            if (!repositories.has(directory)) wantedRepositories.add(directory);
            return repositories.get(directory);
          }),
      }),
    });
    const paths = [...new Set([...known.values()].flatMap((forms) => forms ?? []))].toSorted();
    if (wanted.size === 0 && wantedRepositories.size === 0) return { ...explained, paths };
    if (files) {
      for (const directory of wantedRepositories)
        repositories.set(directory, await startedIn(files, directory));
    }
    for (const [path, forms] of await resolvePaths(fs, wanted)) known.set(path, forms);
  }
  return {
    decision: "approve",
    step: "protected",
    reason: "Not all of its paths could be resolved.",
    paths: [],
  };
}

function readsFiles(fs: object): fs is RepositoryFiles {
  return "stat" in fs && "readFile" in fs;
}

/** Loads only where a shell starts programs and Git is called. */
async function startedIn(fs: RepositoryFiles, directory: string): Promise<string | undefined> {
  const { programsReason, repositoryPrograms } =
    await import("../read-only/git/repository-programs.ts");
  return programsReason(await repositoryPrograms(fs, directory));
}
