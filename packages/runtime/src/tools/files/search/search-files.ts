import { FileSystemError } from "../../../errors.ts";
import { basename } from "../../../ports/path.ts";
import { ToolFailure } from "../../failure.ts";
import { counted } from "../../text-limit.ts";
import type { ToolContext, ToolResult } from "../../tool.ts";
import { requireAccess } from "../access.ts";
import { typeFilter } from "./file-types.ts";
import { compileGlob } from "../glob/glob-pattern.ts";
import { LineBudget } from "../line-budget.ts";
import { compileLinePattern, type LinePattern } from "./line-pattern.ts";
import { mapAhead } from "./prefetch.ts";
import { openFile, readWhole } from "../read/open-file.ts";
import { createPacer, type Pace } from "../pacer.ts";
import { type SearchRoot, searchRoot } from "../search-root.ts";
import { type FoundLines, searchText, type SearchOptions } from "./search-text.ts";
import { isBinary, lossyText } from "../text-file.ts";
import { shownPath } from "../shown-path.ts";
import { QUICK, siftMany } from "./prefilter.ts";
import { type WalkedFile, walkFileGroups } from "../walk.ts";
import { MAX_MULTILINE_BYTES, MAX_SEARCHED_BYTES } from "../../tool-limits.ts";

/** Files opened at the same time; their results still come in order. */
const FILES_AHEAD = 16;

/** Files per query where an external program searches them: it has to be started each time. */
const SIFTED_FILES = 4000;
/** Cost of searching one file besides its length, for the pacer. */
const FILE_COST = 200;

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

/** Runs the Grep tool: files, lines or counts, in the order of paths. */
export async function searchFiles(args: GrepArgs, context: ToolContext): Promise<ToolResult> {
  const { ignoreCase = false, multiline = false } = args;
  const root = await searchRoot(context, args.path);
  const pattern = await compileLinePattern(args.pattern, { ignoreCase, multiline });
  const report = createReport();
  for await (const file of new Search(pattern, args, context).run(root)) {
    if (file.skipped) report.skipped[file.skipped] += 1;
    else reportFile(report, args, file);
  }
  return resultOf(report, args, root.path);
}

type Skipped = "binary" | "large" | "unreadable" | "refused";
type SearchedFile = { path: string } & (
  | (FoundLines & { skipped?: undefined })
  | { skipped: Skipped }
);
type Candidate = Pick<WalkedFile, "path" | "realPath">;

/** One search of Grep, over any number of files. */
class Search {
  readonly #pattern: LinePattern;
  readonly #options: Omit<SearchOptions, "pace">;
  readonly #args: GrepArgs;
  readonly #context: ToolContext;
  readonly #maxBytes: number;
  readonly #pace: Pace;

