import { defined } from "../../defined.ts";
import type { ShellOptions, ShellResult } from "../../ports/shell.ts";
import type { DryRun } from "../../virtual/dry-run.ts";
import { sessionState } from "../session-state.ts";
import { counted, headAndTail } from "../text-limit.ts";
import { isShownChange, toFileChange } from "../files/shown-changes.ts";
import type { ToolContext, ToolPreview } from "../tool.ts";

/** Maximum delay of an approval for its preview. */
const MAX_MS = 1_900;
const MAX_FILES = 20;
const MAX_OUTPUT_CHARACTERS = 1_000;
/** Requests that were never answered leave theirs behind. */
const MAX_KEPT = 8;

/** The options of a start; equal ones mean the same command. */
export type BashStart = Pick<ShellOptions, "cwd" | "env" | "maxOutputBytes"> & { command: string };

interface Kept {
  start: BashStart;
  run: DryRun;
}

/** Tries a command on copies of the files, for the person who approves it, and keeps the outcome for `replay`. */
export async function previewCommand(
  start: BashStart,
  context: ToolContext,
): Promise<ToolPreview | undefined> {
  const { platform, rules, signal } = context;
  if (platform.shell.kind !== "virtual" || !platform.shell.over) return undefined;
  const { command, ...options } = start;
  const stop = new AbortController();
  const working = (async (): Promise<ToolPreview | undefined> => {
    const { dryRun } = await import("../../virtual/dry-run.ts");
    const run = await dryRun(platform, command, {
      ...options,
      signal: AbortSignal.any([signal, stop.signal]),
      rules,
    });
    if (!run) return undefined;
    const preview = await describe(run);
    if (!stop.signal.aborted && run.incomplete === undefined) keep(context, { start, run });
    return preview;
  })();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ToolPreview>((resolve) => {
    timer = setTimeout(() => {
      stop.abort();
      resolve({ note: "Dry run: it takes too long for a dry run." });
    }, MAX_MS);
  });
  return Promise.race([working, late]).finally(() => clearTimeout(timer));
}

/**
 * Applies the outcome of this call's dry run, if the files are still the same. `instead` is the previewed outcome that
 * no longer holds, because files have changed since.
 */
export async function replay(
  start: BashStart,
  context: ToolContext,
): Promise<{ result?: ShellResult; instead?: ShellResult }> {
  const kept = dryRuns(context).get(context.toolCallId);
  dryRuns(context).delete(context.toolCallId);
  if (!kept || JSON.stringify(kept.start) !== JSON.stringify(start)) return {};
  const { run } = kept;
  const { rules } = context;
  // The answer may not be a person's: then the line runs without the access that only a person grants.
  if (run.protectedFiles.some((path) => rules?.refusesWorktreeFile?.(path) !== undefined))
    return {};
  if (!(await run.isCurrent())) return { instead: run.result };
  await run.commit();
  return { result: run.result };
}

/** The note for a command that had to run again and did something else than the preview showed. */
export function differenceFrom(shown: ShellResult | undefined, result: ShellResult): string[] {
  if (!shown) return [];
  const isSame =
    shown.exitCode === result.exitCode &&
    shown.stdout === result.stdout &&
    shown.stderr === result.stderr;
  return isSame
    ? []
    : ["(Files had changed since the dry run, so the outcome differs from the preview.)"];
}

function dryRuns(context: Pick<ToolContext, "state">): Map<string, Kept> {
  return sessionState(context, "bashDryRuns", () => new Map<string, Kept>());
}

function keep(context: ToolContext, kept: Kept): void {
  const runs = dryRuns(context);
  runs.set(context.toolCallId, kept);
  for (const id of runs.keys()) {
    if (runs.size <= MAX_KEPT) break;
    runs.delete(id);
  }
}

async function describe(run: DryRun): Promise<ToolPreview> {
  const { result, changes, incomplete } = run;
  const protectedFiles = incomplete === undefined ? [...run.protectedFiles] : [];
  const files = changes.filter(isShownChange);
  const shown = await Promise.all(files.slice(0, MAX_FILES).map(toFileChange));
  const output = headAndTail(`${result.stdout}${result.stderr}`.trim(), MAX_OUTPUT_CHARACTERS);
  const rest = files.length - shown.length;
  const note = [
    incomplete === undefined
      ? `Dry run: exit code ${result.exitCode}, ${counted(files.length, "file")} changed.`
      : `Dry run, not complete: ${incomplete}. It will run when it is allowed.`,
    ...(rest > 0 ? [`${counted(rest, "more file")} not shown.`] : []),
    ...(protectedFiles.length > 0
      ? [`Git writes ${counted(protectedFiles.length, "protected file")}:`, ...protectedFiles]
      : []),
    ...(output === "" ? [] : [output]),
  ].join("\n");
  return defined({
    changes: shown.length > 0 ? shown : undefined,
    note,
    protectedFiles: protectedFiles.length > 0 ? protectedFiles : undefined,
  });
}
