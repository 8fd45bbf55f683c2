import { normalizePath } from "../ports/path.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { FileSystem } from "../ports/file-system.ts";
import type { PermissionContext } from "./call.ts";
import { explainPermission, type PermissionExplanation } from "./evaluate.ts";
import type { PermissionLists, PermissionMode } from "./permission.ts";
import { resolvePaths } from "./real-paths.ts";

/** Looking at some paths can bring up others; so many times at most. */
const MAX_ROUNDS = 8;

/** The decision on a call whose paths were looked up, and where they led. */
export interface ExplainedOnFiles extends PermissionExplanation {
  /** Absolute, with links followed, sorted. */
  paths: string[];
}

/**
 * As `explainPermission`, with every path followed to where it really leads. A rule that allows must hold for the path
 * and for where it leads; one that forbids, for either.
 */
export async function explainOnFiles(
  fs: Pick<FileSystem, "realpath" | "lstat" | "readlink">,
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists,
  context: PermissionContext,
): Promise<ExplainedOnFiles> {
  const known = new Map<string, readonly string[] | undefined>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const wanted = new Set<string>();
    const explained = explainPermission(tool, args, mode, lists, {
      ...context,
      realPaths: (path) => {
        if (known.has(path)) return known.get(path);
        wanted.add(path);
        return [normalizePath(path)];
      },
    });
    const paths = [...new Set([...known.values()].flatMap((forms) => forms ?? []))].toSorted();
    if (wanted.size === 0) return { ...explained, paths };
    for (const [path, forms] of await resolvePaths(fs, wanted)) known.set(path, forms);
  }
  return {
    decision: "approve",
    step: "protected",
    reason: "Its paths could not all be followed.",
    paths: [],
  };
}