  constructor(pattern: LinePattern, args: GrepArgs, context: ToolContext) {
    const { outputMode = "files_with_matches" } = args;
    this.#pattern = pattern;
    this.#options = {
      firstOnly: outputMode === "files_with_matches",
      context: outputMode === "content" ? (args.context ?? 0) : undefined,
    };
    this.#args = args;
    this.#context = context;
    this.#maxBytes = args.multiline ? MAX_MULTILINE_BYTES : MAX_SEARCHED_BYTES;
    this.#pace = createPacer(context.signal);
  }

  /** Matches and search failures, in the order of paths. */
  async *run(root: SearchRoot): AsyncGenerator<SearchedFile> {
    const { cwd, rules, platform } = this.#context;
    if (root.type === "file") {
      requireAccess(this.#context, root.path, "read");
      const realPath = await platform.fs.realpath(root.path);
      requireAccess(this.#context, realPath, "read");
      const found = await this.#searchFile({ path: root.path, realPath });
      if (found) yield found;
      return;
    }
    const unreadable: string[] = [];
    const wanted = fileFilter(this.#args);
    const onUnreadable = (path: string) => unreadable.push(path);
    const { fs } = platform;
    const pace = this.#pace;
    const filesAtOnce = this.#pattern.sought && fs.mayHold ? { filesAtOnce: SIFTED_FILES } : {};
    const options = { cwd, rules, pace, onUnreadable, ...filesAtOnce };
    const walk = walkFileGroups(fs, root.path, options);
    for await (const group of walk) {
      const files = group.filter(({ isSymlink, relative }) => !isSymlink && wanted(relative));
      yield* this.#searchGroup(await this.#sift(files));
    }
    for (const path of unreadable) yield { path, skipped: "unreadable" };
  }

  /** Removes files that can't match. The others are searched one by one. */
  async #sift(files: readonly Candidate[]): Promise<readonly Candidate[]> {
    const { platform, signal } = this.#context;
    const { sought } = this.#pattern;
    if (!sought) return files;
    const mayHold = await platform.fs.mayHold?.(
      files.map(({ realPath }) => realPath),
      { ...sought, maxBytes: this.#maxBytes },
      signal,
    );
    return mayHold ? files.filter((_, index) => mayHold[index]) : files;
  }

  async *#searchGroup(files: readonly Candidate[]): AsyncGenerator<SearchedFile> {
    const contents = await this.#contentsOf(files);
    if (!contents) {
      const all = mapAhead(files, FILES_AHEAD, (file) => this.#searchFile(file));
      for await (const found of all) if (found) yield found;
      return;
    }
    const { find } = this.#pattern;
    const mayHold = find && (await siftMany(contents, find, this.#pace));
    for (const [index, file] of files.entries()) {
      const bytes = contents[index];
      if (bytes && mayHold && !mayHold[index]) continue;
      const searching = bytes ? this.#searchBytes(file, bytes) : this.#searchFile(file);
      const found = searching instanceof Promise ? await searching : searching;
      if (found) yield found;
    }
  }

  async #contentsOf(
    files: readonly Candidate[],
  ): Promise<readonly (Uint8Array | undefined)[] | undefined> {
    // Without a symlink on the path, the file is the one for which the walk checked the rules.
    const paths = files.map(({ realPath }) => realPath);
    try {
      return await this.#context.platform.fs.readMany?.(paths, this.#maxBytes);
    } catch (error) {
      // Each by itself shows which of them it is.
      if (error instanceof FileSystemError) return undefined;
      throw error;
    }
  }

  /**
   * Checks the rules again for the opened file, since the directory was listed some time ago; a refused file counts as
   * absent.
   */
  async #searchFile({ path, realPath }: Candidate): Promise<SearchedFile | undefined> {
    try {
      if (!this.#context.rules) {
        const { fs } = this.#context.platform;
        if ((await fs.stat(path)).size > this.#maxBytes) return { path, skipped: "large" };
        return await this.#searchBytes({ path }, await fs.readFile(path));
      }
      await using file = await openFile(this.#context, path, "read", realPath);
      if (file.size > this.#maxBytes) return { path, skipped: "large" };
      return await this.#searchBytes({ path }, await readWhole(file));
    } catch (error) {
      if (error instanceof FileSystemError) return { path, skipped: "unreadable" };
      if (error instanceof ToolFailure) {
        return { path, skipped: error.code === "permission_denied" ? "refused" : "unreadable" };
      }
      throw error;
    }
  }

  /** Returns synchronously when nothing is found. */
  #searchBytes(
    { path }: Pick<Candidate, "path">,
    bytes: Uint8Array,
  ): Promise<SearchedFile | undefined> | undefined {
    const text = lossyText(bytes);
    const turn = this.#pace(FILE_COST + bytes.length / (this.#pattern.isQuick ? QUICK : 1));
    if (this.#pattern.mayMatch(text)) return this.#searchText(path, text, isBinary(bytes), turn);
    return turn?.then(() => undefined);
  }

  async #searchText(
    path: string,
    text: string,
    isBinary: boolean,
    turn: Promise<void> | undefined,
  ): Promise<SearchedFile | undefined> {
    if (turn) await turn;
    const options = isBinary ? { firstOnly: true } : this.#options;
    const found = await searchText(text, this.#pattern, { ...options, pace: this.#pace });
    if (found.matches === 0) return undefined;
    return isBinary ? { path, skipped: "binary" } : { path, ...found };
  }
}

function fileFilter({ glob, type }: GrepArgs): (relative: string) => boolean {
  const hasType = type === undefined ? () => true : typeFilter(type);
  const matches = glob === undefined ? () => true : globFilter(glob);
  return (relative) => hasType(relative) && matches(relative);
}

/** As in ripgrep: a pattern without a slash matches the file's name, at any depth. */
function globFilter(glob: string): (relative: string) => boolean {
  const { matches } = compileGlob(glob, { dot: true });
  return glob.includes("/") ? matches : (relative) => matches(basename(relative));
}

interface Report {
  output: LineBudget;
  files: number;
  matches: number;
  /** Number of files absent from the output. */
  hiddenFiles: number;
  hiddenMatches: number;
  skipped: Record<Skipped, number>;
}

function createReport(): Report {
  return {
    output: new LineBudget(),
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
  { path: found, matches, lines }: { path: string } & FoundLines,
): void {
  const path = shownPath(found);
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
    binary > 0 ? counted(binary, "binary file that matches", "binary files that match") : "",
    large > 0 ? `${counted(large, "file")} over ${megabytes} MB` : "",
    unreadable > 0 ? counted(unreadable, "unreadable path") : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}
