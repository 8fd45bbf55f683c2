import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import { settle, ToolFailure } from "../failure.ts";
import { compileGlob, splitGlob } from "../files/glob-pattern.ts";
import { createLineBudget } from "../files/line-budget.ts";
import { locate, notFound } from "../files/locate.ts";
import { createPacer } from "../files/pacer.ts";
import { walkFiles, type WalkedFile } from "../files/walk.ts";
import { counted } from "../text-limit.ts";
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts";

type GlobArgs = {
  pattern: string;
  path?: string;
};

/** Finds files by name. */
export const globTool = defineTool<GlobArgs>({
  name: "Glob",
  description:
    'Finds files by name and lists their absolute paths, sorted. Patterns are like src/**/*.{ts,tsx}: * and ? within a name, ** for any directories, […] for one character of a set, {a,b} for alternatives. "*.ts" finds files directly in the directory, "**/*.ts" at any depth. Names that start with a dot are only found when the pattern has the dot. Files that .gitignore leaves out are not listed, unless the pattern or the path names an ignored directory.',
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, description: "Such as **/*.ts" },
      path: {
        type: "string",
        minLength: 1,
        description: "Directory to search in; the working directory when left out",
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  access: "read",
  patternArgument: "pattern",
  execute: (args, context) => settle(() => glob(args, context)),
});

async function glob({ pattern, path = "." }: GlobArgs, context: ToolContext): Promise<ToolResult> {
  const { fs } = context.platform;
  const start = locate(context, path);
  await assertDirectory(context, start);
  const { base, rest } = splitGlob(pattern);
  const { matches, mayHold } = compileGlob(rest || "**");
  const root = resolvePath(start, base);
  const listed = createLineBudget();
  let total = 0;
  let shown = 0;
  let unreadable = 0;
  const walk = walkFiles(fs, root, {
    cwd: context.cwd,
    pace: createPacer(context.signal),
    enters: mayHold,
    onUnreadable: () => (unreadable += 1),
  });
  for await (const file of orNothing(walk)) {
    if (!matches(file.relative) || !(await isFile(fs, file))) continue;
    total += 1;
    if (listed.add(file.path)) shown += 1;
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

async function assertDirectory(context: ToolContext, path: string): Promise<void> {
  try {
    const { type } = await context.platform.fs.stat(path);
    if (type === "directory") return;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") {
      throw await notFound(context, path, error);
    }
    throw error;
  }
  throw new ToolFailure("ENOTDIR", `${path} is a file, not a directory.`, {
    hint: "Name the directory to search in, and the file in the pattern.",
  });
}

/** The pattern's own directory need not exist: then nothing matches. */
async function* orNothing(walk: AsyncGenerator<WalkedFile>): AsyncGenerator<WalkedFile> {
  try {
    yield* walk;
  } catch (error) {
    if (error instanceof FileSystemError && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return;
    }
    throw error;
  }
}

async function isFile(fs: FileSystem, { path, isSymlink }: WalkedFile): Promise<boolean> {
  if (!isSymlink) return true;
  try {
    return (await fs.stat(path)).type === "file";
  } catch (error) {
    if (error instanceof FileSystemError) return false;
    throw error;
  }
}
