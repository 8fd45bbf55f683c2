import { defined } from "../../defined.ts";
import { FileSystemError } from "../../errors.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import { isWithin, normalizePath, relativePath, resolvePath } from "../../ports/path.ts";
import type { ShellOptions, ShellResult } from "../../ports/shell.ts";
import { count } from "../text-cut.ts";
import { boundOutput, headAndTail } from "../text-limit.ts";
import type { ToolContext, ToolPreview, ToolResult } from "../tool.ts";
import { controlJobs, startInBackground } from "./bash-background.ts";
import { type BashStart, differenceFrom, previewCommand, replay } from "./bash-dry-run.ts";
import { followEnvironment, startEnvironment } from "./bash-environment.ts";
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../tool-limits.ts";

/** Limit of kept output, in memory and in the file with the full output. */
const MAX_OUTPUT_BYTES = 5_000_000;
/** Limit of the output that is kept with its colours as well. */
const MAX_COLORED_CHARACTERS = 30_000;

export type BashArgs = {
  command: string;
  timeoutMs?: number;
  description?: string;
  background?: boolean;
};

/** The preview of a command, for the person who approves it. */
export async function previewBash(
  { command, background = false }: BashArgs,
  context: ToolContext,
): Promise<ToolPreview | undefined> {
  if (background) return { note: "It continues in the background until the session ends." };
  const { start } = await startOf(command, context);
  return previewCommand(start, context);
}

/** Runs the Bash tool. */
export async function runBash(args: BashArgs, context: ToolContext): Promise<ToolResult> {
  const { command, background = false } = args;
  const control = await controlJobs(command, context);
  if (control) return control;
  const { start, notes } = await startOf(command, context);
  const { command: _, ...options } = start;
  const { rules, platform } = context;
  // A virtual shell reports it afterwards, too late for output that is read while a command still runs.
  const isJudgedBefore = background || platform.shell.kind === "native";
  const mayFetch = isJudgedBefore && (rules?.mayFetch?.(command) ?? true);
  if (background) {
    const { timeoutMs } = args;
    const started = await startInBackground(command, { ...options, rules, timeoutMs }, context);
    return { ...started, ...defined({ usedNetwork: mayFetch || undefined }) };
  }
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = args;
  const { result, instead } = await runOrReplay(start, context, { rules, timeoutMs });
  const { text, file } = await boundOutput(outputText(result), context);
  const end = ending(result, timeoutMs, context.signal.aborted);
  const allNotes = [
    ...(result.truncated
      ? [
          `(Only the first ${count(MAX_OUTPUT_BYTES)} bytes of the output were kept; the rest is lost.)`,
        ]
      : []),
    ...(end ? [end.error] : []),
    ...notes,
    ...differenceFrom(instead, result),
    ...followDirectory(context, start.cwd, await namedAs(context, result.cwd)),
    ...followEnvironment(context, result.env),
  ];
  return {
    success: end === undefined,
    output: [text || "(no output)", ...allNotes].join("\n\n"),
    exitCode: result.exitCode,
    usedNetwork: result.usedNetwork || mayFetch || undefined,
    ...end,
    data: defined({
      exitCode: result.exitCode,
      cwd: start.cwd,
      file: file || undefined,
      coloredOutput: coloredOutput(result),
    }),
  };
}

async function startOf(
  command: string,
  context: ToolContext,
): Promise<{ start: BashStart; notes: string[] }> {
  const { path, notes } = await startDirectory(context);
  const exported = startEnvironment(context);
  const isNative = context.platform.shell.kind === "native";
  const own = isNative ? context.rules?.environmentFor?.(command, exported) : undefined;
  const env = { ...exported, ...own };
  return { start: { command, cwd: path, env, maxOutputBytes: MAX_OUTPUT_BYTES }, notes };
}

