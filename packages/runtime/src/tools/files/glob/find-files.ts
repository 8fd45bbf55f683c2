import { FileSystemError } from "../../../errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { resolvePath } from "../../../ports/path.ts";
import { ToolFailure } from "../../failure.ts";
import { counted } from "../../text-limit.ts";
import type { ToolContext, ToolResult } from "../../tool.ts";
import { compileGlob, splitGlob } from "./glob-pattern.ts";
import { LineBudget } from "../line-budget.ts";
import { createPacer } from "../pacer.ts";
import { searchRoot } from "../search-root.ts";
import { shownPath } from "../shown-path.ts";
import { walkFileGroups, type WalkedFile } from "../walk.ts";

/** The arguments of Glob. */
export type GlobArgs = {
  pattern: string;
  path?: string;
};

/** Runs the Glob tool: absolute paths of files with matching names, in order. */
export async function findFiles(
  { pattern, path }: GlobArgs,
  context: ToolContext,
): Promise<ToolResult> {
  const { fs } = context.platform;
  const { path: start, type } = await searchRoot(context, path);
  if (type === "file") {
    throw new ToolFailure("ENOTDIR", `${start} is a file, not a directory.`, {
      hint: "Name the directory to search in, and the file in the pattern.",
    });
  }
  const { base, rest } = splitGlob(pattern);
  const { matches, mayHold } = compileGlob(rest || "**");
  const root = resolvePath(start, base);
  const listed = new LineBudget();
  let total = 0;
  let shown = 0;
  let unreadable = 0;
  const walk = walkFileGroups(fs, root, {
    cwd: context.cwd,
    rules: context.rules,
    pace: createPacer(context.signal),
    enters: mayHold,
    onUnreadable: () => (unreadable += 1),
  });
  for await (const files of orNothing(walk)) {
    for (const file of files) {
      if (!matches(file.relative) || (file.isSymlink && !(await leadsToFile(fs, file)))) continue;
      total += 1;
      if (listed.add(shownPath(file.path))) shown += 1;
    }
  }
  const notes = [];
  if (total === 0) notes.push(`No file in ${start} matches ${pattern}.`);
  if (total > shown) {
    notes.push(`… and ${counted(total - shown, "more file")}; narrow the pattern to see them.`);
  }
  if (unreadable > 0) {
    notes.push(`(${counted(unreadable, "directory", "directories")} could not be read.)`);
  }
  const output = [listed.text, ...notes].filter((text) => text !== "").join("\n");
  return { success: true, output, data: { files: total } };
}

/** The pattern's own directory need not exist: then nothing matches. */
async function* orNothing(walk: AsyncGenerator<WalkedFile[]>): AsyncGenerator<WalkedFile[]> {
  try {
    yield* walk;
  } catch (error) {
    if (error instanceof FileSystemError && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return;
    }
    throw error;
  }
}

async function leadsToFile(fs: FileSystem, { path }: WalkedFile): Promise<boolean> {
  try {
    return (await fs.stat(path)).type === "file";
  } catch (error) {
    if (error instanceof FileSystemError) return false;
    throw error;
  }
}
