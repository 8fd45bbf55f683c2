import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { basename } from "../../ports/path.ts";
import { counted } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { compileGlob } from "./glob-pattern.ts";
import { createLineBudget, type LineBudget } from "./line-budget.ts";
import { compileLinePattern } from "./line-pattern.ts";
import { locate, notFound } from "./locate.ts";
import { mapAhead } from "./map-ahead.ts";
import { createPacer } from "./pacer.ts";
import { type FoundLines, searchText, type SearchOptions } from "./search-text.ts";
import { decodeText } from "./text-file.ts";
import { walkFiles } from "./walk.ts";

const MAX_FILE_BYTES = 10_000_000;
/** Files opened at the same time; their results still come in order. */
const FILES_AHEAD = 8;

/** The arguments of Grep. */
export type GrepArgs = {
  pattern: string;
  path?: string;
  glob?: string;
  outputMode?: "files_with_matches" | "content" | "count";
  ignoreCase?: boolean;
  context?: number;
};

/** What Grep answers: files, lines or counts, in the order of paths. */
export async function searchFiles(args: GrepArgs, context: ToolContext): Promise<ToolResult> {
  const { outputMode = "files_with_matches", ignoreCase = false } = args;
  const root = locate(context, args.path ?? ".");
  const pattern = await compileLinePattern(args.pattern, { ignoreCase });
  const found = searchEach(root, args, context, (text, options) =>
    searchText(text, pattern, {
      ...options,
      firstOnly: outputMode === "files_with_matches",
      context: outputMode === "content" ? (args.context ?? 0) : undefined,
    }),
  );
  const report = createReport();
  for await (const file of found) {
    if (file.skipped) report.skipped[file.skipped] += 1;
    else if (file.matches > 0) reportFile(report, args, file);
  }
  return resultOf(report, args, root);
}

type Skipped = "binary" | "large" | "unreadable";
type SearchedFile = { path: string } & (
  | (FoundLines & { skipped?: undefined })
  | { skipped: Skipped }
);
type Search = (text: string, options: Pick<SearchOptions, "pace">) => Promise<FoundLines>;

async function* searchEach(
  root: string,
  { glob }: GrepArgs,
  context: ToolContext,
  search: Search,
): AsyncGenerator<SearchedFile> {
  const { cwd } = context;
  const pace = createPacer(context.signal);
  const { fs } = context.platform;
  const searchFile = async (path: string): Promise<SearchedFile> => {
    const text = await readText(fs, path);
    if (typeof text !== "string") return { path, ...text };
    return { path, ...(await search(text, { pace })) };
  };
  if ((await typeOf(root, context)) === "file") {
    yield await searchFile(root);
    return;
  }
  const unreadable: string[] = [];
  const wanted = glob === undefined ? () => true : fileFilter(glob);
  async function* candidates(): AsyncGenerator<string> {
    const onUnreadable = (path: string) => unreadable.push(path);
    for await (const file of walkFiles(fs, root, { cwd, pace, onUnreadable })) {
      if (!file.isSymlink && wanted(file.relative)) yield file.path;
    }
  }
  yield* mapAhead(candidates(), FILES_AHEAD, searchFile);
  for (const path of unreadable) yield { path, skipped: "unreadable" };
}

async function typeOf(path: string, context: ToolContext): Promise<"file" | "directory"> {
  try {
    const { type } = await context.platform.fs.stat(path);
    return type === "directory" ? "directory" : "file";
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") {
      throw await notFound(context, path, error);
    }
    throw error;
  }
}

/** As ripgrep has it: a pattern without a slash is about the file's name, at any depth. */
function fileFilter(glob: string): (relative: string) => boolean {
  const { matches } = compileGlob(glob, { dot: true });
  return glob.includes("/") ? matches : (relative) => matches(basename(relative));
}

async function readText(fs: FileSystem, path: string): Promise<string | { skipped: Skipped }> {
  try {
    if ((await fs.stat(path)).size > MAX_FILE_BYTES) return { skipped: "large" };
    return decodeText(await fs.readFile(path))?.text ?? { skipped: "binary" };
  } catch (error) {
    if (error instanceof FileSystemError) return { skipped: "unreadable" };
    throw error;
  }
}

interface Report {
  output: LineBudget;
  files: number;
  matches: number;
  /** Not in the output. */
  hiddenFiles: number;
  hiddenMatches: number;
  skipped: Record<Skipped, number>;
}

function createReport(): Report {
  return {
    output: createLineBudget(),
    files: 0,
    matches: 0,
    hiddenFiles: 0,
    hiddenMatches: 0,
    skipped: { binary: 0, large: 0, unreadable: 0 },
  };
}

function reportFile(
  report: Report,
  { outputMode, context = 0 }: GrepArgs,
  { path, matches, lines }: { path: string } & FoundLines,
): void {
  report.files += 1;
  report.matches += matches;
  if (outputMode !== "content") {
    const line = outputMode === "count" ? `${path}:${matches}` : path;
    if (!report.output.add(line)) report.hiddenFiles += 1;
    return;
  }
  let shown = 0;
  let last = lines[0]?.number ?? 0;
  for (const { number, text, isMatch } of lines) {
    const mark = isMatch ? ":" : "-";
    const line = `${path}${mark}${number}${mark}${text}`;
    const gap = context > 0 && number > last + 1;
    if (!report.output.add(...(gap ? ["--", line] : [line]))) break;
    last = number;
    if (isMatch) shown += 1;
  }
  report.hiddenMatches += matches - shown;
  if (shown === 0) report.hiddenFiles += 1;
}

function resultOf(report: Report, args: GrepArgs, root: string): ToolResult {
  const { files, matches, output } = report;
  const notes: string[] = [];
  if (files === 0) notes.push(`No match for ${args.pattern} in ${root}.`);
  const hidden = [
    report.hiddenMatches > 0 ? counted(report.hiddenMatches, "more matching line") : "",
    report.hiddenFiles > 0 ? counted(report.hiddenFiles, "more file") : "",
  ].filter((text) => text !== "");
  if (hidden.length > 0) {
    notes.push(`… and ${hidden.join(" in ")}; narrow pattern, path or glob to see them.`);
  }
  const counts = args.outputMode === "content" || args.outputMode === "count" ? { matches } : {};
  if (args.outputMode === "count" && files > 0) {
    notes.push(`${counted(matches, "matching line")} in ${counted(files, "file")}.`);
  }
  const skipped = describeSkipped(report.skipped);
  if (skipped !== "") notes.push(`(Skipped: ${skipped}.)`);
  return {
    success: true,
    output: [output.text, ...notes].filter((text) => text !== "").join("\n"),
    data: { files, ...counts },
  };
}

function describeSkipped({ binary, large, unreadable }: Report["skipped"]): string {
  return [
    binary > 0 ? counted(binary, "binary file") : "",
    large > 0 ? `${counted(large, "file")} over 10 MB` : "",
    unreadable > 0 ? counted(unreadable, "unreadable path") : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}
