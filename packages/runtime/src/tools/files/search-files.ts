import { FileSystemError } from "../../errors.ts";
import { basename } from "../../ports/path.ts";
import { ToolFailure } from "../failure.ts";
import { counted } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { requireAccess } from "./access.ts";
import { typeFilter } from "./file-types.ts";
import { compileGlob } from "./glob-pattern.ts";
import { createLineBudget, type LineBudget } from "./line-budget.ts";
import { compileLinePattern } from "./line-pattern.ts";
import { mapAhead } from "./map-ahead.ts";
import { openFile, readWhole } from "./open-file.ts";
import { createPacer } from "./pacer.ts";
import { MAX_MULTILINE_BYTES, MAX_SEARCHED_BYTES } from "./search-limits.ts";
import { type SearchRoot, searchRoot } from "./search-root.ts";
import { type FoundLines, searchText, type SearchOptions } from "./search-text.ts";
import { decodeText } from "./text-file.ts";
import { type WalkedFile, walkFiles } from "./walk.ts";

/** Files opened at the same time; their results still come in order. */
const FILES_AHEAD = 16;

/** The arguments of Grep. */
export type GrepArgs = {
  pattern: string;
  path?: string;
  glob?: string;
  outputMode?: "files_with_matches" | "content" | "count";
  ignoreCase?: boolean;
  context?: number;
  type?: string;
  multiline?: boolean;
};

/** What Grep answers: files, lines or counts, in the order of paths. */
export async function searchFiles(args: GrepArgs, context: ToolContext): Promise<ToolResult> {
  const { outputMode = "files_with_matches", ignoreCase = false, multiline = false } = args;
  const root = await searchRoot(context, args.path);
  const pattern = await compileLinePattern(args.pattern, { ignoreCase, multiline });
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
  return resultOf(report, args, root.path);
}

type Skipped = "binary" | "large" | "unreadable" | "refused";
type SearchedFile = { path: string } & (
  | (FoundLines & { skipped?: undefined })
  | { skipped: Skipped }
);
type Candidate = Pick<WalkedFile, "path" | "realPath">;
type Search = (text: string, options: Pick<SearchOptions, "pace">) => Promise<FoundLines>;

async function* searchEach(
  root: SearchRoot,
  args: GrepArgs,
  context: ToolContext,
  search: Search,
): AsyncGenerator<SearchedFile> {
  const { cwd, rules } = context;
  const pace = createPacer(context.signal);
  const { fs } = context.platform;
  const searchFile = async ({ path, realPath }: Candidate): Promise<SearchedFile> => {
    const text = await readText(
      context,
      { path, realPath },
      args.multiline ? MAX_MULTILINE_BYTES : MAX_SEARCHED_BYTES,
    );
    if (typeof text !== "string") return { path, ...text };
    return { path, ...(await search(text, { pace })) };
  };
  if (root.type === "file") {
    requireAccess(context, root.path, "read");
    const realPath = await fs.realpath(root.path);
    requireAccess(context, realPath, "read");
    yield await searchFile({ path: root.path, realPath });
    return;
  }
  const unreadable: string[] = [];
  const wanted = fileFilter(args);
  async function* candidates(): AsyncGenerator<Candidate> {
    const onUnreadable = (path: string) => unreadable.push(path);
    for await (const file of walkFiles(fs, root.path, { cwd, rules, pace, onUnreadable })) {
      if (!file.isSymlink && wanted(file.relative)) yield file;
    }
  }
  yield* mapAhead(candidates(), FILES_AHEAD, searchFile);
  for (const path of unreadable) yield { path, skipped: "unreadable" };
}

function fileFilter({ glob, type }: GrepArgs): (relative: string) => boolean {
  const hasType = type === undefined ? () => true : typeFilter(type);
  const matches = glob === undefined ? () => true : globFilter(glob);
  return (relative) => hasType(relative) && matches(relative);
}

/** As ripgrep has it: a pattern without a slash is about the file's name, at any depth. */
function globFilter(glob: string): (relative: string) => boolean {
  const { matches } = compileGlob(glob, { dot: true });
  return glob.includes("/") ? matches : (relative) => matches(basename(relative));
}

/**
 * The text of a file. Where there are rules, they are asked once more about the file that was opened, as the directory was
 * listed some time ago; what they refuse counts as if it were not there.
 */
async function readText(
  context: ToolContext,
  { path, realPath }: Candidate,
  maxBytes: number,
): Promise<string | { skipped: Skipped }> {
  try {
    if (!context.rules) {
      const { fs } = context.platform;
      if ((await fs.stat(path)).size > maxBytes) return { skipped: "large" };
      return textOf(await fs.readFile(path));
    }
    await using file = await openFile(context, path, "read", realPath);
    return file.size > maxBytes ? { skipped: "large" } : textOf(await readWhole(file));
  } catch (error) {
    if (error instanceof FileSystemError) return { skipped: "unreadable" };
    if (error instanceof ToolFailure) {
      return { skipped: error.code === "permission_denied" ? "refused" : "unreadable" };
    }
    throw error;
  }
}

function textOf(bytes: Uint8Array): string | { skipped: Skipped } {
  return decodeText(bytes)?.text ?? { skipped: "binary" };
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
    skipped: { binary: 0, large: 0, unreadable: 0, refused: 0 },
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
  if (files === 0) {
    const hint =
      args.pattern.includes("\\n") && !args.multiline
        ? " Lines are searched one by one unless multiline is true."
        : "";
    notes.push(`No match for ${args.pattern} in ${root}.${hint}`);
  }
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
  const skipped = describeSkipped(report.skipped, args);
  if (skipped !== "") notes.push(`(Skipped: ${skipped}.)`);
  return {
    success: true,
    output: [output.text, ...notes].filter((text) => text !== "").join("\n"),
    data: { files, ...counts },
  };
}

function describeSkipped(
  { binary, large, unreadable }: Report["skipped"],
  { multiline = false }: GrepArgs,
): string {
  const megabytes = (multiline ? MAX_MULTILINE_BYTES : MAX_SEARCHED_BYTES) / 1_000_000;
  return [
    binary > 0 ? counted(binary, "binary file") : "",
    large > 0 ? `${counted(large, "file")} over ${megabytes} MB` : "",
    unreadable > 0 ? counted(unreadable, "unreadable path") : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}
