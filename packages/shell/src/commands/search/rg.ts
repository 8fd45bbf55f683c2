import { errorMessage } from "@robota/runtime/ports";
import { decompress, isGzip } from "@robota/runtime/virtual";
import {
  isBrokenPipe,
  type ShellCommand,
  type ShellCommandContext,
  type ShellCommandResult,
} from "../../command.ts";
import { decodeShellText, encodeShellText } from "../../engine/text/bytes.ts";
import { readOperand } from "../arguments.ts";
import { createPrinter } from "../streams.ts";
import { filesOf, type FoundFile } from "./rg-files.ts";
import { type Matcher, matcherOf } from "./rg-matches.ts";
import { contextOf, type Options, parseRequest, type Request } from "./rg-options.ts";
import { createOutput, type Output } from "./rg-output.ts";
import { createReport, type Report } from "./rg-report.ts";
import { typeList } from "./rg-types.ts";

const TROUBLE = 2;

/** Searches files below directories for an expression, and leaves out those that are ignored, hidden or binary. */
export const rg: ShellCommand = {
  name: "rg",
  async run(args, context) {
    try {
      const request = await parseRequest(args, context);
      if (request.options.has("type-list")) return { stdout: typeList() };
      return await search(request, context);
    } catch (error) {
      if (isBrokenPipe(error) || context.signal.aborted) throw error;
      return { stderr: `rg: ${errorMessage(error)}\n`, exitCode: TROUBLE };
    }
  },
};

async function search(request: Request, context: ShellCommandContext): Promise<ShellCommandResult> {
  const { options, paths } = request;
  if (Number(options.get("m") ?? 1) === 0) return { exitCode: 1 };
  const printer = createPrinter(context);
  let [stderr, hasMatched, hasFailed] = ["", false, false];
  const onError = (message: string): void => {
    hasFailed = true;
    if (!options.has("no-messages")) stderr += `rg: ${message}\n`;
  };
  const readsInput = paths.length === 0 && !options.has("files") && hasInput(context);
  const files = readsInput ? [{ name: "-", isNamed: true }] : filesOf(request, context, onError);
  const isSingle = readsInput || (paths.length === 1 && (await isFile(context, paths[0] ?? "")));
  const isAlone = paths.length < 2 && isSingle;
  const isReversed = options.has("sortr");
  const ordered = isReversed ? await reversed(files) : files;
  const matcher = options.has("files") ? undefined : await matcherOf(request);
  const output = createOutput(options, { isAlone, hasContext: hasContext(options) });
  const report = options.has("json") ? createReport(options) : undefined;
  let isEmpty = true;
  for await (const file of ordered) {
    isEmpty = false;
    if (!matcher) {
      hasMatched = true;
      if (options.has("q")) break;
      await printer.print(file.name + (options.has("0") ? "\0" : "\n"));
      continue;
    }
    try {
      const result = await searchFile({ file, matcher, output, report, request, context });
      if (result.hasMatched) hasMatched = true;
      if (result.text !== "") await printer.print(encodeShellText(result.text));
      else context.assertReader?.();
    } catch (error) {
      if (isBrokenPipe(error) || context.signal.aborted) throw error;
      onError(errorMessage(error));
    }
    if (hasMatched && options.has("q") && !report) break;
  }
  if (matcher && isEmpty && paths.length === 0)
    onError("No files were searched, which means that a filter leaves out all of them.");
  if (report) await printer.print(report.summary());
  const exitCode = hasFailed && !(hasMatched && options.has("q")) ? TROUBLE : hasMatched ? 0 : 1;
  return { stdout: printer.rest(), stderr, exitCode };
}

/** Input that was piped or redirected is searched in place of the directory. */
function hasInput(context: ShellCommandContext): boolean {
  return context.nextInput !== undefined || context.stdinBytes().length > 0;
}

async function isFile({ fs, resolve }: ShellCommandContext, path: string): Promise<boolean> {
  return fs.stat(resolve(path)).then(
    ({ type }) => type !== "directory",
    () => true,
  );
}

async function reversed(
  files: Iterable<FoundFile> | AsyncIterable<FoundFile>,
): Promise<FoundFile[]> {
  const all: FoundFile[] = [];
  for await (const file of files) all.push(file);
  return all.toReversed();
}

function hasContext(options: Options): boolean {
  const { before, after } = contextOf(options);
  return !options.has("passthru") && Math.max(before, after) > 0;
}

interface Task {
  readonly file: FoundFile;
  readonly matcher: Matcher;
  readonly output: Output;
  readonly report: Report | undefined;
  readonly request: Request;
  readonly context: ShellCommandContext;
}

async function searchFile({
  file,
  matcher,
  output,
  report,
  request: { options, freedom },
  context,
}: Task): Promise<{ hasMatched: boolean; text: string }> {
  const read = await readOperand(context, file.name);
  const startMs = performance.now();
  const bytes = options.has("z") && isGzip(read) ? await decompress(read, "gzip") : read;
  const nul = options.has("a") || freedom > 2 ? -1 : bytes.indexOf(0);
  if (nul !== -1 && !file.isNamed) {
    report?.skip();
    return { hasMatched: false, text: "" };
  }
  // Without a byte order mark, which belongs to no line.
  const text = decodeShellText(bytes).replace(/^\ufeff/, "");
  const lines = await matcher.search(text, context.pace);
  const hasMatched = lines.selected.length > 0;
  const label = file.name === "-" ? "<stdin>" : file.name;
  if (report) {
    const facts = {
      binaryOffset: nul === -1 ? null : nul,
      elapsedMs: performance.now() - startMs,
      matchesIn: (line: string) => matcher.matchesIn(line),
    };
    return { hasMatched, text: report.fileOf(label, lines, facts) };
  }
  if (options.has("q")) return { hasMatched, text: "" };
  if (nul !== -1 && hasMatched && !output.isSummary) {
    const note = `binary file matches (found "\\0" byte around offset ${nul})\n`;
    return { hasMatched, text: output.isNamed ? `${label}: ${note}` : note };
  }
  const shown = output.textOf(label, lines);
  return { hasMatched: output.isInverted ? !hasMatched : hasMatched, text: shown };
}