/** An approved preview is applied as shown, as long as a run would have the same outcome. */
async function runOrReplay(
  { command, ...options }: BashStart,
  context: ToolContext,
  limits: Pick<ShellOptions, "rules" | "timeoutMs">,
): Promise<{ result: ShellResult; instead?: ShellResult | undefined }> {
  const { result, instead } = await replay({ command, ...options }, context);
  if (result) {
    if (result.stdout) context.emit({ stream: "stdout", text: result.stdout });
    if (result.stderr) context.emit({ stream: "stderr", text: result.stderr });
    return { result };
  }
  const ran = await context.platform.shell.exec(command, {
    ...options,
    ...limits,
    signal: context.signal,
    onOutput: (chunk) => context.emit(chunk),
  });
  return { result: ran, instead };
}

function outputText({ stdout, stderr }: ShellResult): string {
  const [out, err] = [stdout, stderr].map(readable);
  if (!err) return out ?? "";
  return out ? `${out}\n\n[stderr]\n${err}` : `[stderr]\n${err}`;
}

/** The output with its colours, for people; absent without any. Of long output, the head and the tail. */
function coloredOutput({ stdout, stderr }: ShellResult): string | undefined {
  const text = [stdout, stderr].filter(Boolean).join("\n");
  if (!COLORS.test(text)) return undefined;
  return headAndTail(text.toWellFormed().trimEnd(), MAX_COLORED_CHARACTERS);
}

// oxlint-disable-next-line no-control-regex
const COLORS = /\u001b\[[\d;:]*m/;

/** Colours and cursor movements of terminals: `ESC [ … letter` and `ESC ] … BEL`. */
// oxlint-disable-next-line no-control-regex
const TERMINAL_CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

function readable(text: string): string {
  return text.toWellFormed().replaceAll(TERMINAL_CODES, "").trimEnd();
}

/** The reason for an unsuccessful end. */
function ending(
  { exitCode, timedOut }: ShellResult,
  timeoutMs: number,
  aborted: boolean,
): { error: string; errorCode: ToolErrorCode } | undefined {
  if (timedOut) {
    const error = `Stopped after ${count(timeoutMs)} ms. Give it a larger timeoutMs (up to ${MAX_TIMEOUT_MS}) or less to do.`;
    return { error, errorCode: "timeout" };
  }
  if (aborted && exitCode !== 0) return { error: "Aborted.", errorCode: "aborted" };
  return exitCode === 0 ? undefined : { error: `Exit code ${exitCode}`, errorCode: "exit_code" };
}

const DIRECTORY = "bashDirectory";

/** The directory in which the session's last command ended, if it still exists. */
async function startDirectory({
  platform,
  cwd,
  state,
}: ToolContext): Promise<{ path: string; notes: string[] }> {
  const path = state.get(DIRECTORY);
  if (typeof path !== "string") return { path: cwd, notes: [] };
  try {
    if ((await platform.fs.stat(path)).type === "directory") return { path, notes: [] };
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
  }
  state.delete(DIRECTORY);
  return { path: cwd, notes: [`(${path} no longer exists; this command started in ${cwd}.)`] };
}

/** A directory under the session's own name for it, which may include a symlink. */
async function namedAs(
  { platform, cwd }: ToolContext,
  reported: string | undefined,
): Promise<string | undefined> {
  if (reported === undefined || isWithin(cwd, normalizePath(reported))) return reported;
  const real = await platform.fs.realpath(cwd).catch(() => cwd);
  return isWithin(real, reported) ? resolvePath(cwd, relativePath(real, reported)) : reported;
}

/** Remembers a `cd` within the workspace. A command that went nowhere changes nothing, as others may run beside it. */
function followDirectory(
  { state, cwd }: ToolContext,
  start: string,
  reported: string | undefined,
): string[] {
  if (reported === undefined) return [];
  const end = normalizePath(reported);
  if (end === start) return [];
  if (!isWithin(cwd, end)) {
    return [`(It ended in ${end}, outside the workspace; the next command starts in ${start}.)`];
  }
  state.set(DIRECTORY, end);
  return [`(The next command starts in ${end}.)`];
}
